"""Which rules decide nothing, found once for all files, so that everything that is reported can be deleted at once.

Rules are taken out one after the other, the most specific and the latest first, and what is taken out no longer counts
for the others: of two rules that cover each other only one is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.text import canonical
from execpolicy.core.trie import TooManyAlternativesError
from execpolicy.lint.project import ListedRule, Project

_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Idle:
    """A rule that decides nothing, why, and the rules that decide instead of it."""

    kind: Literal["contradiction", "duplicate", "subsumed", "inert"]
    by: tuple[ListedRule, ...]


@dataclass(frozen=True, slots=True)
class IdleAlternative:
    """An alternative (``token`` at ``position`` of the pattern) that decides nothing, and the rules that do."""

    entry: ListedRule
    position: int
    token: str
    by: tuple[ListedRule, ...]


class Coverage:
    """The analysis of one project.

    Attributes:
        idle: by the index of the entry.
        alternatives: in the order of the entries.
    """

    def __init__(self, project: Project) -> None:
        self._entries = project.entries
        self._trie = project.trie
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
            same.setdefault((self._identities[entry.index], entry.rule.exact), []).append(entry)
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

        if self._uncovered(entry.rule.pattern, at_least):
            return
        by = self._covering(entry.rule.pattern, lambda i: at_least(i) and self._entries[i].rule.decision == own)
        if by is not None:
            self.idle[entry.index] = Idle("subsumed", by)
            return
        by = self._covering(entry.rule.pattern, at_least)
        if by is not None:
            self.idle[entry.index] = Idle("inert", by)

    def _uncovered(self, pattern: PrefixPattern, counts: Callable[[int], bool]) -> bool:
        """Whether the rules do not cover ``pattern``, or that is too hard to say."""
        try:
            return self._trie.uncovered(pattern, counts) is not None
        except TooManyAlternativesError:
            return True

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
                    by = self._covering(part, counts)
                    if by is not None:
                        narrowed.add(entry.index)
                        by = tuple(sorted(by, key=lambda other: other.rule.decision == own))
                        self.alternatives.append(IdleAlternative(entry, place + 1, token, by))
        self.alternatives.reverse()

    def _covering(self, pattern: PrefixPattern, counts: Callable[[int], bool]) -> tuple[ListedRule, ...] | None:
        """Rules that cover ``pattern`` together, as few as are easily found; ``None`` if all together do not."""
        chosen: list[int] = []
        try:
            if self._trie.uncovered(pattern, counts) is not None:
                return None
            while len(chosen) < _MOST_NAMED:
                witness = self._trie.uncovered(pattern, lambda index: index in chosen)
                if witness is None:
                    break
                able = [index for index in self._trie.accepting(witness) if counts(index)]
                chosen.append(min(able, key=lambda index: len(self._entries[index].rule.pattern)))
        except TooManyAlternativesError:
            return None
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
    """Whether ``wide`` sees by meaning if ``narrow`` does: other spellings of it are otherwise left to the latter."""
    return not wide.rule.exact or narrow.rule.exact or narrow.rule.decision is Decision.ALLOW


def _identity(pattern: PrefixPattern) -> object:
    """Equal for patterns that accept the same commands."""
    if pattern.canonical_matching:
        return True, tuple([frozenset([canonical(token) for token in tokens]) for tokens in pattern.positions()])
    return False, tuple([frozenset(tokens) for tokens in pattern.positions()])
