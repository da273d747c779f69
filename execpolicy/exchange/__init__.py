"""The permission formats of agents, read into rules and written from them, with a report of what gets lost."""
