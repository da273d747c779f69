"""Finds the commands that a program runs by its record, in every way that the record names."""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Iterator

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import record_of
from execpolicy.programs.extractors import extractor
from execpolicy.programs.inner import Inner
from execpolicy.shell.limits import COMMAND
from execpolicy.shell.script import Command, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Carried: TypeAlias = Callable[[Command, Facts, str], Iterable[Inner]]
    """Commands that a program runs if it is called in this way, by its name."""


def carried(command: Command, facts: Facts, name: str) -> Iterator[Inner]:
    """Yields what the program ``name`` runs when it is called as in ``command``."""
    record = record_of(name)
    if record is None:
        return
    if record.wraps:
        from execpolicy.programs.wrapped import wrapped

        for spec in record.wraps:
            yield from wrapped(name, spec, record.leading, command, facts)
    if record.runs:
        from execpolicy.programs.run_by_options import run_by_options

        yield from run_by_options(command, facts, name, record)
    if record.texts:
        from execpolicy.programs.marked_texts import marked_texts

        yield from marked_texts(command, facts, name, record)
    if record.language and record.language != "shell":
        from execpolicy.programs.interpreted import interpreter

        yield from interpreter(command, facts, name, record)
    if record.extractor:
        yield from extractor(record.extractor)(command, facts, name, record)


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
