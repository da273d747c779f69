"""White space as Codex trims it: the Unicode ``White_Space`` property, which differs from Python's ``str.isspace``."""

from __future__ import annotations

WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def is_blank(text: str) -> bool:
    """Whether ``text`` holds nothing but white space. U+200B counts as text, U+00A0 as space."""
    return not text.strip(WHITE_SPACE)
