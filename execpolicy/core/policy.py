"""An immutable set of rules, and the evaluation of an argv against it."""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Mapping, Sequence

from execpolicy import validators
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import HostResolution, resolve_executable
from execpolicy.core.matches import Evaluation, HeuristicsMatch, PrefixMatch, RuleMatch
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.rules_by_words import FEW_RULES, IndexedRules
from execpolicy.core.text import canonical
from execpolicy.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias, TypeVar

    Argv: TypeAlias = Sequence[str]
    Fallback: TypeAlias = Callable[[Argv], Decision]
    Statement: TypeAlias = PrefixRule | NetworkRule | HostExecutable
    _Kind = TypeVar("_Kind", PrefixRule, NetworkRule, HostExecutable)

_NONE: tuple[PrefixRule, ...] = ()
_NOTHING_FOLDED: Mapping[str, tuple[PrefixRule, ...]] = {"": _NONE}
"""A marker: there are no canonical rules, but ``_few`` does not hold every rule."""


class Policy:
    """Prefix rules indexed by program, network rules and host executables, in the order they were written.

    A policy never changes: :meth:`with_statements` and :meth:`merged` return new ones.
    """

    __slots__ = ("_by_canonical", "_by_program", "_few", "_rules", "host_executables", "network_rules")

    network_rules: tuple[NetworkRule, ...]
    host_executables: Mapping[str, HostExecutable]
    _rules: tuple[PrefixRule, ...] | None
    _by_program: Mapping[str, tuple[PrefixRule, ...]]
    _by_canonical: Mapping[str, tuple[PrefixRule, ...]]
    _few: Mapping[str, tuple[PrefixRule, ...]]
    """As ``_by_program``, except that programs with many rules have an index instead."""

    def __init__(
        self,
        rules: Iterable[PrefixRule] = (),
        network_rules: Iterable[NetworkRule] = (),
        host_executables: Iterable[HostExecutable] = (),
    ) -> None:
        if network_rules.__class__ is not tuple or network_rules:
            network_rules = _only(NetworkRule, network_rules)
        if host_executables.__class__ is not tuple or host_executables:
            host_executables = _only(HostExecutable, host_executables)
        if rules.__class__ in _APART:
            raise _no_statement(rules, "PrefixRule")
        by_program: dict[str, tuple[PrefixRule, ...]] = {}
        by_canonical: dict[str, tuple[PrefixRule, ...]] = {}
        grouped: dict[str, list[PrefixRule]] = {}
        try:
            in_order = tuple(rules)
            for rule in in_order:
                grouped.setdefault(rule.pattern.first, []).append(rule)
        except (AttributeError, TypeError):
            raise _no_statement(rules, "PrefixRule") from None
        for program, group in grouped.items():
            by_program[program] = tuple(group)
            folded = [rule for rule in group if rule.pattern.canonical_matching]
            if folded:
                key = canonical(program)
                by_canonical[key] = by_canonical.get(key, ()) + tuple(folded)
        many = [program for program, rules in by_program.items() if len(rules) > FEW_RULES]
        self._put(in_order, by_program, by_canonical, many, network_rules, host_executables)

    def _put(
        self,
        rules: tuple[PrefixRule, ...] | None,
        by_program: Mapping[str, tuple[PrefixRule, ...]],
        by_canonical: Mapping[str, tuple[PrefixRule, ...]],
        many: Sequence[str],
        network_rules: Iterable[NetworkRule],
        host_executables: Iterable[HostExecutable],
    ) -> None:
        put = object.__setattr__
        put(self, "_rules", rules)
        put(self, "_by_program", by_program)
        put(self, "_by_canonical", by_canonical)
        if many:
            put(self, "_few", IndexedRules(by_program, many))
            put(self, "_by_canonical", by_canonical or _NOTHING_FOLDED)
        else:
            put(self, "_few", by_program)
        put(self, "network_rules", tuple(network_rules))
        put(self, "host_executables", {entry.name: entry for entry in host_executables})

    @classmethod
    def of_buckets(
        cls,
        by_program: Mapping[str, tuple[PrefixRule, ...]],
        by_canonical: Mapping[str, tuple[PrefixRule, ...]],
        many: Sequence[str],
        network_rules: Iterable[NetworkRule],
        host_executables: Iterable[HostExecutable],
    ) -> Policy:
        """A policy from an existing index, which may create its rules on demand.

        Args:
            by_program: rules by exact program token, each bucket in order of definition.
            by_canonical: the canonical rules among them by the canonical key of that token.
            many: the programs with many rules.
        """
        policy = object.__new__(cls)
        policy._put(None, by_program, by_canonical, many, network_rules, host_executables)
        return policy

    @property
    def rules(self) -> tuple[PrefixRule, ...]:
        """Every prefix rule: in order of definition, or program by program for a policy of buckets."""
        if self._rules is None:
            found = tuple([rule for program in self._by_program for rule in self._by_program[program]])
            object.__setattr__(self, "_rules", found)
            return found
        return self._rules

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a policy never changes: use with_statements() or merged() instead of setting `{name}`")

    @classmethod
    def of(cls, statements: Iterable[Statement]) -> Policy:
        """The policy that holds ``statements``; a later host executable replaces an earlier one of the same name."""
        rules: list[PrefixRule] = []
        network: list[NetworkRule] = []
        hosts: list[HostExecutable] = []
        for statement in statements:
            if isinstance(statement, PrefixRule):
                rules.append(statement)
            elif isinstance(statement, NetworkRule):
                network.append(statement)
            elif isinstance(statement, HostExecutable):
                hosts.append(statement)
            else:
                raise _no_statement(statement, "PrefixRule, NetworkRule or HostExecutable")
        return cls(rules, network, hosts)

    def with_statements(self, *statements: Statement) -> Policy:
        """A policy that also contains ``statements``; this one is unchanged."""
        return self.merged(Policy.of(statements))

    def merged(self, overlay: Policy) -> Policy:
        """This policy with ``overlay`` on top: its rules come last, and its host executables replace equal names."""
        return Policy(
            self.rules + overlay.rules,
            self.network_rules + overlay.network_rules,
            [*self.host_executables.values(), *overlay.host_executables.values()],
        )

    def check(
        self, argv: Argv, *, fallback: Fallback | None = None, resolution: HostResolution | None = None
    ) -> Evaluation:
        """Every rule that matches ``argv``; if no rule matches, the decision of the fallback.

        Args:
            argv: program and arguments; an empty argv matches nothing.
            fallback: called if no rule matches; without it the evaluation is then empty.
            resolution: if set, a program path that no rule mentions is matched by its base name.

        Raises:
            UsageError: ``argv`` is not a list of texts, or the fallback is not a function.
        """
        return self.check_multiple((argv,), fallback=fallback, resolution=resolution)

    def check_multiple(
        self, commands: Iterable[Argv], *, fallback: Fallback | None = None, resolution: HostResolution | None = None
    ) -> Evaluation:
        """The matches of every command in order; the decision is the strictest of all.

        Raises:
            UsageError: ``commands`` is not a list of lists of texts, or the fallback is not a function.
        """
        found: list[RuleMatch] = []
        if fallback is not None and not callable(fallback):
            raise UsageError(f"the fallback must be a function, not {validators.shown(fallback)}")
        if commands.__class__ not in _LISTS:
            commands = validators.listed(commands, "what is checked", "commands")
        for argv in commands:
            if not _usual(argv):
                argv = _words(argv)
            matches = self.matches(argv, resolution=resolution)
            if matches:
                found.extend(matches)
            elif fallback is not None:
                found.append(HeuristicsMatch(tuple(argv), fallback(argv)))
        return Evaluation(tuple(found))

    def matches(self, argv: Argv, *, resolution: HostResolution | None = None) -> tuple[PrefixMatch, ...]:
        """Every rule that matches ``argv``: the exact bucket in order, then other canonical spellings in order.

        The base name is only tried if no rule matched the program as written (source: Codex 0.169 to 0.171).
        """
        if not argv:
            return ()
        if argv.__class__ is str:
            _words(argv)
        found = self._matches_as_written(argv)
        if found:
            return tuple(found)
        if resolution is None:
            return ()
        resolved = self.resolved(argv[0], resolution)
        if resolved is None:
            return ()
        path, name = resolved
        renamed = (name, *argv[1:])
        return tuple([
            PrefixMatch(match.prefix, match.rule, path)
            for match in self._matches_as_written(renamed)
            if self.gate_open(match.rule, path)
        ])  # fmt: skip

    def gate_open(self, rule: PrefixRule, path: str) -> bool:
        """False if ``rule`` is canonical and a host executable for its own spelling does not list ``path``."""
        if not rule.pattern.canonical_matching:
            return True
        entry = self.host_executables.get(rule.pattern.first)
        return entry is None or path in entry.paths

    def _matches_as_written(self, argv: Argv) -> list[PrefixMatch]:
        candidates = self._few.get(argv[0], _NONE)
        if self._by_canonical:
            candidates = (*candidates, *self._other_candidates(argv))
        found: list[PrefixMatch] = []
        for rule in candidates:
            pattern = rule.pattern
            if pattern.matches_rest(argv) and (not rule.unless or rule.counts_for(argv)):
                found.append(PrefixMatch(tuple(argv[: pattern.length]), rule))
        return found

    def _other_candidates(self, argv: Argv) -> Sequence[PrefixRule]:
        """The rules that may match a program with many rules, then the rules of other canonical spellings."""
        found: list[PrefixRule] = self._few.candidates(argv) if isinstance(self._few, IndexedRules) else []
        if self._by_canonical is not _NOTHING_FOLDED:
            folded = self._by_canonical.get(canonical(argv[0]), _NONE)
            found += [rule for rule in folded if rule.pattern.first != argv[0]]
        return found

    def rules_for(self, program: str) -> tuple[PrefixRule, ...]:
        """The rules whose program token is ``program`` or canonically equal to it, in the order of :meth:`matches`."""
        exact = self._by_program.get(program, _NONE)
        if not self._by_canonical:
            return exact
        folded = self._by_canonical.get(canonical(program), _NONE)
        return exact + tuple([rule for rule in folded if rule.pattern.first != program])

    def has_other_spellings(self, program: str) -> bool:
        """True if a rule may match ``program`` although its own token is spelled differently."""
        return bool(self._by_canonical) and canonical(program) in self._by_canonical

    def resolved(self, program: str, resolution: HostResolution) -> tuple[str, str] | None:
        """The path and base name of a program that may be matched by its base name; ``None`` if it may not."""
        found = resolve_executable(program, cwd=resolution.cwd, home=resolution.home)
        if found is not None:
            entry = self.host_executables.get(found[1])
            if entry is not None and found[0] not in entry.paths:
                return None
        return found

    def programs(self) -> Iterable[str]:
        """The program tokens that rules start with, in order of first appearance."""
        return self._by_program.keys()

    def allowed_prefixes(self) -> tuple[tuple[str, ...], ...]:
        """The prefixes of allow rules without exclusions, alternatives as ``[a|b]``, sorted, without duplicates."""
        allowed = [rule.pattern for rule in self.rules if rule.decision is Decision.ALLOW and not rule.unless]
        shown = [[p[0] if len(p) == 1 else f"[{'|'.join(p)}]" for p in pattern.positions()] for pattern in allowed]
        return tuple(sorted(set(map(tuple, shown))))

    def _identity(self) -> tuple[object, ...]:
        return (self.rules, self.network_rules, tuple(sorted((n, e.paths) for n, e in self.host_executables.items())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"Policy({len(self.rules)} rules, {len(self.network_rules)} network rules)"


def _only(kind: type[_Kind], statements: Iterable[_Kind]) -> tuple[_Kind, ...]:
    try:
        found = tuple(statements)
    except TypeError:
        raise _no_statement(statements, kind.__name__) from None
    if statements.__class__ in _APART:
        raise _no_statement(statements, kind.__name__)
    if not {kind}.issuperset(map(type, found)):
        raise _no_statement(next(one for one in found if type(one) is not kind), kind.__name__)
    return found


def _no_statement(given: object, expected: str) -> UsageError:
    return UsageError(f"a policy is made of values of {expected}, not of {validators.shown(given)}")


_LISTS, _TEXT, _APART = frozenset((tuple, list)), frozenset((str,)), frozenset((str, bytes, dict))


def _usual(argv: Any) -> bool:
    """True if the argument is a tuple or a list of texts."""
    kind: object = argv.__class__
    return kind in _LISTS and _TEXT.issuperset(map(type, argv))


def _words(given: object) -> tuple[str, ...]:
    """The words of a command that is not a plain tuple or list of texts; raises for anything else."""
    return validators.argv(given, "what a policy judges")
