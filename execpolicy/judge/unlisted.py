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
    if not command.words or not rulebook.heuristics.knows_any:
        return found
    program = command.words[0].literal
    name = program[program.rfind("/") + 1 :] if program is not None else ""
    if program is None or name in _BUILTINS or name in facts.script.functions:
        return found
    from execpolicy.judge.evidently_given import given, marked
    from execpolicy.judge.said_by_names import said_by_names
    from execpolicy.judge.spelt_out import MOST_WORDS, names_one, spelt_out

    known = rulebook.heuristics.knows(name)
    record = record_of(name) or record_of(name.rstrip("0123456789.-"))
    more = list(said_by_names(command, facts, rulebook))
    if record is None and not known:
        more += given(command, facts)
    lines: list[str] = []
    if not known or (record is not None and record.language):
        from execpolicy.programs.input_text import fed_lines

        lines = fed_lines(command, facts)[:MOST_WORDS]
    named = names_one(command, lines, facts, rulebook)
    if not known or (named and not _is_safe(command, facts, rulebook)):
        more += marked(command, lines, facts)
        if named:
            more += spelt_out(command, lines, facts, rulebook, known=known)
    return (*found, *[one for one in more if not one.opaque])


def _is_safe(command: Command, facts: Facts, rulebook: Rulebook) -> bool:
    """Whether an entry says so; a failure of ours, which the judge meets and tells itself, hides nothing here."""
    try:
        return rulebook.heuristics.opinion(command, facts).verdict == "safe"
    except Exception:
        return False
