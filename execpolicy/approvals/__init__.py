"""Codex's approval system: evaluates requests, asks a person, remembers answers and runs approved commands."""
