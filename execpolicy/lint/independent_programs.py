"""Caches the coverage of independent programs, whose rules only rules of the same program can cover.

A program is independent if no rule of another program matches its commands: it runs none of its arguments and has no
other name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from execpolicy.lint.project import Idle, IdleAlternative, ListedRule, Project
from execpolicy.lint.survey import KnownCoverage


class ProgramsApart:
    """The independent programs of a project; none if patterns do not match their words literally."""

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
