"""What would have to be saved for a prompted script to be allowed, and what in it nobody should save."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from execpolicy.amend.prefix import reusable_prefix
from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.judge.verdict import CommandVerdict, Verdict

Prefix: TypeAlias = tuple[str, ...]
Needs: TypeAlias = tuple[Prefix, ...] | None
"""The prefixes that would all have to be allowed; ``None`` if no rule that could be suggested helps."""

LONGEST = 4
"""Words of the longest prefix that :func:`execpolicy.amend.prefix.reusable_prefix` gives."""


def needs_of(verdict: Verdict) -> Needs:
    """The prefixes that the commands of a prompted script would need, if rules could help at all."""
    if verdict.script.status == "opaque" or verdict.blocks:
        return None
    found: dict[Prefix, None] = {}
    for command in verdict.commands:
        if not _collect(command, found):
            return None
    return tuple(found) or None


def dangers_of(verdict: Verdict) -> tuple[Prefix, ...]:
    """The first words of every command in the script that heuristics call dangerous."""
    return tuple([tuple(_literal(one)[:LONGEST]) for one in _every(verdict.commands) if is_dangerous(one)])


def is_dangerous(command: CommandVerdict) -> bool:
    """Whether heuristics call it, or what it wraps, dangerous."""
    return command.opinion is not None and command.opinion.verdict == "dangerous"


def _every(commands: Sequence[CommandVerdict]) -> Iterator[CommandVerdict]:
    for command in commands:
        yield command
        yield from _every(command.inner)


def _collect(command: CommandVerdict, found: dict[Prefix, None]) -> bool:
    """Add what ``command`` needs; ``False`` if no rule helps."""
    if command.decision is Decision.ALLOW:
        return True
    if any(not isinstance(m, HeuristicsMatch) and m.decision is not Decision.ALLOW for m in command.matches):
        return False
    if is_dangerous(command):
        return False
    if command.source == "wrapper" and command.inner:
        return all(_collect(inner, found) for inner in command.inner)
    prefix = reusable_prefix(_literal(command))
    if prefix is None:
        return False
    found[prefix] = None
    return True


def _literal(command: CommandVerdict) -> list[str]:
    """Its words, up to the first that is only known at run time."""
    literal: list[str] = []
    for word in command.command.argv():
        if word is None:
            break
        literal.append(word)
    return literal
