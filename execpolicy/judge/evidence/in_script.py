"""Commands that a script puts together of words that it holds, where what runs is only known at run time.

``a=(push git); "${a[1]}" "${a[0]}"``, ``push() { git $FUNCNAME; }; push``: nobody follows all that a shell does with
arrays, matches and parts. Where all words of what a rule restricts stand in what the script holds as data, that counts
for the rule; texts of several words are prose, or are found whole.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from execpolicy.core.decision import Decision
from execpolicy.core.text import names
from execpolicy.judge.evidence.restricted import restricted
from execpolicy.programs.inner import run_argv
from execpolicy.shell.limits import COMMAND, STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_HOLDING = names(
    "set declare typeset local export readonly printf print echo read eval alias hash [[ test [ let : shift "
    "sh bash dash ksh zsh mksh"
)
"""Builtins, and shells, whose words a script holds as data."""
_MOST_WORDS = 2
"""Words of a text that is no prose."""
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
_PART = re.compile(r"[A-Za-z0-9]+")


def in_script(command: Command, facts: Facts, rulebook: Rulebook) -> Iterator[Inner]:
    """What rules restrict of whose words ``command`` may be made."""
    held = facts.outermost.once(_held) | facts.once(_held)
    program = command.words[0].literal
    if program in rulebook.restricting:
        yield from _filled(command, held, rulebook)
        return
    for argv in restricted(held, rulebook):
        if len(argv) > 1 and facts.budget.spend(COMMAND):
            yield run_argv(command.words[0].written, command, argv, evidence=True)


def _filled(command: Command, held: Set[str], rulebook: Rulebook) -> Iterator[Inner]:
    """What a call of a program that rules restrict may be, with words of the script for those only known then."""
    program, *words = command.words
    for rule in rulebook.policy.rules_for(program.literal or ""):
        argv = [program.literal or ""]
        for position, word in zip_longest(rule.pattern.rest, words[: len(rule.pattern.rest)]):
            if word is None and words and words[-1].many:
                word = words[-1]
            literal = None if word is None else word.literal
            argv += [
                each for each in position if each == literal or (word and literal is None and each.lower() in held)
            ][:1]
        if rule.decision is not Decision.ALLOW and len(argv) == rule.pattern.length > 1:
            yield run_argv(argv[0], command, argv, evidence=True)


def _held(facts: Facts) -> frozenset[str]:
    """The words in small letters, and backwards, that the script holds as data."""
    found = {name.lower() for name in facts.script.functions}
    for command in facts.script.commands:
        if not facts.budget.spend(STEP):
            break
        for word in _data(command, facts):
            texts = [word.literal] if word.literal is not None else [one for each in facts.values(word) for one in each]
            for text in [*texts, word.written] if word.literal is None else texts:
                if len(text.split()) <= _MOST_WORDS:
                    found.update(_WORD.findall(text.lower()))
                    found.update(_PART.findall(text.lower()))
    for span in facts.script.seen.conditions:
        found.update(_PART.findall(facts.script.text[span.start : span.end].lower()))
    return frozenset(found | {word[::-1] for word in found})


def _data(command: Command, facts: Facts) -> Iterator[Word]:
    for one in command.assignments:
        yield from one.items
        if one.value is not None:
            yield one.value
    if command.body is not None:
        yield command.body
    name = command.words[0].literal if command.words else None
    if name is None or name in _HOLDING or name in facts.script.functions:
        yield from command.words
