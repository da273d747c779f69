"""The scripts that a script hands to shells, for those who look for what is written or assigned anywhere in them."""

from __future__ import annotations

from _collections_abc import Callable, Iterable

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner
from execpolicy.shell.limits import COMMAND
from execpolicy.shell.script import Command, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Carried: TypeAlias = Callable[[Command, Facts, str], Iterable[Inner]]
    """Commands that a program runs if it is called in this way, by its name."""

_SHELLS = word_set("bash sh dash zsh ksh mksh ash")
_EVALUATING = word_set("eval . source trap")
_MOST = 1_000
"""Scripts that are looked at."""


def with_inner_scripts(facts: Facts, carried: Carried) -> tuple[Facts, ...]:
    """``facts``, and those about the scripts that shells in it are given, and that shells in these are given."""
    found = [facts]
    for each in found:
        for command in each.script.commands:
            at = _reader(command)
            if at is not None and len(found) < _MOST and each.budget.spend(COMMAND):
                name = (command.words[at].literal or "").rpartition("/")[2]
                inners = carried(replace(command, words=command.words[at:], assignments=()), each, name)
                scripts = [inner.script for inner in inners if inner.script is not None]
                found += [each.within(script, command) for script in scripts if not each.is_within(script)]
    return tuple(found)


def _reader(command: Command) -> int | None:
    """Where the name of what reads a script is; behind wrappers, too: they are not asked what they run."""
    words = command.words
    if words and words[0].literal in _EVALUATING:
        return 0
    return next((at for at, word in enumerate(words) if (word.literal or "").rpartition("/")[2] in _SHELLS), None)
