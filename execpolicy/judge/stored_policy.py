"""A policy as plain data and back, for prefix rules in the compiled cache.

Rules of a program are made when that program is first looked up: most of a large policy is never touched by one check.
"""

from __future__ import annotations

import marshal

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.rules_by_words import FEW_RULES
from execpolicy.core.text import canonical
from execpolicy.resources import records_folder
from execpolicy.source import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    At: TypeAlias = tuple[str, int] | None
    Plain: TypeAlias = tuple[Any, ...]

DECISIONS = (Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN)
_BUCKET = 64
"""Programs that share one blob: few enough to be read at once, many enough to keep the table small."""
_BUILT_IN = "\0"
"""How the path of a file of the built-in layer begins, which lies elsewhere for everybody."""


def plain_policy(policy: Policy, form: int = marshal.version) -> Plain:
    """``policy`` as built-in values."""
    rules: dict[str, list[Plain]] = {}
    folded: dict[str, list[str]] = {}
    many: list[str] = []
    for program in policy.programs():
        own = [rule for rule in policy.rules_for(program) if rule.pattern.first == program]
        rules[program] = [_plain_rule(rule) for rule in own]
        if len(own) > FEW_RULES:
            many.append(program)
        if any(rule.pattern.canonical_matching for rule in own):
            folded.setdefault(canonical(program), []).append(program)
    programs = list(rules)
    buckets = [programs[start : start + _BUCKET] for start in range(0, len(programs), _BUCKET)]
    table = {program: at for at, bucket in enumerate(buckets) for program in bucket}
    blobs = [marshal.dumps({program: rules[program] for program in bucket}, form) for bucket in buckets]
    network = [
        (r.host, r.protocol, r.decision.strictness, r.justification, r.sends, r.grants, r.ports_not, at_of(r.place))
        for r in policy.network_rules
    ]
    hosts = [(e.name, e.paths, at_of(e.place)) for e in policy.host_executables.values()]
    return (table, blobs, folded, many, network, hosts)


def policy_of(plain: Plain) -> Policy:
    """The policy that :func:`plain_policy` made ``plain`` of."""
    table, blobs, folded, many, network, hosts = plain
    rules = _Rules(table, blobs)
    network_rules = [
        NetworkRule(host, protocol, DECISIONS[d], why, sends=sends, grants=grants, ports_not=ports, place=place_of(at))
        for host, protocol, d, why, sends, grants, ports, at in network
    ]
    executables = [HostExecutable(name, paths, place=place_of(at)) for name, paths, at in hosts]
    return Policy.of_buckets(rules, _Folded(folded, rules) if folded else {}, many, network_rules, executables)


def _plain_rule(rule: PrefixRule) -> Plain:
    pattern = rule.pattern
    kept = (pattern.rest, pattern.canonical_matching, rule.decision.strictness, rule.justification)
    return (*kept, rule.exact, rule.unless, at_of(rule.place))


def _rule(
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
    return PrefixRule(pattern, DECISIONS[decision], justification, place=place_of(at), exact=exact, unless=unless)


def at_of(place: Place | None) -> At:
    if place is None:
        return None
    folder = records_folder() + "/"
    path = place.path
    return (_BUILT_IN + path[len(folder) :] if path.startswith(folder) else path), place.line


def place_of(at: At) -> Place | None:
    if at is None:
        return None
    path, line = at
    return Place(f"{records_folder()}/{path[len(_BUILT_IN) :]}" if path.startswith(_BUILT_IN) else path, line)


def restored_policy(data: bytes) -> Policy:
    """The policy of a stored rulebook, without looking at anything else in it."""
    return policy_of(marshal.loads(data)[0])


class _Rules(dict[str, tuple[PrefixRule, ...]]):
    """Rules by program, made when that is first looked up. Its keys are all programs from the start."""

    __slots__ = ("_blobs",)

    def __init__(self, table: dict[str, Any], blobs: list[bytes]) -> None:
        super().__init__(table)
        self._blobs = blobs

    def __getitem__(self, program: str) -> tuple[PrefixRule, ...]:
        found: Any = super().__getitem__(program)
        if found.__class__ is int:  # the number of its blob
            for name, rules in marshal.loads(self._blobs[found]).items():
                self[name] = tuple([_rule(name, *fields) for fields in rules])
        return super().__getitem__(program)

    def get(self, program: str, default: Any = None) -> Any:
        if program not in self:
            return default
        return self[program]


class _Folded(dict[str, tuple[PrefixRule, ...]]):
    """Canonical rules by the canonical key of their program, made when they are looked up."""

    __slots__ = ("_rules",)

    def __init__(self, programs: dict[str, Any], rules: _Rules) -> None:
        super().__init__(programs)
        self._rules = rules

    def get(self, key: str, default: Any = None) -> Any:
        if key not in self:
            return default
        rules = [rule for program in self[key] for rule in self._rules[str(program)]]
        return tuple([rule for rule in rules if rule.pattern.canonical_matching])
