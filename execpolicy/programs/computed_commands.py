"""Commands that a program text makes itself: ``system $1``, ``exec [string cat g it]``, ``x | getline``.

What such a command is, nobody sees. Where rules restrict some commands, a rule that allows the interpreter says nothing
of it.
"""

from __future__ import annotations

import re

from execpolicy.flow.tokens import tokens
from execpolicy.programs.letters import spelt_out
from execpolicy.programs.program_text import DEFINING, constants_given, running_calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from execpolicy.flow.tokens import Token

_TCL = re.compile(r"\b(?:exec|spawn|system)\s+(?:-\w+\s+)*\w*[\[$]|\bopen\s+[\"{]?\|\s*\w*[\[$]")
_FILLED = re.compile(r"\s*(?:[$@]\w|[$#]\{)")
"""What a text begins with that a language puts a value into: ``"$x push"``."""
_MOST_TOKENS = 200
_OPENING = frozenset(("(", "[", "{", "\n"))
_ENDING = frozenset((")", "]", "}", ";", ","))
_LOOPS = frozenset(("asyncio.run",))
"""Names that run a piece of the program, no command."""
_RUNNING_MODULES = ("child_process", "Bun", "Deno", "execa", "zx", "shelljs")
"""What programs in JavaScript have commands run by; ``exec`` is a method of patterns, too."""


def computed_commands(code: str, language: str) -> Iterator[str]:
    """For each call in ``code`` that runs what is no constant, the program, empty where that is none either."""
    if language == "tcl":
        yield from ["" for _ in _TCL.findall(code)[:1]]
        return
    if language == "javascript" and not any(module in code for module in _RUNNING_MODULES):
        return
    parts = tokens(spelt_out(code), language)
    values = constants_given(parts, language)
    for at in running_calls(parts):
        defined = at > 0 and parts[at - 1].value in DEFINING
        if not defined and parts[at].value not in _LOOPS:
            yield from _computed(parts, at + 1, values)
    for at, token in enumerate(parts):
        if token.kind == "run" and _FILLED.search(token.value):
            yield "" if _FILLED.match(token.value) else (token.value.split() or [""])[0]
        if token.kind == "|" and language == "awk" and _is_piped(parts, at, values):
            yield ""


def _computed(parts: Sequence[Token], at: int, values: Mapping[str, list[str]]) -> Iterator[str]:
    """The program of the call whose arguments start at ``at``, if one of them is no constant."""
    while at < len(parts) and parts[at].kind in _OPENING:
        at += 1
    if at >= len(parts) or parts[at].kind in _ENDING:
        return
    first = parts[at]
    if first.kind == "name" and at + 1 < len(parts) and parts[at + 1].kind == "=":  # args=["ls"]
        yield from _computed(parts, at + 2, values)
    elif first.kind == "name" and first.value.lstrip("$@") in values:
        return
    elif first.kind != "text" or _FILLED.match(first.value):
        yield ""
    elif _goes_on(parts, at, values):
        yield (first.value.split() or [""])[0]


def _goes_on(parts: Sequence[Token], at: int, values: Mapping[str, list[str]]) -> bool:
    """Whether something in the call that is no constant may be a word of the command whose first stands at ``at``."""
    depth = int(parts[at - 1].kind == "[")
    for here in range(at, min(at + _MOST_TOKENS, len(parts))):
        part = parts[here]
        depth += (part.kind in ("(", "[")) - (part.kind in (")", "]"))
        if depth < 0 or part.kind in (";", "\n", "}"):
            return False
        if part.kind == "text" and _FILLED.search(part.value):
            return True
        listed = depth > 0 or part.value[:1] in ("$", "@") or parts[here - 1].kind in ("+", ".", "%")
        if part.kind == "name" and listed and part.value.lstrip("$@") not in values:
            return True
    return False


def _is_piped(parts: Sequence[Token], at: int, values: Mapping[str, list[str]]) -> bool:
    """Whether awk's ``print | x`` or ``x | getline`` at ``at`` runs what is no constant."""
    before = parts[at - 1] if at else None
    behind = at + 1 + (at + 1 < len(parts) and parts[at + 1].kind == "&")
    if behind >= len(parts) or before is None or "|" in (before.kind, parts[behind].kind):
        return False
    if parts[behind].value == "getline":
        return before.kind != "text" and before.value not in values
    return parts[behind].kind != "text" and parts[behind].value not in values
