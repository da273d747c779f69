"""Values as ``${x:1:2}``, ``${x#a}``, ``${x/a/b}``, ``${x,,}`` and ``${x@U}`` change them.

Evidence for restricting only.
"""

from __future__ import annotations

from execpolicy.core.text import is_integer
from execpolicy.shell.limits import LIMITS

OPERATORS = frozenset((":", "#", "%", "/", "^", ",", "~", "@"))
"""Operators of pieces that :func:`reshaped` follows."""
_CASES = {"^": str.upper, ",": str.lower, "~": str.swapcase}


def reshaped(operator: str, text: str, word: str) -> list[str]:
    """Returns what ``${x<operator><word>}`` may be where ``x`` is ``text``.

    Several, because it is not known here which part of ``word`` was quoted.
    """
    if operator == ":":
        bounds = offsets(word, len(text))
        return [text[bounds[0] : bounds[1]]] if bounds is not None else []
    if operator == "@":
        return _transformed(word, text)
    if operator in _CASES:
        every = word[:1] == operator
        change = _CASES[operator]
        return [change(text) if every else change(text[:1]) + text[1:]]
    if len(text) > LIMITS.pattern or len(word) > LIMITS.pattern:
        return []
    found: list[str] = []
    for quoted in (False, True):
        one = _replaced(text, word, quoted) if operator == "/" else _stripped(operator, text, word, quoted)
        if one not in found:
            found.append(one)
    return found


def _transformed(letter: str, text: str) -> list[str]:
    """``${x@U}`` and its like. What quotes the value is what it names as well once somebody takes the quotes off."""
    if letter in "uUL":
        change = str.lower if letter == "L" else str.upper
        return [change(text[:1]) + text[1:] if letter == "u" else change(text)]
    if letter == "a":
        return []
    if letter == "E" and "\\" in text:
        from execpolicy.shell.recovery import unescaped

        return [unescaped(text)]
    return [text]


def offsets(word: str, length: int) -> tuple[int, int] | None:
    """``1``, ``1:2``, `` -3:2`` as start and end in something of ``length``; ``None`` if they are not numbers."""
    first, colon, second = word.partition(":")
    start = _number(first)
    count = _number(second) if colon else length
    if start is None or count is None:
        return None
    start = max(start + length, 0) if start < 0 else min(start, length)
    return start, max(count + length if count < 0 else start + count, start)


def _number(text: str) -> int | None:
    text = text.strip(" ()\t\n") or "0"
    return int(text) if is_integer(text) and len(text.lstrip("-")) < 10 else None


def _stripped(operator: str, text: str, word: str, quoted: bool) -> str:
    from fnmatch import fnmatchcase

    longest = word[:1] == operator
    pattern = word[1:] if longest else word
    for size in range(len(text), -1, -1) if longest else range(len(text) + 1):
        part = text[:size] if operator == "#" else text[len(text) - size :]
        if part == pattern if quoted else fnmatchcase(part, pattern):
            return text[size:] if operator == "#" else text[: len(text) - size]
    return text


def _replaced(text: str, word: str, quoted: bool) -> str:
    import re

    every, anchor = word[:1] == "/", word[:1] if word[:1] in ("#", "%") else ""
    word = word[1:] if every or anchor else word
    pattern, _, new = word.replace("\\/", "\0").partition("/")
    pattern, new = pattern.replace("\0", "/"), new.replace("\0", "/")
    if not pattern and not anchor:
        return text
    source = re.escape(pattern) if quoted else _regex(pattern)
    source = "^(?:" + source + ")" if anchor == "#" else "(?:" + source + ")$" if anchor == "%" else source
    try:
        return re.sub(source, lambda match: new, text, count=0 if every else 1, flags=re.DOTALL)
    except re.error:
        return text


def _regex(pattern: str) -> str:
    """A shell pattern without sets as a regular expression that finds it inside a text."""
    import re

    return "".join([".*" if char == "*" else "." if char == "?" else re.escape(char) for char in pattern])
