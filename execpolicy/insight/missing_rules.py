"""What would have to be saved for a prompted script to be allowed, and what in it nobody should save."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch
from execpolicy.judge.verdict import CommandVerdict, Verdict

Prefix: TypeAlias = tuple[str, ...]
Needs: TypeAlias = tuple[Prefix, ...] | None
"""The commands, with all words, that would have to be allowed; ``None`` if no rule that could be suggested helps."""

LONGEST = 4
"""So many words say what a dangerous command does."""


def needs_of(verdict: Verdict) -> Needs:
    """The commands of a prompted script that would need a rule, if rules could help at all."""
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
    """Whether heuristics call it, or what it wraps, dangerous."""
    return command.opinion is not None and command.opinion.verdict == "dangerous"


def _add_dangers(commands: Sequence[CommandVerdict], found: list[Prefix]) -> None:
    for command in commands:
        if is_dangerous(command):
            found.append(tuple(_literal(command)[:LONGEST]))
        if command.inner:
            _add_dangers(command.inner, found)


def _collect(command: CommandVerdict, found: dict[Prefix, None]) -> bool:
    """Add what ``command`` needs; ``False`` if no rule helps."""
    if command.decision is Decision.ALLOW:
        return True
    for match in command.matches:
        if match.decision is not Decision.ALLOW and not isinstance(match, HeuristicsMatch):
            return False
    if is_dangerous(command):
        return False
    if command.source == "wrapper" and command.inner:
        return all(_collect(inner, found) for inner in command.inner)
    words = _literal(command)
    if not words or len(words) < len(command.command.words):
        return False  # what follows is only known at run time
    found[tuple(words)] = None
    return True


def _literal(command: CommandVerdict) -> list[str]:
    """Its words, up to the first that is only known at run time."""
    literal: list[str] = []
    for word in command.command.argv():
        if word is None:
            break
        literal.append(word)
    return literal
