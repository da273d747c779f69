"""Patterns of two wildcards, as entries use them: ``*`` is any text (also none), ``?`` is one character.

``[*]`` and ``[?]`` stand for the characters themselves.
"""

from __future__ import annotations

UNKNOWN = "\ufffd"
"""Stands for the part of a word that is only known at run time."""
_ANY, _ONE = "\ue000", "\ue001"


def glob_matches(pattern: str, text: str) -> bool:
    """Whether the whole of ``text`` matches ``pattern``. Linear in practice, at worst the product of the lengths."""
    first = pattern[:1]
    if first not in "*?[" and first != text[:1]:
        return False  # most of the patterns that a word is compared with end here
    last = pattern[-1:]
    if last not in "*?]" and last != text[-1:]:
        return False
    shortest = pattern.strip("*")
    if "*" not in shortest and "?" not in shortest and "[" not in shortest:
        if pattern[:1] != "*":
            return text.startswith(shortest) if pattern[-1:] == "*" else text == shortest
        return shortest in text if pattern[-1:] == "*" else text.endswith(shortest)
    if "[" in pattern:
        marked = pattern.replace("[*]", _ANY).replace("[?]", _ONE)
        pieces = list(marked)
    else:
        pieces = list(pattern)
    at = kept = position = 0
    star = -1
    end, size = len(text), len(pieces)
    while position < end:
        piece = pieces[at] if at < size else ""
        if piece == "*":
            star, kept = at, position
            at += 1
        elif piece == "?" or (piece and _plain(piece) == text[position]):
            at += 1
            position += 1
        elif star >= 0:
            kept += 1
            at, position = star + 1, kept
        else:
            return False
    return all(piece == "*" for piece in pieces[at:])


def _plain(piece: str) -> str:
    return "*" if piece == _ANY else "?" if piece == _ONE else piece
