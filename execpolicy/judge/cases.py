"""A command with the values that its words are proven to have: ``n=3; head -n "$n" f`` is ``head -n 3 f``."""

from __future__ import annotations

from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command

MAX_CASES = 24
"""More combinations than this are not tried: the command is then judged as it is written only."""


def cases_of(command: Command) -> list[Command]:
    """Every command that ``command`` can be; empty if that is not known or too much.

    The program is not replaced: one that is only known at run time is never granted.
    """
    if command.words[0].cases:
        return []
    found: list[tuple[Word, ...]] = [()]
    for word in command.words:
        fields = word.cases or ((word,),)
        if len(found) * len(fields) > MAX_CASES:
            return []
        found = [(*before, *more) for before in found for more in fields]
    return [command.with_words(words, assigns=True) for words in found]


_SPLITTING = frozenset(" \t\n*?[\\")
_MOVING = ("shift", "set", "getopts")
"""Anywhere in a command: there are many ways to write ``command shift``."""
_EVALUATING = ("eval", "source", ".", "trap")
"""Builtins that could call a function where nobody sees it (a rule may allow them)."""


def cases_in_calls(command: Command, facts: Facts) -> list[Command]:
    """A command in the body of a function, with ``"$1"`` and its like as each call in ``script`` gives them.

    Empty where it is not known that these are all the calls, or what they give.
    """
    from execpolicy.safety.heuristics import calls_function

    around = [part for part in command.context if part.startswith(("function:", "wrapper:"))]
    if len(around) != 1 or not command.words or not calls_function(command, facts):
        return []
    name = around[0].removeprefix("function:")
    found: list[Command] = []
    called = False
    for other in facts.script.commands:
        program = other.words[0].literal if other.words else None
        if _evaluates(other) or (around[0] in other.context and any(word.literal in _MOVING for word in other.words)):
            return []
        if program != name:
            continue
        called = True
        for call in cases_of(other) if any(word.cases for word in other.words) else [other]:
            words = _filled(command.words, call.words[1:], facts)
            if words is None or len(found) >= MAX_CASES:
                return []
            found.append(command.with_words(words, assigns=True))
        if not found:
            return []
    return found if called else []


def _evaluates(command: Command) -> bool:
    """Whether it is one of :data:`_EVALUATING`, perhaps behind ``command`` or ``builtin``.

    A program that is only known at run time is never granted, so that nothing else in the script is either.
    """
    program = command.words[0].literal if command.words else None
    if program in ("command", "builtin"):
        return any(word.literal in _EVALUATING for word in command.words)
    return program in _EVALUATING


def _filled(words: Sequence[Word], arguments: Sequence[Word], facts: Facts) -> tuple[Word, ...] | None:
    """``words`` with the parameters that stand alone replaced; ``None`` if that cannot be said."""
    if any(argument.literal is None and argument.many for argument in arguments):
        return None
    made: list[Word] = [words[0]]
    for word in words[1:]:
        raw = facts.script.text[word.span.start : word.span.end] if word.literal is None else ""
        quoted = len(raw) > 2 and raw[0] == raw[-1] == '"'
        bare = raw[1:-1] if quoted else raw
        if bare in ("$@", "${@}"):
            if not quoted:
                return None
            made.extend(arguments)
            continue
        digit = bare[1:2] if len(bare) == 2 else bare[2:3] if len(bare) == 4 and bare[1] == "{" else ""
        if not bare.startswith("$") or digit not in tuple("123456789") or bare not in ("$" + digit, "${" + digit + "}"):
            made.append(word)
            continue
        at = int(digit) - 1
        argument = arguments[at] if at < len(arguments) else Word("", word.span)
        if not quoted:
            text = argument.literal
            if not text or not _SPLITTING.isdisjoint(text) or "IFS" in facts.script.text:
                return None
        made.append(argument)
    return tuple(made)
