"""The effect of a change of rules: every kind of command whose rule decision differs, with a shortest example.

The comparison is exhaustive, not sampled. The words that rules compare are finite, so the commands that each rule
matches are enumerated, with one word for all words that no rule distinguishes.

For every prompt or forbid rule that is new or gone, the shortest commands that mean it are added. If two sets of rules
differ, they differ on one of these, and no shorter command distinguishes them (see
:mod:`execpolicy.lint.shortest_spellings`). Commands that start with the words of one rule and mean another complete
the list, so that every kind of change has an example. Every reported decision is the judge's by these rules.

The module also lists the differences that are not decisions on commands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from execpolicy.core.decision import Decision
from execpolicy.core.exclusion import samples_of
from execpolicy.core.network import domains_of
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import PrefixRule
from execpolicy.core.text import canonical
from execpolicy.insight.tally import key_of, rule_text
from execpolicy.judge.rulebook import Rulebook
from execpolicy.lint.shortest_spellings import shortest, telling_commands
from execpolicy.lint.sight import RuleSight, shortest_restricted, spelled
from execpolicy.programs.catalog import runners
from execpolicy.programs.names import base_name


def other_changes(old: Rulebook, new: Rulebook) -> list[str]:
    """The network lists, host executables, entries and write rules that differ."""
    found: list[str] = []
    domains_before, domains_after = domains_of(old.policy.network_rules), domains_of(new.policy.network_rules)
    for what, before, after in zip(("allowed hosts", "denied hosts"), domains_before, domains_after, strict=True):
        found += [f"{what}: - {host}" for host in before if host not in after]
        found += [f"{what}: + {host}" for host in after if host not in before]
    hosts_before, hosts_after = old.policy.host_executables, new.policy.host_executables
    for name in sorted({*hosts_before, *hosts_after}):
        if hosts_before.get(name) != hosts_after.get(name):
            found.append(f"host executable: {name}")
    entries_before = {(e.kind, e.name): e.arguments for e in old.heuristics.entries}
    entries_after = {(e.kind, e.name): e.arguments for e in new.heuristics.entries}
    for kind, name in sorted({*entries_before, *entries_after}):
        if entries_before.get((kind, name)) != entries_after.get((kind, name)):
            found.append(f"{kind}: {name}")
    for sign, rules, others in (("-", old.writes.rules, new.writes.rules), ("+", new.writes.rules, old.writes.rules)):
        differing = [rule for rule in rules if rule not in others]
        found += [f"write rule: {sign} {rule.decision.word} {' '.join(rule.paths)}" for rule in differing]
    return found


_MOST_LEFT_OUT = 24
_NO_RULE = "no rule"
_MOST_OTHER = 16
_MOST_PAIRS = 20_000
"""The maximum number of rule pairs searched for commands that start like one rule and mean the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A kind of command whose decision differs.

    Attributes:
        example: a shortest argv of that kind.
        before: the strictest rule decision, made by ``rules_before``; ``None`` if no rule matched. ``after`` likewise.
    """

    example: tuple[str, ...]
    before: Decision | None
    after: Decision | None
    rules_before: tuple[PrefixRule, ...]
    rules_after: tuple[PrefixRule, ...]

    @property
    def direction(self) -> str:
        """``stricter`` or ``laxer``. Losing an allow rule is stricter, losing a prompt or forbid rule laxer."""
        return "stricter" if _weight(self.after) > _weight(self.before) else "laxer"

    def to_json(self) -> dict[str, Any]:
        """``{direction, example, before, after, rulesBefore, rulesAfter}``."""
        return {
            "direction": self.direction,
            "example": list(self.example),
            "before": None if self.before is None else self.before.word,
            "after": None if self.after is None else self.after.word,
            "rulesBefore": [rule_text(key_of(rule)) for rule in self.rules_before],
            "rulesAfter": [rule_text(key_of(rule)) for rule in self.rules_after],
        }

    def words(self) -> str:
        """The change as text: ``allow → prompt`` and the like."""
        before = _NO_RULE if self.before is None else self.before.word
        after = _NO_RULE if self.after is None else self.after.word
        return f"{before} → {after}"


def _weight(decision: Decision | None) -> float:
    """The strictness of a rule decision; ``None`` (no rule matched) is between *allow* and *prompt*."""
    return 0.5 if decision is None else decision.strictness


def policy_diff(before: Policy, after: Policy) -> tuple[Change, ...]:
    """Every kind of command that the prefix rules of the two policies decide differently, shortest examples first.

    A kind ends where another rule begins to matter. One changed rule therefore gives one change for each way in which
    the other rules already decide the commands that it matches.
    """
    walk = _Walk(before, after)
    kinds: dict[tuple[object, ...], Change] = {}
    by_words = sorted(walk.changes(), key=lambda each: each.example)
    by_meaning = sorted(walk.meant_changes(), key=lambda each: each.example)
    for change in sorted((*by_words, *by_meaning), key=lambda each: len(each.example)):  # the literal form wins
        key = (change.before, change.after, frozenset(change.rules_before), frozenset(change.rules_after))
        kinds.setdefault(key, change)
    return tuple(kinds.values())


class _Side:
    """One of two policies and its decisions."""

    def __init__(self, policy: Policy) -> None:
        self.rules = policy.rules
        self.hosts = tuple(policy.host_executables.values())
        self._policy = policy
        self._sight = RuleSight(policy.rules, self.hosts)

    def deciding(self, argv: tuple[str, ...]) -> tuple[Decision | None, tuple[PrefixRule, ...]]:
        """The decision of the rules for ``argv``, and the rules that make it."""
        found = [match.rule for match in self._policy.matches(argv)]
        found += [rule for rule in self._sight.seeing(argv) if all(rule is not other for other in found)]
        decision = max([rule.decision for rule in found], default=None)
        return decision, tuple([rule for rule in found if rule.decision is decision])


class _Walk:
    def __init__(self, before: Policy, after: Policy) -> None:
        self.before, self.after = _Side(before), _Side(after)
        self.rules = (*before.rules, *after.rules)
        kept = set(before.rules) & set(after.rules)
        self.changed = frozenset([index for index, rule in enumerate(self.rules) if rule not in kept])

    def meant_changes(self) -> Iterator[Change]:
        """Changes of commands that start with the words of one rule and mean another rule, which is new or gone."""
        examples: set[tuple[str, ...]] = set()
        for one, other in islice(self._pairs(), _MOST_PAIRS):
            found = shortest_restricted(one.pattern, other, self.before.hosts + self.after.hosts)
            examples.update([] if found is None else [found])
        for index in self.changed:
            if self.rules[index].decision is not Decision.ALLOW and not self.rules[index].exact:
                for words in spelled(self.rules[index].pattern, _MOST_OTHER):  # in words that no rule covers literally
                    examples.update([(*words[:at], "x", *words[at:]) for at in range(2, len(words))])
        examples.update(self._left_out())
        yield from filter(None, [self._change_by(self.rules[index]) for index in sorted(self.changed)])
        yield from filter(None, map(self._change, sorted(examples, key=lambda words: (len(words), words))))

    def _change_by(self, rule: PrefixRule) -> Change | None:
        """The change of a shortest command that means ``rule``, which is new or gone; ``None`` if there is none."""
        if rule.decision is Decision.ALLOW or rule.exact:
            return None
        commands = telling_commands(rule.pattern, by_meaning=True, by_place=True)
        found = shortest(commands, lambda words: self._change(words) is not None)
        return None if found is None else self._change(found)

    def _left_out(self) -> Iterator[tuple[str, ...]]:
        """Commands that an allow rule excludes, where it or another rule for the program changed."""
        entries: dict[str, dict[str, None]] = {}
        for rule in self.rules:
            entries.setdefault(rule.pattern.first, {}).update(dict.fromkeys(rule.unless))
        for program in {self.rules[index].pattern.first for index in self.changed}:
            samples = [sample for entry in entries[program] for sample in samples_of(entry)][:_MOST_LEFT_OUT]
            tails = [(one,) for one in samples] + [(one, other) for one in samples for other in samples if one != other]
            starts = {words for rule in self.rules if rule.pattern.first == program for words in spelled(rule.pattern)}
            yield from [(*words, *tail) for words in starts for tail in tails]

    def _pairs(self) -> Iterator[tuple[PrefixRule, PrefixRule]]:
        """Pairs of a rule and a prompt or forbid rule that may match a command that starts like it; one changed."""
        by_program: dict[str, list[int]] = {}
        anywhere: list[int] = []
        for index, rule in enumerate(self.rules):
            if rule.decision is not Decision.ALLOW:
                by_program.setdefault(base_name(rule.pattern.first).lower(), []).append(index)
                if rule.pattern.canonical_matching:
                    anywhere.append(index)
        everything = [index for indices in by_program.values() for index in indices]
        for at, one in enumerate(self.rules):
            first = base_name(one.pattern.first).lower()
            runs_others = first in runners() or one.pattern.canonical_matching
            for index in everything if runs_others else (*by_program.get(first, ()), *anywhere):
                if index != at and (at in self.changed or index in self.changed):
                    yield one, self.rules[index]

    def changes(self) -> Iterator[Change]:
        """Changes of commands as long as some rule: one example for all commands that no rule distinguishes."""
        by_program: dict[str, list[PrefixRule]] = {}
        for rule in self.rules:
            by_program.setdefault(canonical(rule.pattern.first), []).append(rule)
        changed: dict[str, list[PrefixRule]] = {}
        for index in sorted(self.changed):
            changed.setdefault(canonical(self.rules[index].pattern.first), []).append(self.rules[index])
        seen: set[tuple[str, ...]] = set()
        for program, rules in changed.items():
            for rule in by_program[program]:
                for words in _told_apart(rule.pattern, (), [each.pattern for each in by_program[program]]):
                    if words not in seen and any(each.matched_prefix(words) for each in rules):
                        seen.add(words)
                        yield from filter(None, [self._change(words)])

    def _change(self, argv: tuple[str, ...]) -> Change | None:
        (before, rules_before), (after, rules_after) = self.before.deciding(argv), self.after.deciding(argv)
        if before == after:
            return None
        while len(argv) > 1:
            old, new = self.before.deciding(argv[:-1]), self.after.deciding(argv[:-1])
            if (old[0], new[0]) != (before, after):
                break
            argv, rules_before, rules_after = argv[:-1], old[1], new[1]
        return Change(example=argv, before=before, after=after, rules_before=rules_before, rules_after=rules_after)


def _told_apart(pattern: PrefixPattern, words: tuple[str, ...], near: list[PrefixPattern]) -> Iterator[tuple[str, ...]]:
    """The commands that match ``pattern`` and begin with ``words``: one for all that ``near`` does not distinguish."""
    depth = len(words)
    if depth == len(pattern):
        yield words
        return
    longer = [other for other in near if len(other) > depth]
    tokens = dict.fromkeys(pattern.positions()[depth])
    if pattern.canonical_matching:
        keys = [canonical(token) for token in tokens]
        cases = [other for key in keys for other in (key, key.upper(), key.title(), key.swapcase())]
        written = [token for other in longer for token in other.positions()[depth]]
        tokens = dict.fromkeys([token for token in (*written, *cases) if pattern.accepts(depth, token)])
    alike: set[tuple[int, ...]] = set()
    for token in tokens:
        still = [other for other in longer if other.accepts(depth, token)]
        key = tuple(map(id, still))
        if key not in alike:
            alike.add(key)
            yield from _told_apart(pattern, (*words, token), still)
