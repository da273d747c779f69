"""Finds the commands that a program runs by its record, in every way that the record names."""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import record_of
from execpolicy.programs.extractors import extractor
from execpolicy.programs.inner import Inner, run_command, run_unknown
from execpolicy.shell.limits import MANY_WORDS
from execpolicy.shell.script import Command
from execpolicy.shell.words import Word

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
