"""Counts of decisions, rules and changes that add up: a map step returns them and a reduce step sums them.

Every form of history is read into a :class:`History`. The result for one command is plain data that can be sent between
processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch
from execpolicy.core.path_rules import PathRule
from execpolicy.core.quoting import join
from execpolicy.core.rules import NetworkRule, PrefixRule
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.suggest import Needs, Prefix, dangers_of, needs_of
from execpolicy.judge.command_verdict import EffectMatch
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.verdict import Verdict
from execpolicy.safety.dangers import DangerousCommand

Recorded: TypeAlias = str | tuple[str, ...]
"""A command in a history: a script, or an argv."""

RuleKey: TypeAlias = tuple[str, str, str]
"""A rule by place (``path:line``, or empty), decision and pattern."""

Decided: TypeAlias = tuple[int, tuple[RuleKey, ...], Needs, tuple[Prefix, ...]]
"""Decision, the rules that fired, the commands that need a rule, the dangerous commands in it."""


def shown(command: Recorded) -> str:
    """``command`` as shell text."""
    return command if isinstance(command, str) else join(command)


def rules_of(matches: Iterable[object]) -> Iterator[PrefixRule | PathRule | NetworkRule | DangerousCommand]:
    """The rules among ``matches``."""
    for match in matches:
        if isinstance(match, (PrefixMatch, EffectMatch)):
            yield match.rule


def key_of(rule: PrefixRule | PathRule | NetworkRule | DangerousCommand) -> RuleKey:
    """The name of ``rule`` in counts: the same in every process."""
    pattern = str(getattr(rule, "pattern", "")) or " ".join(getattr(rule, "paths", ())) or getattr(rule, "name", "")
    return ("" if rule.place is None else str(rule.place), rule.decision.word, pattern)


class HistoryDecider:
    """Decides commands under one policy, or under two to compare them. One per process."""

    def __init__(self, policies: Sequence[PortablePolicy], *, shell: str = "bash") -> None:
        self.shell = shell
        self._policies = [(policy.rulebook(), policy.situation()) for policy in policies]
        self._keys: dict[int, tuple[object, RuleKey]] = {}

    def verdicts(self, command: Recorded) -> tuple[Verdict, ...]:
        """The verdict of each policy; the command is read once."""
        script = read_command(command, shell=self.shell)
        return tuple([judge_script(script, rulebook, situation) for rulebook, situation in self._policies])

    def decide(self, command: Recorded) -> tuple[Decided, ...]:
        """The verdicts as plain data."""
        return tuple([self.reduced(verdict) for verdict in self.verdicts(command)])

    def reduced(self, verdict: Verdict) -> Decided:
        """One verdict as plain data."""
        fired = dict.fromkeys([self._key(rule) for command in verdict.commands for rule in rules_of(command.matches)])
        needs = needs_of(verdict) if verdict.decision is Decision.PROMPT else None
        return (verdict.decision.strictness, tuple(fired), needs, dangers_of(verdict))

    def _key(self, rule: PrefixRule | PathRule | NetworkRule | DangerousCommand) -> RuleKey:
        known = self._keys.get(id(rule))
        if known is None:
            known = self._keys[id(rule)] = (rule, key_of(rule))  # holds the rule, so that no other object gets its id
        return known[1]


_MOST_PROBLEMS = 20


@dataclass(slots=True, kw_only=True)
class History:
    """Commands and how often each was given. Histories add up.

    Attributes:
        counts: occurrences of each distinct command.
        calls: occurrences of each call that has a name; a resumed session repeats its calls, and they are counted once.
        broken: lines that could not be read.
        problems: the first of them, as ``path:line: reason``.
        other: records without a command, such as answers and outputs in a transcript.
    """

    counts: Counter[Recorded] = field(default_factory=Counter)
    broken: int = 0
    problems: list[str] = field(default_factory=list)
    calls: Counter[tuple[str, Recorded]] = field(default_factory=Counter)
    other: int = 0

    @property
    def repeated(self) -> int:
        """The number of repeated records of calls."""
        return self.calls.total() - len(self.calls)

    def add(self, other: History) -> None:
        """Adds the counts of ``other``."""
        known = self.calls.keys() & other.calls.keys()
        self.counts.update(other.counts)
        self.counts.subtract([command for _, command in known])
        self.calls.update(other.calls)
        self.broken += other.broken
        self.problems += other.problems[: _MOST_PROBLEMS - len(self.problems)]
        self.other += other.other

    def plain(self) -> tuple[object, ...]:
        """The argument of :meth:`from_plain`, as plain data."""
        return (dict(self.counts), dict(self.calls), self.broken, self.problems, self.other)

    @classmethod
    def from_plain(cls, plain: tuple[Any, ...]) -> History:
        """The history that ``plain`` was made from."""
        counts, calls, broken, problems, other = plain
        return cls(counts=Counter(counts), calls=Counter(calls), broken=broken, problems=problems, other=other)

    def fail(self, path: str, line: int | str, reason: str, times: int = 1) -> None:
        """Counts a line that cannot be read."""
        self.broken += times
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(f"{path}:{line}: {reason}")


Change: TypeAlias = tuple[str, str]
"""The decision before and after, as words."""

WORDS = (Decision.ALLOW.word, Decision.PROMPT.word, Decision.FORBIDDEN.word)


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
        """Counts ``results``: decisions of one policy, or of the policies before and after a change, and how often."""
        decisions: Counter[str] = Counter()
        rules: Counter[RuleKey] = Counter()
        changes: Counter[Change] = Counter()
        for decided, times in results:
            if not times:
                continue
            first = decided[0]
            decisions[WORDS[first[0]]] += times
            for rule in first[1]:
                rules[rule] += times
            if len(decided) > 1 and decided[1][0] != first[0]:
                changes[WORDS[first[0]], WORDS[decided[1][0]]] += times
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
            "decisions": {word: self.decisions[word] for word in WORDS},
            "rules": [rule_json(rule, times) for rule, times in ranked(self.rules)],
            "changes": [{"before": b, "after": a, "commands": n} for (b, a), n in ranked(self.changes)],
        }


def rule_text(rule: RuleKey) -> str:
    """``path:line: decision `pattern```."""
    place, decision, pattern = rule
    return f"{place}: {decision} `{pattern}`" if place else f"{decision} `{pattern}`"


def rule_json(rule: RuleKey, times: int) -> dict[str, Any]:
    """``{place, decision, pattern, commands}``."""
    place, decision, pattern = rule
    return {"place": place, "decision": decision, "pattern": pattern, "commands": times}


def ranked(counts: Counter[Any]) -> list[tuple[Any, int]]:
    """Most frequent first; equal ones in the order of what they count."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
