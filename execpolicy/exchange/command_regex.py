"""Regular expressions over command lines, as far as they only list words: ``^git (status|log)( |$)``.

An allow of one command and nothing behind it: a rule covers whatever follows, so it becomes a ``safe_command``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from execpolicy.exchange.covered import Covered, exact, glob, loose, prefix, spelled
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.render import render_strings
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.resources import builtin_rules_folder


def exact_entry(words: Sequence[str], *, allowed_by: str) -> str | None:
    """The ``safe_command`` that accepts exactly ``words``; ``None`` if an entry cannot say it.

    Behind the first operand it reads all words as operands, so only the first may not look like an option.

    Args:
        allowed_by: the agent's own entry, which is the reason.
    """
    program, *rest = words
    text = spelled(words)
    if text is None or "/" in program or (rest and rest[0].startswith("-")):
        return None
    operands = "".join(f"{render_strings([word])}, " for word in rest).rstrip(", ")
    grammar = f"operands=[{operands}], permute=False, separator=False" if rest else 'operands="none", separator=False'
    name, reason = render_strings([f"imported: {text}"])[1:-1], render_strings([f"imported: {allowed_by}"])[1:-1]
    return (
        f"safe_command(name={name}, program={render_strings([program])}, reason={reason}, "
        f'{grammar}, dynamic="none", match={render_strings([text])})'
    )


def known_danger(words: Sequence[str]) -> bool:
    """Whether a built-in entry calls ``words`` dangerous: an entry that accepts them does not help then."""
    verdict = judge_script(read_command(tuple(words)), _builtin_rulebook(), Situation(cwd="/"))
    return any(one.opinion is not None and one.opinion.verdict == "dangerous" for one in verdict.commands)


@lru_cache(maxsize=1)
def _builtin_rulebook() -> Rulebook:
    options = LayerOptions(cwd="/", builtin_folder=builtin_rules_folder(), project=False)
    return Rulebook(load_layers(options).statements)


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
