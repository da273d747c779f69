"""Counts of decisions, rules and changes that add up: what a map step returns and a reduce step sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from execpolicy.core.decision import Decision
from execpolicy.insight.decisions import Decided, RuleKey

Change: TypeAlias = tuple[str, str]
"""The decision before and after, as words."""

_WORDS = (Decision.ALLOW.word, Decision.PROMPT.word, Decision.FORBIDDEN.word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often each decision was taken, each rule fired and each decision changed; in commands, not distinct ones.

    ``Tally()`` is zero, ``+`` adds, and so ``sum(tallies, Tally())`` and any tree of additions agree.
    """

    decisions: Counter[str] = field(default_factory=Counter)
    rules: Counter[RuleKey] = field(default_factory=Counter)
    changes: Counter[Change] = field(default_factory=Counter)

    @classmethod
    def of(cls, results: Iterable[tuple[tuple[Decided, ...], int]]) -> Tally:
        """Count ``results``: what one policy, or the policies before and after a change, say, and how often."""
        decisions: Counter[str] = Counter()
        rules: Counter[RuleKey] = Counter()
        changes: Counter[Change] = Counter()
        for decided, times in results:
            if not times:
                continue
            first = decided[0]
            decisions[_WORDS[first[0]]] += times
            for rule in first[1]:
                rules[rule] += times
            if len(decided) > 1 and decided[1][0] != first[0]:
                changes[_WORDS[first[0]], _WORDS[decided[1][0]]] += times
        return cls(decisions=decisions, rules=rules, changes=changes)

    @property
    def total(self) -> int:
        """Commands in all."""
        return self.decisions.total()

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            decisions=self.decisions + other.decisions,
            rules=self.rules + other.rules,
            changes=self.changes + other.changes,
        )

    def to_json(self) -> dict[str, Any]:
        """``{commands, decisions, rules, changes}``, most frequent first."""
        return {
            "commands": self.total,
            "decisions": {word: self.decisions[word] for word in _WORDS},
            "rules": [rule_json(rule, times) for rule, times in ranked(self.rules)],
            "changes": [{"before": b, "after": a, "commands": n} for (b, a), n in ranked(self.changes)],
        }


def rule_json(rule: RuleKey, times: int) -> dict[str, Any]:
    """``{place, decision, pattern, commands}``."""
    place, decision, pattern = rule
    return {"place": place, "decision": decision, "pattern": pattern, "commands": times}


def ranked(counts: Counter[Any]) -> list[tuple[Any, int]]:
    """Most frequent first; equal ones in the order of what they count."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
