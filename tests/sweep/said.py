"""Findings of the sweep that an entry announces, each with the reason why it stands."""

from __future__ import annotations


def said(entry: str, program: str, kind: str, call: list[str], line: str) -> bool:
    """Whether what ``call`` did is what its entry says."""
    return any(rule_entry in (entry, program) and kind == rule_kind and part in line for rule_entry, rule_kind, part, _ in SAID)


SAID: tuple[tuple[str, str, str, str], ...] = ()
"""(entry or program, kind, a part of the line, why it stands)."""
