"""Which names a regular expression of a filter finds, in the dialects of grep, sed, awk and their like.

Evidence for asking: an expression that is not understood, or that could take long to try, is taken to find every name.
"""

from __future__ import annotations

import re
from _collections_abc import Iterable

from execpolicy.core.text import bracket_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Dialect = Literal["fixed", "basic", "extended", "perl"]

_LONGEST = 200
"""Characters of an expression that is tried."""
_REPEATED = 3
"""Parts without a limit in an expression that is tried: a name has few letters, and each part may begin at any."""
_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "xdigit": "0-9a-fA-F",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "blank": r" \t",
    "word": r"\w",
    "graph": "!-~",
    "print": " -~",
}
_OPERATORS = "(){}|+?"
"""What a basic expression writes with a backslash in front, as GNU's programs and busybox read it."""
_NUMBERS = re.compile(r"[0-9]+(,[0-9]*)?\\?\}")
_KNOWN = "wWsSbB"
"""Letters that mean the same behind a backslash in Python, where they mean something."""


def found_names(regex: str, dialect: Dialect, names: Iterable[str]) -> list[str]:
    """Those of ``names`` in which ``regex`` finds something; capitals are also the same as small letters."""
    translated = re.escape(regex) if dialect == "fixed" else _translated(regex, dialect)
    if translated is None:
        return list(names)
    try:
        tried = [re.compile(translated), re.compile(translated, re.IGNORECASE)]
    except (re.error, OverflowError, RecursionError):
        return list(names)
    return [name for name in names if any(one.search(name) is not None for one in tried)]


def _translated(regex: str, dialect: str) -> str | None:
    """``regex`` as Python writes it; ``None`` where that is not known, or where trying it may take long."""
    if len(regex) > _LONGEST:
        return None
    made: list[str] = []
    at = repeated = 0
    while at < len(regex):
        char = regex[at]
        part = char
        if char == "[":
            close = bracket_end(regex, at)
            bracket = _bracket(regex[at + 1 : close], dialect) if close > 0 else None
            if bracket is None:
                return None
            part, at = bracket, close
        elif char == "\\":
            at += 1
            part = _escaped(regex[at : at + 1], dialect)
            if not part:
                return None
        elif dialect == "basic" and char in _OPERATORS:
            part = "\\" + char
        repeated += part in ("*", "+", "{")
        before = made[-1] if made else "("
        if repeated > _REPEATED or (
            _reads_otherwise(part, before, regex[at + 1 :])
            if dialect != "perl"
            else before == ")" and part in ("*", "+", "{")
        ):
            return None
        made.append(part)
        at += 1
    return "".join(made)


def _reads_otherwise(part: str, before: str, behind: str) -> bool:
    """True if POSIX may take ``part`` for something else than Python does, or trying it may take long.

    Repetition of nothing or of a repetition, braces without numbers, and anchors elsewhere than at the ends.
    """
    if part in ("*", "+", "?", "{"):
        numbered = part != "{" or _NUMBERS.match(behind) is not None
        return not numbered or before in ("(", "|", "^", "*", "+", "?", "}") or (before == ")" and part != "?")
    if part == "^":
        return before not in ("(", "|")
    return part == "$" and behind != "" and behind[:2] not in ("\\)", "\\|") and behind[:1] not in (")", "|")


def _escaped(char: str, dialect: str) -> str:
    """Returns what ``\\char`` is in Python; empty where it is not known."""
    if dialect == "basic" and char and char in _OPERATORS:
        return char
    if char in ("<", ">"):
        return r"\b"
    known = char in _KNOWN or (dialect == "perl" and char in "dD")
    return "\\" + char if char and (known or not char.isalnum()) and char not in "`'" else ""


def _bracket(inside: str, dialect: str) -> str | None:
    """A bracket expression as Python writes it; ``inside`` is what is between the brackets."""
    if "[." in inside or "[=" in inside:
        return None
    negated = inside[:1] == "^"
    rest = inside[negated:]
    if dialect != "perl" and "\\" in rest:  # itself in POSIX, the beginning of an escape in awk
        return None
    for name, characters in _CLASSES.items():
        rest = rest.replace(f"[:{name}:]", characters)
    if "[:" in rest:
        return None
    kept = rest if "\\" in rest else rest.replace("[", "\\[")
    if kept[:1] == "]":
        kept = "\\" + kept
    return f"[{'^' if negated else ''}{kept}]"
