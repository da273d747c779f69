"""The person at the terminal: the question as it is shown, the answer as it is typed."""
