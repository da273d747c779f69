"""Letters that a program text names by their numbers: ``chr(103)``, ``String.fromCharCode(103, 105)``, ``103.chr``.

They become the constants that they are, so that a reader of the text sees what it says. Evidence for restricting.
"""

from __future__ import annotations

import re

_NUMBER = r"(?:0[xX][0-9a-fA-F]{1,2}|\d{1,3})"
_LETTER = rf"(?:chr|Chr|char|unichr)\s*\(\s*({_NUMBER})\s*\)|\b({_NUMBER})\.chr\b"
_IN_TEXT = re.compile(rf"[#$]?\{{\s*(?:{_LETTER})\s*\}}")
"""Inside of a string: ``f"{chr(103)}"``, ``"#{103.chr}"``."""
_ALONE = re.compile(rf"(?<![\w.])(?:{_LETTER})")
_BEFORE = re.compile(rf"(?<![\w.])(?:{_LETTER})\s*(?:\+|\.\.?|<>)\s*(['\"])")
_BEHIND = re.compile(rf"(['\"])\s*(?:\+|\.\.?|<>)\s*(?:{_LETTER})")
"""Beside a constant: ``chr(103) + "it"``."""
_LIST = re.compile(rf"\b{_NUMBER}(?:\s*,\s*{_NUMBER})*\b")
_FROM_LISTS = (
    "fromCharCode",
    "fromCodePoint",
    "string.char",
    "bytes",
    "bytearray",
    "chr",
    "pack",
    "Buffer",
    "Uint8Array",
)
"""What makes a text of a list of numbers."""
_TEMPLATE = re.compile(r"\$\{\s*String\.from(?:CharCode|CodePoint)\(([^()]*)\)\s*\}")


def spelt_out(code: str) -> str:
    """``code`` with constants for letters that are numbers in it."""
    if not any(mark in code for mark in (*_FROM_LISTS, "char")):
        return code
    code = _TEMPLATE.sub(lambda found: _text(found[1]) or found[0], code)
    code = _IN_TEXT.sub(lambda found: _text(found[1] or found[2]) or found[0], code)
    code = _BEFORE.sub(lambda found: ((letter := _text(found[1] or found[2])) and found[3] + letter) or found[0], code)
    code = _BEHIND.sub(lambda found: ((letter := _text(found[2] or found[3])) and letter + found[1]) or found[0], code)
    code = _ALONE.sub(lambda found: _constant(found[1] or found[2]) or found[0], code)
    if any(mark in code for mark in _FROM_LISTS):
        code = _LIST.sub(lambda found: _constant(found[0]) or found[0], code)
    return code


def _constant(numbers: str) -> str:
    text = _text(numbers)
    quote = '"' if "'" in text else "'"
    shown = text.replace("\n", "\\n").replace("\t", "\\t")
    return f"{quote}{shown}{quote}" if text and not set(text) & {"\\", quote} else ""


def _text(numbers: str) -> str:
    """The letters with these numbers, if all of them can be printed."""
    codes = [int(each, 0 if each.strip()[:2].lower() == "0x" else 10) for each in numbers.split(",") if each.strip()]
    text = "".join(map(chr, codes))
    plain = text.replace("\n", "").replace("\t", "")
    return text if plain.isascii() and plain.isprintable() else ""
