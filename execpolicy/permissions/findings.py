"""What a verdict comes to for the person who is asked: what settled it, and whether it may be settled without them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch, PrefixMatch
from execpolicy.permissions.judged import ORDINARY_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.judge.verdict import CommandVerdict, Verdict


def every_command(verdicts: Sequence[CommandVerdict]) -> list[CommandVerdict]:
    """The verdicts on commands, and on what those run."""
    found: list[CommandVerdict] = []
    for verdict in verdicts:
        found.append(verdict)
        found += every_command(verdict.inner)
    return found


def for_a_person(verdict: Verdict) -> bool:
    """Whether a person has to be asked each time."""
    return any(isinstance(match, PrefixMatch) and match.rule.human_only for match in verdict.matches)


def is_dangerous(verdict: Verdict) -> bool:
    """Whether something in it is known to destroy or to let others in."""
    return any(
        one.opinion is not None and one.opinion.verdict == "dangerous" for one in every_command(verdict.commands)
    )


def is_not_understood(verdict: Verdict) -> bool:
    """Whether something may hide in it."""
    blocks = [*verdict.blocks, *[block for one in every_command(verdict.commands) for block in one.blocks]]
    return any(block.code not in ORDINARY_BLOCKS for block in blocks) or not verdict.commands


def settled_by(verdict: Verdict) -> str | None:
    """The place of the rule or the name of the entry that settled it; ``None`` if nothing did."""
    for match in verdict.matches:
        if match.decision is verdict.decision and not isinstance(match, HeuristicsMatch):
            return None if match.rule.place is None else str(match.rule.place)
    if verdict.decision is Decision.ALLOW:
        return "heuristics"
    commands = every_command(verdict.commands)
    for one in commands:
        if one.decision is verdict.decision and one.opinion is not None and one.opinion.verdict == "dangerous":
            name = getattr(one.opinion.entry, "name", None)
            return f"heuristics:{name}" if name else "heuristics"
    return "heuristics" if verdict.blocks or any(one.blocks for one in commands) else None
