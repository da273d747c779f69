"""Which rules decide nothing, found once for all files, so that everything that is reported can be deleted at once.

A rule that asks or forbids covers what it sees by meaning, as the judge says; the command that shows that a rule does
decide something is one that starts with its pattern.

Rules are taken out one after the other, the most specific and the latest first, and what is taken out no longer counts
for the others: of two rules that cover each other only one is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import HostExecutable, PrefixRule
from execpolicy.core.text import canonical
from execpolicy.core.trie import TooManyAlternativesError
from execpolicy.judge.sight import RuleSight, means_no_other, spelled
from execpolicy.lint.project import ListedRule, Project

_MOST_NAMED = 20
_MOST_SPELLED = 64


@dataclass(frozen=True, slots=True)
class Idle:
    """A rule that decides nothing, why, and the rules that decide instead of it.

    Attributes:
        by_meaning: they do for what they mean, which Codex does not look at.
    """

    kind: Literal["contradiction", "duplicate", "subsumed", "inert"]
    by: tuple[ListedRule, ...]
    by_meaning: bool = False


@dataclass(frozen=True, slots=True)
class IdleAlternative:
    """An alternative (``token`` at ``position`` of the pattern) that decides nothing, and the rules that do."""

    entry: ListedRule
    position: int
    token: str
    by: tuple[ListedRule, ...]
    by_meaning: bool


class Coverage:
    """The analysis of one project.

    Attributes:
        idle: by the index of the entry.
        alternatives: in the order of the entries.
    """

    def __init__(self, project: Project) -> None:
        self._entries = project.entries
        self._trie = project.trie
        hosts = [each for file in project.files for group in file.groups for each in group.statements]
        self._sight = RuleSight(
            [entry.rule for entry in self._entries], [host for host in hosts if isinstance(host, HostExecutable)]
        )
        self._index_of = {id(entry.rule): entry.index for entry in self._entries}
        self.idle: dict[int, Idle] = {}
        self.alternatives: list[IdleAlternative] = []
        self._identities = [_identity(entry.rule.pattern) for entry in self._entries]
        self._find_equal()
        for entry in sorted(self._entries, key=lambda entry: (-len(entry.rule.pattern), -entry.index)):
            if entry.index not in self.idle:
                self._find_covered(entry)
        self._find_alternatives()

    def _find_equal(self) -> None:
        same: dict[object, list[ListedRule]] = {}
        for entry in self._entries:
            same.setdefault((self._identities[entry.index], entry.rule.exact, entry.rule.unless), []).append(entry)
        for entries in same.values():
            strictest = max(entry.rule.decision for entry in entries)
            keeper = next(entry for entry in entries if entry.rule.decision == strictest)
            for entry in entries:
                if entry.rule.decision < strictest:
                    self.idle[entry.index] = Idle("contradiction", (keeper,))
                elif entry is not keeper and not (entry.group is keeper.group and entry.group.alone):
                    # (a single call makes equal rules only by a repeated alternative, which is EP101)
                    self.idle[entry.index] = Idle("duplicate", (keeper,))

    def _find_covered(self, entry: ListedRule) -> None:
        own, identity = entry.rule.decision, self._identities[entry.index]

        def at_least(index: int) -> bool:
            return (
                index != entry.index
                and index not in self.idle
                and self._entries[index].rule.decision >= own
                and self._identities[index] != identity
                and _sees_as_much(self._entries[index], entry)
            )

        pattern, rule = entry.rule.pattern, entry.rule
        if self._covering(pattern, rule, at_least) is None:
            return
        equal = self._covering(pattern, rule, lambda i: at_least(i) and self._entries[i].rule.decision == own)
        by = equal or self._covering(pattern, rule, at_least)
        if by is not None:
            kind: Literal["inert", "subsumed"] = "inert" if equal is None else "subsumed"
            self.idle[entry.index] = Idle(kind, by, by_meaning=self._is_by_meaning(pattern, by))

    def _is_by_meaning(self, pattern: PrefixPattern, by: tuple[ListedRule, ...]) -> bool:
        """Whether ``by`` do not cover ``pattern`` word by word."""
        indices = {each.index for each in by}
        return self._trie.uncovered(pattern, lambda index: index in indices) is not None

    def _find_alternatives(self) -> None:
        narrowed: set[int] = set()  # rules that lose an alternative count for no other any more
        for entry in reversed(self._entries):
            pattern, own = entry.rule.pattern, entry.rule.decision
            if entry.index in self.idle or all(len(tokens) == 1 for tokens in pattern.rest):
                continue

            def counts(index: int, entry: ListedRule = entry) -> bool:
                other = self._entries[index]
                if other.group is entry.group or index in self.idle or index in narrowed:
                    return False
                return other.rule.decision >= entry.rule.decision and _sees_as_much(other, entry)

            for place, tokens in enumerate(pattern.rest):
                for token in dict.fromkeys(tokens) if len(set(tokens)) > 1 else ():
                    rest = (*pattern.rest[:place], (token,), *pattern.rest[place + 1 :])
                    part = PrefixPattern(pattern.first, rest, canonical_matching=pattern.canonical_matching)
                    by = self._covering(part, entry.rule, counts)
                    if by is not None:
                        narrowed.add(entry.index)
                        by = tuple(sorted(by, key=lambda other: other.rule.decision == own))
                        by_meaning = self._is_by_meaning(part, by)
                        self.alternatives.append(IdleAlternative(entry, place + 1, token, by, by_meaning))
        self.alternatives.reverse()

    def _covering(
        self, pattern: PrefixPattern, rule: PrefixRule, counts: Callable[[int], bool]
    ) -> tuple[ListedRule, ...] | None:
        """Rules that cover ``pattern``, which is of ``rule``, together, as few as are easily found.

        ``None``: all together do not.
        """
        chosen: list[int] = []
        try:
            if self._trie.uncovered(pattern, counts) is not None:
                return self._covering_by_meaning(pattern, rule, counts)
            while len(chosen) < _MOST_NAMED:
                witness = self._trie.uncovered(pattern, lambda index: index in chosen)
                if witness is None:
                    break
                able = [index for index in self._trie.accepting(witness) if counts(index)]
                chosen.append(min(able, key=lambda index: len(self._entries[index].rule.pattern)))
        except TooManyAlternativesError:
            return None
        return tuple([self._entries[index] for index in chosen])

    def _covering_by_meaning(
        self, pattern: PrefixPattern, rule: PrefixRule, counts: Callable[[int], bool]
    ) -> tuple[ListedRule, ...] | None:
        """The same, where rules that ask or forbid see what they mean; a command that starts so only says more."""
        if not self._sight.rules or pattern.canonical_matching:
            return None
        if rule.decision is not Decision.ALLOW and not rule.exact and not means_no_other(pattern):
            return None
        chosen: dict[int, None] = {}
        all_spelled = spelled(pattern, _MOST_SPELLED + 1)
        if len(all_spelled) > _MOST_SPELLED:
            return None
        for words in all_spelled:
            seeing = [self._index_of[id(seen)] for seen in self._sight.seeing(words)]
            able = [index for index in (*seeing, *self._trie.accepting(words)) if counts(index)]
            if not able:
                return None
            if not any(index in chosen for index in able):
                chosen[min(able, key=lambda index: len(self._entries[index].rule.pattern))] = None
        return tuple([self._entries[index] for index in chosen])


def idle_rules(project: Project) -> dict[int, Idle]:
    """The rules of ``project`` that decide nothing, by index."""
    return _coverage(project).idle


def idle_alternatives(project: Project) -> list[IdleAlternative]:
    """The alternatives of ``project`` that decide nothing."""
    return _coverage(project).alternatives


def _coverage(project: Project) -> Coverage:
    found = project.analyses.get("coverage")
    if not isinstance(found, Coverage):
        found = project.analyses["coverage"] = Coverage(project)
    return found


def _sees_as_much(wide: ListedRule, narrow: ListedRule) -> bool:
    """Whether ``wide`` sees by meaning if ``narrow`` does: other spellings of it are otherwise left to the latter.

    One that leaves something out sees as much only as one that leaves out the same, and is as long.
    """
    if wide.rule.unless and not (wide.rule.unless == narrow.rule.unless and _as_long(wide, narrow)):
        return False
    return not wide.rule.exact or narrow.rule.exact or narrow.rule.decision is Decision.ALLOW


def _as_long(wide: ListedRule, narrow: ListedRule) -> bool:
    return len(wide.rule.pattern) == len(narrow.rule.pattern)


def _identity(pattern: PrefixPattern) -> object:
    """Equal for patterns that accept the same commands."""
    if pattern.canonical_matching:
        return True, tuple([frozenset([canonical(token) for token in tokens]) for tokens in pattern.positions()])
    return False, tuple([frozenset(tokens) for tokens in pattern.positions()])
