"""Finds the rules that decide nothing, for all files together, so that all reported rules can be deleted at once.

A prompt or forbid rule covers the commands that it matches by meaning, as in the judge. A rule decides something if
there is a command that starts with its pattern and that no other rule covers. Rules are removed one after the other,
the most specific and the latest first. A removed rule no longer covers other rules, so that of two rules that cover
each other only one is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.core.text import canonical
from execpolicy.core.trie import TooManyAlternativesError
from execpolicy.lint.project import Idle, IdleAlternative, ListedRule, Project, RuleFile
from execpolicy.lint.shortest_spellings import telling_commands
from execpolicy.lint.survey import Kind, KnownCoverage
from execpolicy.programs.catalog import runners
from execpolicy.programs.names import base_name


class ProgramsApart:
    """The independent programs of a project, whose coverage is cached; none if patterns do not match literally.

    A program is independent if only its own rules match its commands: it runs none of its arguments and has no other
    name.
    """

    def __init__(self, project: Project) -> None:
        before = project.kept.coverage if project.kept is not None else {}
        self._members: dict[str, list[ListedRule]] = {}
        self._place: dict[int, int] = {}
        self._keys: dict[str, object] = {}
        for entry in project.entries if project.kept is not None and project.trie.is_as_written else ():
            members = self._members.setdefault(entry.rule.pattern.first, [])
            self._place[entry.index] = len(members)
            members.append(entry)
        for program in [each for each in self._members if project.sight.about_alone(each) is None]:
            del self._members[program]
        for program, members in self._members.items():
            self._keys[program] = program, tuple(_facts(members))
        self._known = {program: before[key] for program, key in self._keys.items() if key in before}

    def known(self, entry: ListedRule) -> tuple[KnownCoverage, int] | None:
        """The cached coverage of the program of ``entry``, and the place of ``entry`` in it; ``None`` if not cached."""
        known = self._known.get(entry.rule.pattern.first)
        return None if known is None else (known, self._place[entry.index])

    def at(self, entry: ListedRule, places: Iterable[int]) -> tuple[ListedRule, ...]:
        """The rules at ``places`` among the rules of the program of ``entry``."""
        members = self._members[entry.rule.pattern.first]
        return tuple([members[place] for place in places])

    def to_be_kept(
        self, idle: Mapping[int, Idle], alternatives: Iterable[IdleAlternative]
    ) -> dict[object, KnownCoverage]:
        """The coverage to cache for the next run."""
        found = {program: self._known.get(program) or KnownCoverage({}, {}) for program in self._members}
        for program, members in self._members.items():
            for place, entry in enumerate(members) if program not in self._known else ():
                one = idle.get(entry.index)
                if one is not None:
                    found[program].idle[place] = one.kind, self._places(one.by), one.by_meaning
        for each in alternatives:
            program = each.entry.rule.pattern.first
            if program in found and program not in self._known:
                of_rule = found[program].alternatives.setdefault(self._place[each.entry.index], [])
                of_rule.append((each.position, each.token, self._places(each.by), each.by_meaning))
        return {self._keys[program]: known for program, known in found.items()}

    def _places(self, entries: Iterable[ListedRule]) -> tuple[int, ...]:
        return tuple([self._place[entry.index] for entry in entries])


def _facts(members: Iterable[ListedRule]) -> Iterable[object]:
    """The facts that determine how rules of one program cover each other."""
    groups: dict[int, int] = {}
    for entry in members:
        rule, group = entry.rule, entry.group
        call = groups.setdefault(id(group), len(groups))
        yield rule.pattern.rest, rule.decision, rule.exact, rule.unless, call, group.alone


Counts: TypeAlias = Callable[[int], bool]

_MOST_NAMED = 20


class Coverage:
    """The analysis of one project.

    Attributes:
        idle: index of the entry to the reason that it is idle.
        alternatives: the idle alternatives, in the order of the entries.
    """

    def __init__(self, project: Project) -> None:
        self._entries = project.entries
        self._trie = project.trie
        self._sight = project.sight
        self._index_of = {id(entry.rule): entry.index for entry in self._entries}
        self._seen: dict[tuple[str, ...], list[int]] = {}
        self.idle: dict[int, Idle] = {}
        self.alternatives: list[IdleAlternative] = []
        self._identities = [_identity(entry.rule) for entry in self._entries]
        self._find_equal()
        self._apart = ProgramsApart(project)
        for entry in sorted(self._entries, key=lambda entry: (-len(entry.rule.pattern), -entry.index)):
            if entry.index not in self.idle and not self._recall_idle(entry):
                self._find_covered(entry)
        self._find_alternatives()
        if project.kept is not None:
            project.kept.coverage = self._apart.to_be_kept(self.idle, self.alternatives)

    def _find_equal(self) -> None:
        same: dict[object, list[ListedRule]] = {}
        for entry in self._entries:
            same.setdefault(self._identities[entry.index], []).append(entry)
        for entries in same.values():
            strictest = max(entry.rule.decision for entry in entries)
            keeper = next(entry for entry in entries if entry.rule.decision == strictest)
            for entry in entries:
                if entry.rule.decision < strictest:
                    self.idle[entry.index] = Idle("contradiction", (keeper,))
                elif entry is not keeper and not (entry.group is keeper.group and entry.group.alone):
                    # (a single call makes equal rules only by a repeated alternative, which EP101 reports)
                    self.idle[entry.index] = Idle("duplicate", (keeper,))

    def _recall_idle(self, entry: ListedRule) -> bool:
        """True if the result for ``entry`` is cached; takes the result over."""
        found = self._apart.known(entry)
        if found is None:
            return False
        known, place = found
        if place in known.idle:
            kind, by, by_meaning = known.idle[place]
            self.idle[entry.index] = Idle(kind, self._apart.at(entry, by), by_meaning)
        return True

    def _recall_alternatives(self, entry: ListedRule) -> list[IdleAlternative] | None:
        """The cached idle alternatives of ``entry``, last first; ``None`` if nothing is cached."""
        found = self._apart.known(entry)
        if found is None:
            return None
        known, place = found
        return [
            IdleAlternative(entry, position, token, self._apart.at(entry, by), by_meaning)
            for position, token, by, by_meaning in reversed(known.alternatives.get(place, []))
        ]

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

        pattern = entry.rule.pattern
        together = self._covering(entry, pattern, at_least)
        if together is None:
            return
        equal = self._covering(entry, pattern, lambda i: at_least(i) and self._entries[i].rule.decision == own)
        by = equal or together
        if by:
            kind: Kind = "inert" if equal is None else "subsumed"
            self.idle[entry.index] = Idle(kind, by, by_meaning=self._is_by_meaning(pattern, by))

    def _is_by_meaning(self, pattern: PrefixPattern, by: tuple[ListedRule, ...]) -> bool:
        """True if ``by`` do not cover ``pattern`` word by word."""
        indices = {each.index for each in by}
        return self._trie.uncovered(pattern, lambda index: index in indices) is not None

    def _find_alternatives(self) -> None:
        narrowed: set[int] = set()  # a rule that loses an alternative no longer covers others
        for entry in reversed(self._entries):
            pattern, own = entry.rule.pattern, entry.rule.decision
            if entry.index in self.idle or all(len(tokens) == 1 for tokens in pattern.rest):
                continue
            recalled = self._recall_alternatives(entry)
            if recalled is not None:
                self.alternatives += recalled
                narrowed.update([each.entry.index for each in recalled])
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
                    by = self._covering(entry, part, counts)
                    if by is not None:
                        narrowed.add(entry.index)
                        by = tuple(sorted(by, key=lambda other: other.rule.decision == own))
                        by_meaning = self._is_by_meaning(part, by)
                        self.alternatives.append(IdleAlternative(entry, place + 1, token, by, by_meaning))
        self.alternatives.reverse()

    def _covering(self, entry: ListedRule, pattern: PrefixPattern, counts: Counts) -> tuple[ListedRule, ...] | None:
        """A small set of rules that together cover ``pattern``, which is all or part of the pattern of ``entry``.

        Returns ``None`` if all rules together do not cover it.
        """
        chosen: list[int] = []
        try:
            if self._trie.uncovered(pattern, counts) is not None:
                return self._covering_by_meaning(entry, pattern, counts)
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
        self, entry: ListedRule, pattern: PrefixPattern, counts: Counts
    ) -> tuple[ListedRule, ...] | None:
        """The same with prompt and forbid rules matching by meaning."""
        rule = entry.rule
        if not self._sight.rules or pattern.canonical_matching:
            return None
        by_meaning = _by_meaning(rule)
        chosen: dict[int, None] = {}
        able_at_all = self._sight.candidates((pattern.first, *[tokens[0] for tokens in pattern.rest]))
        if able_at_all is not None and not any(counts(self._index_of[id(rule)]) for rule in able_at_all):
            return None
        for words in telling_commands(pattern, by_meaning=by_meaning):
            seeing = self._seeing(words)
            able = [index for index in seeing if counts(index)]
            if not able:
                if not by_meaning or entry.index in seeing:
                    return None
            elif not any(index in chosen for index in able):
                chosen[min(able, key=lambda index: len(self._entries[index].rule.pattern))] = None
        return tuple([self._entries[index] for index in chosen])

    def _seeing(self, words: tuple[str, ...]) -> list[int]:
        """The indices of the rules that match ``words``."""
        found = self._seen.get(words)
        if found is None:
            seeing = [self._index_of[id(rule)] for rule in self._sight.seeing(words)]
            found = self._seen[words] = [*seeing, *self._trie.accepting(words)]
        return found


def idle_rules(project: Project) -> dict[int, Idle]:
    """The rules of ``project`` that decide nothing, by index."""
    return _coverage(project).idle


def idle_in(file: RuleFile, project: Project, kind: Kind) -> Iterator[tuple[ListedRule, Idle]]:
    """Yields the rules of ``file`` that decide nothing for the reason ``kind``."""
    for entry in project.entries_of(file):
        idle = idle_rules(project).get(entry.index)
        if idle is not None and idle.kind == kind:
            yield entry, idle


def idle_alternatives(project: Project) -> list[IdleAlternative]:
    """The alternatives of ``project`` that decide nothing."""
    return _coverage(project).alternatives


def _coverage(project: Project) -> Coverage:
    found = project.analyses.get("coverage")
    if not isinstance(found, Coverage):
        found = project.analyses["coverage"] = Coverage(project)
    return found


def _sees_as_much(wide: ListedRule, narrow: ListedRule) -> bool:
    """True if ``wide`` matches by meaning or ``narrow`` does not.

    Otherwise only ``narrow`` matches the other spellings of a command.

    A rule with an exclusion matches as much only as a rule of the same length with the same exclusion. The command that
    a carrier runs depends on the words before it, which may vary as long as their meaning is the same.
    """
    as_long = len(wide.rule.pattern) == len(narrow.rule.pattern)
    if wide.rule.unless and not (as_long and wide.rule.unless == narrow.rule.unless):
        return False
    if not _by_meaning(narrow.rule):
        return True
    own, other = base_name(narrow.rule.pattern.first), base_name(wide.rule.pattern.first)
    return not _exact(wide.rule) and (own not in runners() or own == other)


def _by_meaning(rule: PrefixRule) -> bool:
    return rule.decision is not Decision.ALLOW and not _exact(rule)


def _exact(rule: PrefixRule) -> bool:
    """True if the rule is exact and its commands have other spellings: a program alone has none."""
    return rule.exact and len(rule.pattern) > 1


def _identity(rule: PrefixRule) -> object:
    """A key that is equal for rules that match the same commands."""
    pattern = rule.pattern
    if pattern.canonical_matching:
        keys = tuple([frozenset([canonical(token) for token in tokens]) for tokens in pattern.positions()])
        return keys, _exact(rule), rule.unless
    rest = tuple([tokens if len(tokens) == 1 else tuple(sorted(set(tokens))) for tokens in pattern.rest])
    return pattern.first, rest, _exact(rule), rule.unless
