"""The rules that a prompted script lacks, and the dangerous commands in it that no rule should allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from execpolicy.amend.save_plan import known_words, restricts
from execpolicy.core.decision import Decision
from execpolicy.judge.verdict import CommandVerdict, Verdict

Prefix: TypeAlias = tuple[str, ...]
Needs: TypeAlias = tuple[Prefix, ...] | None
"""The commands, with all words, that would have to be allowed; ``None`` if no suggestible rule helps."""

LONGEST = 4
"""The number of first words that identify a dangerous command."""


def needs_of(verdict: Verdict) -> Needs:
    """The commands of a prompted script that would need a rule; ``None`` if rules cannot help."""
    if verdict.script.status == "opaque" or verdict.blocks:
        return None
    found: dict[Prefix, None] = {}
    for command in verdict.commands:
        if not _collect(command, found):
            return None
    return tuple(found) or None


def dangers_of(verdict: Verdict) -> tuple[Prefix, ...]:
    """The first words of every command in the script that heuristics call dangerous."""
    return tuple(_dangers(verdict.commands))


def _dangers(commands: Sequence[CommandVerdict]) -> Iterator[Prefix]:
    for command in commands:
        if command.dangerous:
            yield known_words(command)[:LONGEST]
        yield from _dangers(command.inner)


def _collect(command: CommandVerdict, found: dict[Prefix, None]) -> bool:
    """Adds the commands of ``command`` that need a rule to ``found``; ``False`` if no rule helps."""
    if command.decision is Decision.ALLOW:
        return True
    if command.dangerous or any(map(restricts, command.matches)):
        return False
    if command.source == "wrapper" and command.inner:
        return all(_collect(inner, found) for inner in command.inner)
    words = known_words(command)
    if not words or len(words) < len(command.command.words):
        return False  # the rest is only known at run time
    found[words] = None
    return True
