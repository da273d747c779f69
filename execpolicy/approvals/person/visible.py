"""Text for a terminal that shows what is there: nothing in it can move the cursor, hide, or turn the order around."""

from __future__ import annotations

import unicodedata
from textwrap import wrap

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Mn", "Me"})
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e"}
_BLANK_LOOKALIKES = frozenset({"\u115f", "\u1160", "\u3164", "\uffa0", "\u2800"})


def visible(text: str) -> str:
    """``text`` on one line; control, format and invisible characters and odd blanks as escapes (``\\u{202e}``)."""
    return "".join([_shown(char) for char in text])


def visible_lines(text: str, width: int) -> list[str]:
    """``text`` line by line, each made visible and folded to at most ``width`` characters."""
    folded: list[str] = []
    for line in text.split("\n"):
        shown = visible(line)
        folded += [shown[at : at + width] for at in range(0, len(shown), width)] or [""]
    return folded


def wrapped_lines(text: str, width: int) -> list[str]:
    """The same for a sentence: folded between words where that is possible."""
    lines: list[str] = []
    for line in text.split("\n"):
        lines += wrap(visible(line), width, break_on_hyphens=False) or [""]
    return lines


def _shown(char: str) -> str:
    if " " <= char <= "~":
        return char
    if char in _SHORT:
        return _SHORT[char]
    if unicodedata.category(char) in _HIDDEN or char in _BLANK_LOOKALIKES:
        return f"\\u{{{ord(char):x}}}"
    return char
