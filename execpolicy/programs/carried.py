"""Finds the commands that a program runs by its record, in every way that the record names."""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Iterator, Sequence

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import record_of
from execpolicy.programs.extractors import extractor
from execpolicy.programs.inner import Inner, run_command, run_unknown
from execpolicy.shell.limits import COMMAND, MANY_WORDS
from execpolicy.shell.script import Command, replace
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Carried: TypeAlias = Callable[[Command, Facts, str], Iterable[Inner]]
    """Commands that a program runs if it is called in this way, by its name."""

MANY_TIMES = 16
"""A wrapper that comes more often in a row is opened only a few times."""


def carried(command: Command, facts: Facts, name: str) -> Iterator[Inner]:
    """Yields what the program ``name`` runs when it is called as in ``command``."""
    record = record_of(name)
    if record is None:
        return
    if len(command.words) > MANY_WORDS:
        skipped = _repeated(command.words)
        if skipped:
            # Only the last of the same wrappers in a row are opened, and nothing is granted for it.
            rest = run_command(name, command, command.words[skipped:])
            yield from [rest, run_unknown(name, command, "runs itself many times over")]
            return
    if record.wraps:
        from execpolicy.programs.wrapped import wrapped

        for spec in record.wraps:
            yield from wrapped(name, spec, record.leading, command, facts)
    if record.runs:
        from execpolicy.programs.run_by_options import run_by_options

        yield from run_by_options(command, facts, name, record)
    if record.language and record.language != "shell":
        from execpolicy.programs.interpreted import interpreter

        yield from interpreter(command, facts, name, record)
    if record.extractor:
        yield from extractor(record.extractor)(command, facts, name, record)


def _repeated(words: Sequence[Word]) -> int:
    """How many words in front to leave out where the first words come again and again: ``sudo sudo …``."""
    for period in (1, 2, 3, 4):
        unit = [word.literal for word in words[:period]]
        if None in unit:
            return 0
        times = 1
        at = period
        while at + period <= len(words) and all(words[at + each].literal == unit[each] for each in range(period)):
            times += 1
            at += period
        if times > MANY_TIMES:
            return at - period * 4
    return 0


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
