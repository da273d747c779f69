"""Processes that are started with all that they start, and ended with it."""
