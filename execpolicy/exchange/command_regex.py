"""Regular expressions over command lines, as far as they only list words: ``^git (status|log)( |$)``."""

from __future__ import annotations

import re
from typing import Literal

from execpolicy.exchange.covered import Covered, exact, glob, loose, prefix

_ENDINGS: tuple[tuple[str, Literal["prefix", "exact"]], ...] = (
    ("(?: |$)", "prefix"),
    ("( |$)", "prefix"),
    ("(?:\\s|$)", "prefix"),
    ("(\\s|$)", "prefix"),
    ("($|\\s)", "prefix"),
    ("($| )", "prefix"),
    ("(\\s.*)?$", "prefix"),
    ("(?:\\s.*)?$", "prefix"),
    ("( .*)?$", "prefix"),
    ("(?: .*)?$", "prefix"),
    ("$", "exact"),
)
_SPECIAL = "\\^$.|?*+()[]{}"
_BLANKS = re.compile(r"(?<!\\)(?:\\s| )\+|(?<!\\)\\s(?![*?{])")
_LONGEST = 2_000
_MOST = 64
"""Alternatives that are written out."""


def of_regex(expression: str, *, anchored: bool = False) -> tuple[Covered, ...]:
    """What a regular expression covers that is looked for anywhere in a command, or at its start if ``anchored``."""
    why = "it is a regular expression, and a rule compares whole words"
    if not anchored and not expression.startswith("^"):
        return (loose("", why),)
    body = expression.removeprefix("^")
    if len(body) > _LONGEST:
        return (loose("", why),)
    ending: Literal["prefix", "exact", "open"] = "open"
    for text, kind in _ENDINGS:
        if body.endswith(text) and not body.endswith("\\" + text):
            body, ending = body.removesuffix(text), kind
            break
    body = _BLANKS.sub(" ", body)
    if ending == "open":
        body = body.removesuffix(".*")
    texts = _expanded(body)
    if texts is None or not all(text.strip() for text in texts):
        return (loose(_literal_start(body), why),)
    if ending == "open":
        return tuple(glob(text + "*", trailing="required") for text in texts)
    return tuple((prefix if ending == "prefix" else exact)(text) for text in texts)


def _expanded(body: str) -> list[str] | None:
    """The texts that ``body`` stands for; ``None`` if it holds more than literals and groups of alternatives."""
    texts = [""]
    at = 0
    while at < len(body):
        if body[at] == "(":
            end = body.find(")", at)
            if end < 0:
                return None
            inside = body[at + 1 : end].removeprefix("?:")
            choices = [_unescaped(choice) for choice in inside.split("|")]
            at = end + 1
        else:
            end = at + (2 if body[at] == "\\" else 1)
            choices = [_unescaped(body[at:end])]
            at = end
        if body[at : at + 1] in ("?", "*", "+", "{") or None in choices:
            return None
        texts = [text + choice for text in texts for choice in choices if choice is not None]
        if len(texts) > _MOST:
            return None
    return texts


def _unescaped(text: str) -> str | None:
    """The literal text that ``text`` matches, ``None`` if it matches anything else as well."""
    found, at = "", 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
            char = text[at : at + 1]
            if not char or char.isalnum():
                return None
        elif char in _SPECIAL:
            return None
        found += char
        at += 1
    return found


def _literal_start(body: str) -> str:
    """What everything that ``body`` matches surely begins with."""
    end = 0
    while end < len(body) and body[end] not in _SPECIAL:
        end += 1
    if body[end : end + 1] in ("?", "*", "+", "{"):
        end -= 1
    return "" if "|" in body else body[: max(end, 0)]
