"""Wildcard patterns as opencode matches them.

Source: ``util/wildcard.ts`` of opencode (1.x) and https://opencode.ai/docs/permissions: ``*`` stands for any text (also
``/``, blanks and newlines, also none), ``?`` for exactly one character, everything else for itself; the whole text has
to match; a pattern that ends with a blank and ``*`` also matches without that ending (``ls *`` matches ``ls``);
backslashes count as slashes on both sides; case matters (opencode folds case on Windows only).

opencode builds a regular expression. Its backtracking lets a request of a few kilobytes stall the program, so this is
the usual greedy search over the pieces between the stars: linear in the text for each piece.
"""

from __future__ import annotations

from functools import lru_cache

from execpolicy.errors import UsageError
from execpolicy.validators import shown


def wildcard_match(text: str, pattern: str) -> bool:
    """Whether the whole of ``text`` matches ``pattern``."""
    if not isinstance(text, str) or not isinstance(pattern, str):
        raise UsageError(f"a text and a pattern are matched, not {shown(text)} and {shown(pattern)}")
    text = text.replace("\\", "/")
    pieces, optional = _compiled(pattern)
    return _matches(text, pieces) or (optional is not None and _matches(text, optional))


def wildcard_may_match(start: str, pattern: str) -> bool:
    """Whether ``pattern`` matches some text that begins with ``start``."""
    start, pattern = start.replace("\\", "/"), pattern.replace("\\", "/")
    reachable = _behind_stars({0}, pattern)
    for char in start:
        kept = {at for at in reachable if pattern[at : at + 1] == "*"}
        passed = {at + 1 for at in reachable if pattern[at : at + 1] in ("?", char)}
        reachable = _behind_stars(kept | passed, pattern)
        if not reachable:
            return False
    return True


def _behind_stars(places: set[int], pattern: str) -> set[int]:
    found = set(places)
    for at in places:
        while pattern[at : at + 1] == "*":
            at += 1
            found.add(at)
    return found


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """The pieces between the stars, and the same without a trailing `` *``."""
    pattern = pattern.replace("\\", "/")
    optional = tuple(pattern[:-2].split("*")) if pattern.endswith(" *") else None
    return tuple(pattern.split("*")), optional


def _matches(text: str, pieces: tuple[str, ...]) -> bool:
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return len(text) == len(first) and _fits(text, 0, first)
    end = len(text) - len(last)
    if len(first) > end or not _fits(text, 0, first) or not _fits(text, end, last):
        return False
    at = len(first)
    for piece in pieces[1:-1]:
        at = _find(text, piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def _fits(text: str, at: int, piece: str) -> bool:
    if "?" not in piece:
        return text.startswith(piece, at)
    return all(want in ("?", have) for want, have in zip(piece, text[at : at + len(piece)], strict=True))


def _find(text: str, piece: str, start: int, end: int) -> int:
    """Where ``piece`` first fits into ``text[start:end]``, or -1."""
    if "?" not in piece:
        return text.find(piece, start, end)
    for at in range(start, end - len(piece) + 1):
        if _fits(text, at, piece):
            return at
    return -1
