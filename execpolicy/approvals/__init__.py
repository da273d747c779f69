"""Codex's approval system: evaluates requests, asks a person, remembers answers and runs approved commands."""

from execpolicy import public_names

__getattr__, __dir__ = public_names(__name__)
