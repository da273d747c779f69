"""Everything that a decision is made of, as one immutable value."""

from __future__ import annotations

from execpolicy import validators
from execpolicy.core.decision import Decision
from execpolicy.core.path_rules import ReadRule, ReadRules, WriteRule, WriteRules
from execpolicy.core.policy import Policy
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.judge.command_verdict import Block
from execpolicy.programs.meaning import rules_by_meaning
from execpolicy.safety import dangers
from execpolicy.safety import entries as entries_module
from execpolicy.safety.heuristics import Heuristics
from execpolicy.shell.words import literal_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from execpolicy.judge.grounds import Reach
    from execpolicy.judge.verdict import Verdict
    from execpolicy.programs.meaning.rules_by_meaning import MeantRule, RulesByMeaning
    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand

    Entry: TypeAlias = SafeCommand | DangerousCommand
    Statement: TypeAlias = PrefixRule | NetworkRule | HostExecutable | WriteRule | ReadRule | Entry
    from execpolicy.shell.script import Command


class Withheld:
    """Rules that would decide if they were in force.

    Attributes:
        fault: the first rule file that could not be read, and why: ``path:line: message``; ``None`` if there is none.
    """

    __slots__ = ("_find", "_policy", "_remedies", "fault")

    def __init__(
        self, fault: str | None = None, find: Callable[[], Sequence[tuple[PrefixRule, str]]] | None = None
    ) -> None:
        """``find`` gives the allow rules that do not count, each with what makes it count; asked once, when needed."""
        self.fault = fault
        self._find = find
        self._policy: Policy | None = None
        self._remedies: dict[int, str] = {}

    def blocks(self, command: Command, *, safe: bool, silent: bool) -> tuple[Block, ...]:
        """Returns what is in the way of ``command``, which is not allowed.

        Args:
            safe: it would be allowed, but for the fault.
            silent: nothing in force says anything about it.
        """
        found: list[Block] = []
        if self.fault is not None and (safe or silent):
            detail = f"a rule file is broken, and until you repair it, only rules allow: {self.fault}"
            found.append(Block("fail-closed", detail, command.span))
        rule = self._rule_for(command)
        if rule is not None:
            where = f" ({rule.place})" if rule.place is not None else ""
            detail = f"the rule that allows it{where} does not count: {self._remedies[id(rule)]}"
            found.append(Block("untrusted", detail, command.span))
        return tuple(found)

    def _rule_for(self, command: Command) -> PrefixRule | None:
        if self._find is None:
            return None
        if self._policy is None:
            rules = self._find()
            self._remedies = {id(rule): remedy for rule, remedy in rules}
            self._policy = Policy([rule for rule, _ in rules])
        words = literal_start(command.words)
        matches = self._policy.matches(tuple(words)) if words else ()
        return matches[0].rule if matches else None


NO_READ_RULES = ReadRules()
_RULES = (PrefixRule, NetworkRule, HostExecutable, WriteRule, ReadRule)
_MOST_PROGRAMS = 2_000
"""The greatest number of programs whose rules are remembered."""


class Rulebook:
    """A snapshot of all rules in force. It never changes: :meth:`with_statements` returns a new one.

    Attributes:
        policy: prefix rules, network rules and host executables.
        heuristics: what is known to be safe or dangerous.
        writes: which files may be written.
        reads: which files may be read.
        fail_closed: a rule file could not be loaded, so nothing is allowed by heuristics.
        grants: which grounds may be used: ``none``, ``plain`` (literal words, rules, entries, harmless redirections) or
            ``flow`` (values, outputs, functions and folders that were followed as well).
        withheld: what rule files say that is not in force, for reasons alone; ``None`` if there is nothing.
    """

    __slots__ = (
        *("_behind", "_by_base", "_by_meaning", "_statements", "fail_closed", "grants", "heuristics", "memo", "policy"),
        *("reads", "restricting", "withheld", "writes"),
    )

    policy: Policy
    heuristics: Heuristics
    writes: WriteRules
    reads: ReadRules
    fail_closed: bool
    grants: Reach
    restricting: frozenset[str]
    """The programs that some prompt or forbidden rule names."""
    withheld: Withheld | None
    memo: dict[object, tuple[Verdict, tuple[str, ...]]]  # what was asked before, with the paths that were no links
    """Verdicts that depend on nothing but this snapshot; see :func:`execpolicy.judge.check.check`."""
    _statements: tuple[Statement, ...] | None
    _by_meaning: dict[str, RulesByMeaning]  # filled for each program when it is first asked for, like the next two
    _behind: Mapping[str, Sequence[MeantRule]] | None
    _by_base: Mapping[str, list[str]] | None

    def __init__(self, statements: Iterable[Statement] = (), *, fail_closed: bool = False) -> None:
        """A rulebook of ``statements``, weakest first.

        Raises:
            UsageError: one of them is no rule and no entry.
        """
        if isinstance(statements, tuple | list):
            in_order = tuple(statements)
        else:
            in_order = validators.listed(statements, "a rulebook", "rules and entries")
        entries: list[Any] = []
        kinds: dict[type, list[Any]] = {kind: [] for kind in _RULES}
        for statement in in_order:
            kinds.get(type(statement), entries).append(statement)
        if entries or fail_closed is not False:
            _entries_only(entries, fail_closed)
        rules = kinds[PrefixRule]
        policy = Policy(rules, kinds[NetworkRule], kinds[HostExecutable])
        restricting = frozenset([rule.pattern.first for rule in rules if rule.decision is not Decision.ALLOW])
        self._put(policy, Heuristics(entries), WriteRules(kinds[WriteRule]), ReadRules(kinds[ReadRule]), restricting)
        object.__setattr__(self, "_statements", in_order)
        object.__setattr__(self, "fail_closed", fail_closed)

    def _put(
        self, policy: Policy, heuristics: Heuristics, writes: WriteRules, reads: ReadRules, restricting: frozenset[str]
    ) -> None:
        put = object.__setattr__
        put(self, "policy", policy)
        put(self, "heuristics", heuristics)
        put(self, "writes", writes)
        put(self, "reads", reads)
        put(self, "restricting", restricting)
        put(self, "memo", {})
        put(self, "_statements", None)
        put(self, "_by_meaning", {})
        put(self, "_behind", None)
        put(self, "_by_base", None)
        put(self, "fail_closed", False)
        put(self, "grants", "flow")
        put(self, "withheld", None)

    @classmethod
    def of_parts(
        cls, policy: Policy, heuristics: Heuristics, writes: WriteRules, reads: ReadRules, restricting: frozenset[str]
    ) -> Rulebook:
        """A rulebook of parts that exist already."""
        made = object.__new__(cls)
        made._put(policy, heuristics, writes, reads, restricting)
        return made

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Everything that it holds: in order, weakest layer first, or part by part for a rulebook of parts."""
        if self._statements is None:
            policy = self.policy
            rules = (*policy.rules, *policy.network_rules, *policy.host_executables.values())
            found: tuple[Any, ...] = (*rules, *self.heuristics.entries, *self.writes.rules, *self.reads.rules)
            object.__setattr__(self, "_statements", found)
            return found
        return self._statements

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a rulebook never changes: use with_statements() instead of setting `{name}`")

    def meant_of(self, program: str) -> RulesByMeaning:
        """The rules stricter than allow that match by meaning, by the base name of the program that they are about."""
        found = self._by_meaning.get(program)
        if found is None:
            if len(self._by_meaning) >= _MOST_PROGRAMS:
                self._by_meaning.clear()
            if self._by_base is None:
                object.__setattr__(self, "_by_base", rules_by_meaning.by_base_name(sorted(self.restricting)))
            known = self._by_base or {}
            rules = rules_by_meaning.rules_about(program, self.policy, known, self.behind)
            are_all = rules_by_meaning.has_one_name(program) and not self.policy.has_other_spellings(program)
            found = self._by_meaning[program] = rules_by_meaning.RulesByMeaning(program, rules, are_all=are_all)
        return found

    @property
    def behind(self) -> Mapping[str, Sequence[MeantRule]]:
        """The rules that name a program or a file behind what runs it, by the base name of that."""
        if self._behind is None:
            object.__setattr__(self, "_behind", rules_by_meaning.rules_behind(self.policy, sorted(self.restricting)))
        return self._behind or {}

    def with_statements(self, *statements: Statement) -> Rulebook:
        """A rulebook that also holds ``statements``, on top; this one is unchanged."""
        if all(isinstance(each, _RULES) for each in statements):  # the entries stay, and so does their index
            rules = [each for each in self.statements if isinstance(each, _RULES)]
            made = Rulebook([*rules, *statements], fail_closed=self.fail_closed)
            object.__setattr__(made, "heuristics", self.heuristics)
            object.__setattr__(made, "_statements", self.statements + statements)
        else:
            made = Rulebook(self.statements + statements, fail_closed=self.fail_closed)
        return made.with_grants(self.grants).with_withheld(self.withheld)

    def with_grants(self, reach: Reach) -> Rulebook:
        """The same rules, of which no more may be granted than by the grounds that ``reach`` allows.

        Raises:
            UsageError: it is none of ``none``, ``plain`` and ``flow``.
        """
        if reach not in ("none", "plain", "flow"):
            raise validators.unknown_word(reach, ("none", "plain", "flow"), "what may be granted")
        return self if reach == self.grants else self._with("grants", reach)

    def with_withheld(self, withheld: Withheld | None) -> Rulebook:
        """The same rules, with what is not in force."""
        return self if withheld is self.withheld else self._with("withheld", withheld)

    def with_heuristics(self, heuristics: Heuristics) -> Rulebook:
        """The same rules under ``heuristics`` instead of its own entries, of which there must be none."""
        made = self._with("heuristics", heuristics)
        object.__setattr__(made, "_statements", None)
        return made

    def _with(self, name: str, value: object) -> Rulebook:
        made = object.__new__(Rulebook)
        for each in self.__slots__:
            object.__setattr__(made, each, getattr(self, each))
        object.__setattr__(made, "memo", {})
        object.__setattr__(made, name, value)
        return made

    def __repr__(self) -> str:
        return f"Rulebook({self.policy!r}, {len(self.heuristics.entries)} entries)"


def _entries_only(entries: Sequence[object], fail_closed: object) -> None:
    """Check what is no rule.

    Raises:
        UsageError: it is no entry either.
    """
    kinds = {entries_module.SafeCommand, dangers.DangerousCommand}
    if fail_closed.__class__ is bool and kinds.issuperset(map(type, entries)):
        return

    validators.flag(fail_closed, "Rulebook: `fail_closed`")
    kind = validators.instance(*_RULES, entries_module.SafeCommand, dangers.DangerousCommand)
    for entry in entries:
        kind(entry, "what a rulebook is made of")
