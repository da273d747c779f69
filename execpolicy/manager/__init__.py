"""Keeps the rules of all layers in force while files change and answers are saved."""
