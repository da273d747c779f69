"""A shortest command that one rule decides and no other as strict does: what the rule is there for."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.trie import TooManyAlternativesError
from execpolicy.judge.shortest_spellings import telling_commands

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
    allowing = [other for other in rules if other is not rule and other.decision is Decision.ALLOW]
    best: tuple[str, ...] | None = None
    try:
        for words in telling_commands(rule.pattern, by_meaning=by_meaning):
            if best is not None and len(words) >= len(best):
                continue
            seeing = sight.seeing(words)
            if by_meaning and all(each is not rule for each in seeing):
                continue
            if any(each is not rule and each.decision >= rule.decision for each in seeing):
                continue
            if rule.decision is Decision.ALLOW and any(other.matched_prefix(words) for other in allowing):
                continue
            best = words
    except TooManyAlternativesError:
        return best
    return best
