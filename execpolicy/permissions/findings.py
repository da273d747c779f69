"""What a verdict comes to for the person who is asked: one line, and whether it may be settled without them."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch, PrefixMatch
from execpolicy.judge.verdict import CommandVerdict, Verdict
from execpolicy.permissions.judged import ORDINARY_BLOCKS


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


def what_settled_it(verdict: Verdict) -> tuple[str, str | None]:
    """A line for people, and the place of the rule or the name of the entry."""
    deciding = [match for match in verdict.matches if match.decision is verdict.decision]
    for match in deciding:
        if isinstance(match, HeuristicsMatch):
            continue
        place = match.rule.place
        rule_id = str(place) if place is not None else None
        shown = " ".join(match.prefix) if hasattr(match, "prefix") else match.path
        verb = {Decision.ALLOW: "allowed", Decision.PROMPT: "to be asked about", Decision.FORBIDDEN: "forbidden"}
        return match.rule.justification or f"`{shown}` is {verb[verdict.decision]} by a rule", rule_id
    if verdict.decision is Decision.ALLOW:
        return "known to be safe", "heuristics"
    for one in every_command(verdict.commands):
        if one.decision is verdict.decision and one.opinion is not None and one.opinion.verdict == "dangerous":
            name = getattr(one.opinion.entry, "name", None)
            return one.opinion.why, f"heuristics:{name}" if name else "heuristics"
    for block in (*verdict.blocks, *[block for one in every_command(verdict.commands) for block in one.blocks]):
        return block.detail, "heuristics"
    return "no rule allows it", None
