"""A policy as plain data and back, for prefix rules in the compiled cache.

Rules of a program are only made when that program is looked up: most of a large policy is never touched by one check.
"""

from __future__ import annotations

import marshal

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.rules_by_words import FEW_RULES
from execpolicy.core.text import canonical
from execpolicy.source import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeAlias

    At: TypeAlias = tuple[int, int] | None
    Keep: TypeAlias = Callable[[Place | None], At]
    Plain: TypeAlias = tuple[Any, ...]

DECISIONS = (Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN)
_BUCKET = 64
"""Programs that share one blob: few enough to be read at once, many enough to keep the table small."""


def plain_policy(policy: Policy, keep: Keep, form: int = marshal.version) -> Plain:
    """``policy`` as built-in values; ``keep`` turns a place into ``(index of its path, line)``."""
    rules: dict[str, list[tuple[Any, ...]]] = {}
    folded: dict[str, list[str]] = {}
    for program in policy.programs():
        for rule in policy.rules_for(program):
            pattern = rule.pattern
            if pattern.first != program:
                continue
            rules.setdefault(program, []).append(
                (
                    pattern.rest,
                    pattern.canonical_matching,
                    rule.decision.strictness,
                    rule.justification,
                    rule.exact,
                    rule.unless,
                    keep(rule.place),
                )
            )
            if pattern.canonical_matching and program not in folded.setdefault(canonical(program), []):
                folded[canonical(program)].append(program)
    blobs: list[bytes] = []
    table: dict[str, int] = {}
    programs = list(rules)
    for start in range(0, len(programs), _BUCKET):
        group = programs[start : start + _BUCKET]
        table.update(dict.fromkeys(group, len(blobs)))
        blobs.append(marshal.dumps({program: rules[program] for program in group}, form))
    network = [
        (r.host, r.protocol, r.decision.strictness, r.justification, r.sends, r.grants, r.ports_not, keep(r.place))
        for r in policy.network_rules
    ]
    hosts = [(e.name, e.paths, keep(e.place)) for e in policy.host_executables.values()]
    many = [program for program, about in rules.items() if len(about) > FEW_RULES]
    return (table, blobs, folded, many, network, hosts)


def policy_of(plain: Plain, paths: list[str]) -> Policy:
    """The policy that :func:`plain_policy` made ``plain`` of."""
    table, blobs, folded, many, network, hosts = plain
    buckets = _Buckets(paths, table, blobs)
    return Policy.of_buckets(
        buckets,
        _Folded(buckets, folded) if folded else {},
        many,
        [
            NetworkRule(
                host,
                protocol,
                DECISIONS[d],
                why,
                sends=sends,
                grants=grants,
                ports_not=ports,
                place=place_of(paths, at),
            )
            for host, protocol, d, why, sends, grants, ports, at in network
        ],
        [HostExecutable(name, where, place=place_of(paths, at)) for name, where, at in hosts],
    )


def restored_policy(data: bytes) -> Policy:
    """The policy of a stored rulebook, without looking at anything else in it."""
    paths, policy, *_ = marshal.loads(data)
    return policy_of(policy, paths)


def place_of(paths: list[str], at: At) -> Place | None:
    """The place that was kept as ``at``."""
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
        exact: bool,
        unless: tuple[str, ...],
        at: At,
    ) -> PrefixRule:
        pattern = PrefixPattern(first, rest, canonical_matching=folded)
        place = place_of(self._paths, at)
        return PrefixRule(pattern, DECISIONS[decision], justification, place=place, exact=exact, unless=unless)

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
