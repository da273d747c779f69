"""Test helper: whether a program is reached in a script through everything that `unwrap` and the views see."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import facts_of
from execpolicy.programs.names import names_matching
from execpolicy.programs.spellings import restrict_views
from execpolicy.programs.unwrap import unwrap
from execpolicy.shell.read import read_script
from execpolicy.shell.script import Command, Script

MAX_DEPTH = 20


def reaches(text: str, inner: Sequence[str], shell: str = "bash", *, depth: int = MAX_DEPTH) -> bool:
    """Whether a rule for the prefix ``inner`` would see some command of the script."""
    return _script(read_script(text, shell=shell), tuple(inner), MAX_DEPTH - depth)


def _script(script: Script, inner: tuple[str, ...], depth: int) -> bool:
    facts = facts_of(script)
    return any(_command(command, facts, inner, depth) for command in facts.script.commands)


def _command(command: Command, facts: Facts, inner: tuple[str, ...], depth: int) -> bool:
    if depth > MAX_DEPTH:
        return False
    for view in restrict_views(command.words, facts):
        literal = tuple(word.literal for word in view[: len(inner)])
        if literal == inner:
            return True
        program = view[0]
        if program.pattern and names_matching(program.pattern, inner[:1]) and literal[1:] == inner[1:]:
            return True
    for found in unwrap(command, facts):
        if found.script is not None and _script(found.script, inner, depth + 1):
            return True
        if found.command is not None and _command(found.command, facts, inner, depth + 1):
            return True
    return False
