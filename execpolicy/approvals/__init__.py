"""Codex's approval system: from an evaluation to a person's answer, what is remembered and what then runs."""
