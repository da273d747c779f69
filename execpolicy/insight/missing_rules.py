"""The rules that a prompted script lacks, and the dangerous commands in it that no rule should allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from execpolicy.amend.save_plan import known_words
from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch
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
    found: list[Prefix] = []
    _add_dangers(verdict.commands, found)
    return tuple(found)


def is_dangerous(command: CommandVerdict) -> bool:
    """True if heuristics call it, or a command that it wraps, dangerous."""
    return command.opinion is not None and command.opinion.verdict == "dangerous"


def _add_dangers(commands: Sequence[CommandVerdict], found: list[Prefix]) -> None:
    for command in commands:
        if is_dangerous(command):
            found.append(known_words(command)[:LONGEST])
        if command.inner:
            _add_dangers(command.inner, found)


def _collect(command: CommandVerdict, found: dict[Prefix, None]) -> bool:
    """Adds the commands of ``command`` that need a rule to ``found``; ``False`` if no rule helps."""
    if command.decision is Decision.ALLOW:
        return True
    for match in command.matches:
        if match.decision is not Decision.ALLOW and not isinstance(match, HeuristicsMatch):
            return False
    if is_dangerous(command):
        return False
    if command.source == "wrapper" and command.inner:
        return all(_collect(inner, found) for inner in command.inner)
    words = known_words(command)
    if not words or len(words) < len(command.command.words):
        return False  # the rest is only known at run time
    found[words] = None
    return True
