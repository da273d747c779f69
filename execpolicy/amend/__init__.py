"""Adds rules to a rule file: decides which may be saved, proposes them, and appends them without loss or torn lines."""
