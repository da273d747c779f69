"""Calls of a function that the script defines: its body with the arguments of every call that there can be, as proof.

For restricting, the arguments of the calls that are seen are values of ``$1`` and its like (``filled``).
"""

from __future__ import annotations

from execpolicy.flow.functions import evaluates, runs_function
from execpolicy.flow.must import SPLITTING, cases_of, cases_with
from execpolicy.flow.streams import ScriptIndex
from execpolicy.shell.script import replace
from execpolicy.shell.vocabulary import SHIFTING
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command


def cases_in_calls(command: Command, facts: Facts) -> list[Command]:
    """A command in the body of a function, with ``"$1"`` and its like as each call in the script gives them.

    Empty where it is not known that these are all the calls, or what they give.
    """
    around = [part for part in command.context if part.startswith(("function:", "wrapper:"))]
    if len(around) != 1 or not command.words or not runs_function(command, facts):
        return []
    name = around[0].removeprefix("function:")
    calls = facts.once(_calls)
    if calls is None or facts.once(_shifts, name):
        return []
    found: list[Command] = []
    for other in calls.get(name, ()):
        for call in cases_of(other, facts) or [other]:
            bound = _bound(command.words, call.words[1:], facts)
            found += [replace(command, words=words) for words in bound]
            if not bound or len(found) > facts.limits.cases:
                return []
    return found


def _shifts(facts: Facts, name: str) -> bool:
    """True if something in the body of the function ``name`` may change its arguments."""
    body = [facts.script.commands[at] for at in facts.once(ScriptIndex).bodies.get(name, ())]
    return any(word.literal in SHIFTING for command in body for word in command.words)


def _calls(facts: Facts) -> dict[str, list[Command]] | None:
    """The commands that run each program by its name; ``None`` where there may be more than can be seen."""
    found: dict[str, list[Command]] = {}
    for command in facts.script.commands:
        if evaluates(command):
            return None
        program = command.words[0].literal if command.words else None
        if program is not None:
            found.setdefault(program, []).append(command)
    return found


def _bound(words: tuple[Word, ...], arguments: Sequence[Word], facts: Facts) -> list[tuple[Word, ...]]:
    """``words`` with the arguments of a call in place of the parameters; empty if that cannot be said."""
    if any(argument.literal is None and argument.many for argument in arguments):
        return []
    found: list[tuple[Word, ...]] = [words[:1]]
    for word in words[1:]:
        parameter = word.alone
        choices: Sequence[tuple[Word, ...]] = ((word,),)
        if parameter is None or not parameter.plain or not _is_argument(parameter.name):
            if any(piece.plain and _is_argument(piece.name) for piece in word.pieces):
                choices = cases_with(word, facts, arguments) or choices
        elif parameter.name == "@":
            if not parameter.quoted:
                return []
            choices = (tuple(arguments),)
        else:
            at = int(parameter.name) - 1
            argument = arguments[at] if at < len(arguments) else Word("", word.span)
            if not parameter.quoted:
                text = argument.literal
                if not text or not SPLITTING.isdisjoint(text) or facts.script.seen.resplit:
                    return []
            choices = ((argument,),)
        found = [(*before, *more) for before in found for more in choices]
        if len(found) > facts.limits.cases:
            return []
    return found


def _is_argument(name: str) -> bool:
    """True if ``name`` is that of an argument or of all of them."""
    return name == "@" or (name.isdigit() and len(name) < 4 and int(name) > 0)
