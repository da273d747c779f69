"""Keeps the effective rules of all layers up to date while files change and answers are saved."""
