"""A shortest command that one rule decides and no other as strict does: what the rule is there for."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.judge.shortest_spellings import shortest, telling_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.rules import PrefixRule
    from execpolicy.judge.sight import RuleSight


def deciding_command(rule: PrefixRule, rules: Sequence[PrefixRule], sight: RuleSight) -> tuple[str, ...] | None:
    """A shortest command that ``rule`` decides and no other of ``rules`` as strict does.

    Args:
        rules: those in force, ``rule`` among them.
        sight: what those of them see that ask or forbid.

    Returns:
        ``None``: there is none; or there are too many spellings to tell.
    """
    by_meaning = rule.decision is not Decision.ALLOW and not rule.exact
    others = [other for other in rules if other is not rule and other.decision >= rule.decision]
    allowing = [other for other in others if other.decision is Decision.ALLOW]

    def decides(words: tuple[str, ...]) -> bool:
        seeing = sight.seeing(words)
        if by_meaning and all(each is not rule for each in seeing):
            return False
        if any(each is not rule and each.decision >= rule.decision for each in seeing):
            return False
        return not any(other.matched_prefix(words) for other in allowing)

    by_place = any(other.exact and other.pattern.first == rule.pattern.first for other in others)
    return shortest(telling_commands(rule.pattern, by_meaning=by_meaning, by_place=by_place), decides)
