"""A rulebook as plain data and back: what the compiled cache keeps.

Rules of a program are only made when that program is asked about: most of a large policy is never touched by one check.
"""

from __future__ import annotations

import marshal

from execpolicy.core.canonical import canonical
from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.writes import WriteRule, WriteRules
from execpolicy.judge.rulebook import Rulebook
from execpolicy.safety.entries import restore
from execpolicy.safety.heuristics import Heuristics
from execpolicy.source import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_DECISIONS = (Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN)
_BUCKET = 64
"""Programs that share one blob: few enough to be read at once, many enough to keep the table small."""


def store(rulebook: Rulebook) -> bytes:
    """``rulebook`` as bytes. It must not fail closed: such a state is never kept."""
    paths: dict[str, int] = {}

    def place(where: Place | None) -> tuple[int, int] | None:
        return None if where is None else (paths.setdefault(where.path, len(paths)), where.line)

    policy = rulebook.policy
    rules: dict[str, list[tuple[Any, ...]]] = {}
    folded: dict[str, list[str]] = {}
    for program in policy.programs():
        for rule in policy.rules_for(program):
            if rule.pattern.first != program:
                continue
            rules.setdefault(program, []).append(
                (
                    rule.pattern.rest,
                    rule.pattern.canonical_matching,
                    int(rule.decision),
                    rule.justification,
                    place(rule.place),
                )
            )
            if rule.pattern.canonical_matching and program not in folded.setdefault(canonical(program), []):
                folded[canonical(program)].append(program)
    blobs: list[bytes] = []
    table: dict[str, int] = {}
    programs = list(rules)
    for start in range(0, len(programs), _BUCKET):
        group = programs[start : start + _BUCKET]
        table.update(dict.fromkeys(group, len(blobs)))
        blobs.append(marshal.dumps({program: rules[program] for program in group}))
    network = [(r.host, r.protocol, int(r.decision), r.justification, place(r.place)) for r in policy.network_rules]
    hosts = [(e.name, e.paths, place(e.place)) for e in policy.host_executables.values()]
    writes = [(r.paths, int(r.decision), r.justification, place(r.place)) for r in rulebook.writes.rules]
    entries = [(entry.kind, entry.arguments, place(entry.place)) for entry in rulebook.heuristics.entries]
    body = (
        list(paths),
        table,
        blobs,
        folded,
        network,
        hosts,
        writes,
        marshal.dumps(entries),
        sorted(rulebook.restricting),
    )
    return marshal.dumps(body)


def restored(data: bytes) -> Rulebook:
    """The rulebook that :func:`store` made ``data`` of."""
    paths, table, blobs, folded, network, hosts, writes, entries, restricting = marshal.loads(data)
    buckets = _Buckets(paths, table, blobs)
    policy = Policy.of_buckets(
        buckets,
        _Folded(buckets, folded) if folded else {},
        [NetworkRule(h, p, _DECISIONS[d], why, place=_place(paths, at)) for h, p, d, why, at in network],
        [HostExecutable(name, where, place=_place(paths, at)) for name, where, at in hosts],
    )
    heuristics = Heuristics(
        [restore(kind, arguments, _place(paths, at)) for kind, arguments, at in marshal.loads(entries)]
    )
    rules = WriteRules([WriteRule(g, _DECISIONS[d], why, place=_place(paths, at)) for g, d, why, at in writes])
    return Rulebook.of_parts(policy, heuristics, rules, frozenset(restricting))


def _place(paths: list[str], at: tuple[int, int] | None) -> Place | None:
    return None if at is None else Place(paths[at[0]], at[1])


class _Buckets(dict[str, tuple[PrefixRule, ...]]):
    """Rules by program, made when they are first asked for. Its keys are all programs from the start."""

    __slots__ = ("_blobs", "_paths", "_table")

    def __init__(self, paths: list[str], table: dict[str, int], blobs: list[bytes]) -> None:
        super().__init__()
        self._paths = paths
        self._table = table
        self._blobs = blobs

    def __missing__(self, program: str) -> tuple[PrefixRule, ...]:
        blob = self._table[program]
        for name, plain in marshal.loads(self._blobs[blob]).items():
            dict.__setitem__(self, name, tuple([self._rule(name, *fields) for fields in plain]))
        return dict.__getitem__(self, program)

    def _rule(
        self,
        first: str,
        rest: tuple[tuple[str, ...], ...],
        folded: bool,
        decision: int,
        justification: str | None,
        at: tuple[int, int] | None,
    ) -> PrefixRule:
        pattern = PrefixPattern(first, rest, canonical_matching=folded)
        return PrefixRule(pattern, _DECISIONS[decision], justification, place=_place(self._paths, at))

    def get(self, program: str, default: Any = None) -> Any:
        return self[program] if program in self._table else default

    def __contains__(self, program: object) -> bool:
        return program in self._table

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def keys(self) -> Any:
        return self._table.keys()


class _Folded(dict[str, tuple[PrefixRule, ...]]):
    """Canonical rules by the canonical key of their program, made when they are first asked for."""

    __slots__ = ("_buckets", "_programs")

    def __init__(self, buckets: _Buckets, programs: Mapping[str, list[str]]) -> None:
        super().__init__(dict.fromkeys(programs, ()))
        self._buckets = buckets
        self._programs = programs

    def get(self, key: str, default: Any = None) -> Any:
        programs = self._programs.get(key)
        if programs is None:
            return default
        return tuple(
            [rule for program in programs for rule in self._buckets[program] if rule.pattern.canonical_matching]
        )
