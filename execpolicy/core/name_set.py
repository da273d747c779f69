"""Tables of names, as they are written in this package."""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """A set of names written with blanks between them."""
    return frozenset(text.split())
