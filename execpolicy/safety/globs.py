"""Patterns of two wildcards, as entries use them: ``*`` is any text (also none), ``?`` is one character."""

from __future__ import annotations


def glob_matches(pattern: str, text: str) -> bool:
    """Whether the whole of ``text`` matches ``pattern``. Linear in practice, at worst the product of the lengths."""
    at = star = kept = 0
    position, end, size = 0, len(text), len(pattern)
    star = -1
    while position < end:
        if at < size and pattern[at] == "*":
            star, kept = at, position
            at += 1
        elif at < size and (pattern[at] == "?" or pattern[at] == text[position]):
            at += 1
            position += 1
        elif star >= 0:
            kept += 1
            at, position = star + 1, kept
        else:
            return False
    return pattern[at:].strip("*") == ""
