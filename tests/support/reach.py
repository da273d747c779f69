"""Test helper: whether a rule for a program sees a script, however it is spelled and whatever runs it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from execpolicy.flow.facts import Facts
from execpolicy.judge.restrictions import stricter_matches
from execpolicy.judge.rulebook import Rulebook
from execpolicy.programs.catalog import facts_of
from execpolicy.programs.unwrap import unwrap
from execpolicy.shell.read import read_script
from execpolicy.shell.script import Command, Script
from tests.support.judging import PLACE, rulebook

MAX_DEPTH = 20
EXAMPLES = Path(__file__).parents[1] / "data" / "records" / "examples.txt"


def examples_of_records() -> dict[str, str]:
    """A command line that makes it run ``rm x``, for the first name of each program that runs others."""
    lines = [line.partition(": ") for line in EXAMPLES.read_text("utf-8").splitlines()]
    return {name: example for name, _, example in lines}


def reaches(text: str, inner: Sequence[str], shell: str = "bash", *, depth: int = MAX_DEPTH) -> bool:
    """Whether a rule for the prefix ``inner`` would surely see some command of the script."""
    return _script(read_script(text, shell=shell), tuple(inner), MAX_DEPTH - depth)


@cache
def _forbidden(inner: tuple[str, ...]) -> Rulebook:
    return rulebook(f'prefix_rule({list(inner)}, decision="forbidden")', heuristics=False)


def _script(script: Script, inner: tuple[str, ...], depth: int) -> bool:
    facts = facts_of(script)
    return any(_command(command, facts, inner, depth) for command in facts.script.commands)


def _command(command: Command, facts: Facts, inner: tuple[str, ...], depth: int) -> bool:
    if depth > MAX_DEPTH:
        return False
    matches = stricter_matches(command, facts, _forbidden(inner), PLACE)
    if any(not match.possible for match in matches):
        return True
    for found in unwrap(command, facts):
        if found.script is not None and _script(found.script, inner, depth + 1):
            return True
        if found.command is not None and _command(found.command, facts, inner, depth + 1):
            return True
    return False
