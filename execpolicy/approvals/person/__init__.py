"""Shows a question to the person at the terminal and reads the typed answer."""
