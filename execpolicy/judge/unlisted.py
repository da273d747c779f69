"""What a command runs; of a program on no list what it is given: :mod:`execpolicy.judge.evidently_given`.

Of text that comes from where nobody follows it: :mod:`execpolicy.judge.run_from_elsewhere`.
"""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.programs.inner import TOLD
from execpolicy.programs.shelf import record_of
from execpolicy.programs.unwrap import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.handed_out import HandedOut
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_BUILTINS = names(
    "alias bind builtin caller compgen complete compopt declare dirs disown enable export fc fg bg getopts hash "
    "history let local logout mapfile nameref print printf readarray readonly setopt suspend trap typeset unalias "
    "unset unsetopt whence zstyle autoload bindkey zle"
)
"""Builtins of shells, which take no command that way."""


def run_by(command: Command, facts: Facts, rulebook: Rulebook, handed: HandedOut) -> tuple[Inner, ...]:
    """What ``command`` would run itself, one level deep; of an unlisted program what it is evidently given.

    Args:
        handed: which texts from elsewhere other commands got.
    """
    found = unwrap(command, facts)
    if not rulebook.restricting or TOLD in command.context:
        return found
    if command.words and (len(facts.script.commands) > 1 or facts.around is not None):
        from execpolicy.judge.run_from_elsewhere import run_from_elsewhere

        found = (*found, *run_from_elsewhere(command, facts, rulebook, found, handed))
    if len(command.words) < 2 or not rulebook.heuristics.knows_any:
        return found
    program = command.words[0].literal
    name = program[program.rfind("/") + 1 :] if program is not None else ""
    if program is None or name in _BUILTINS or name in facts.script.functions:
        return found
    from execpolicy.judge.said_by_names import said_by_names

    more = list(said_by_names(command, facts, rulebook))
    if not rulebook.heuristics.knows(name):
        from execpolicy.judge.evidently_given import given, marked, meant_whole

        unlisted = record_of(name) is None and record_of(name.rstrip("0123456789.-")) is None
        more += given(command, facts, rulebook) if unlisted else meant_whole(command, rulebook)
        more += marked(command, facts)
    return (*found, *[one for one in more if not one.opaque])
