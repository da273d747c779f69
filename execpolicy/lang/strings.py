"""String literals of the rules language: what one says, and how a text is written as one."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:(\r\n|\n)|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{1,3})|([\s\S]))|\r")
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", "'": "'", '"': '"'}
_RAW_ESCAPE = re.compile(r"\\([\s\S])|\r")


def decode_string(literal: str) -> str:
    """The text that a string literal (prefix ``r`` and quotes included) stands for.

    A carriage return disappears, a raw string loses the backslash in front of a quote, an unknown escape keeps its
    backslash (source: starlark-rust).
    """
    raw = literal[0] in "rR"
    body = literal[1:] if raw else literal
    quote = 3 if len(body) >= 6 and body[:3] in ('"""', "'''") else 1
    body = body[quote:-quote]
    if "\\" not in body and "\r" not in body:
        return body
    return (_RAW_ESCAPE if raw else _ESCAPE).sub(_raw_escape if raw else _escape, body)


def _raw_escape(found: re.Match[str]) -> str:
    following = found.group(1)
    if following is None:
        return ""
    return str(following) if following in "'\"" else f"\\{following}"


def _escape(found: re.Match[str]) -> str:
    newline, byte, short, long, octal, other = found.groups()
    if byte or short or long:
        return chr(int(byte or short or long, 16))
    if octal:
        return chr(int(octal, 8))
    if newline or other is None:
        return ""
    return _SIMPLE.get(other, f"\\{other}")


def encode_string(text: str) -> str:
    """``text`` as a double-quoted literal that decodes to it: printable characters as they are, the rest escaped."""
    return '"' + "".join([_encoded(char) for char in text]) + '"'


_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}


def _encoded(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
