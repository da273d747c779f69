"""Everything that a decision is made of, as one immutable value."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.policy import Policy
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.writes import WriteRule, WriteRules
from execpolicy.safety.heuristics import Heuristics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand

    Statement: TypeAlias = PrefixRule | NetworkRule | HostExecutable | SafeCommand | DangerousCommand | WriteRule


class Rulebook:
    """A snapshot of all rules in force. It never changes: :meth:`with_statements` returns a new one.

    Attributes:
        statements: everything it was made of, weakest layer first.
        policy: prefix rules, network rules and host executables.
        heuristics: what is known to be safe or dangerous.
        writes: what redirections may write.
        fail_closed: a rule file could not be loaded, so nothing is allowed by heuristics.
    """

    __slots__ = ("fail_closed", "heuristics", "policy", "restricting", "statements", "writes")

    statements: tuple[Statement, ...]
    policy: Policy
    heuristics: Heuristics
    writes: WriteRules
    fail_closed: bool
    restricting: frozenset[str]
    """The programs that some prompt or forbidden rule names."""

    def __init__(self, statements: Iterable[Statement] = (), *, fail_closed: bool = False) -> None:
        put = object.__setattr__
        put(self, "statements", tuple(statements))
        rules: list[PrefixRule] = []
        network: list[NetworkRule] = []
        hosts: list[HostExecutable] = []
        writes: list[WriteRule] = []
        entries: list[SafeCommand | DangerousCommand] = []
        for statement in self.statements:
            if isinstance(statement, PrefixRule):
                rules.append(statement)
            elif isinstance(statement, WriteRule):
                writes.append(statement)
            elif isinstance(statement, NetworkRule):
                network.append(statement)
            elif isinstance(statement, HostExecutable):
                hosts.append(statement)
            else:
                entries.append(statement)
        put(self, "policy", Policy(rules, network, hosts))
        put(self, "heuristics", Heuristics(entries))
        put(self, "writes", WriteRules(writes))
        put(self, "fail_closed", fail_closed)
        put(
            self,
            "restricting",
            frozenset([rule.pattern.first for rule in rules if rule.decision is not Decision.ALLOW]),
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a rulebook never changes: use with_statements() instead of setting `{name}`")

    def with_statements(self, *statements: Statement) -> Rulebook:
        """A rulebook that also holds ``statements``, on top; this one is unchanged."""
        return Rulebook(self.statements + statements, fail_closed=self.fail_closed)

    def __repr__(self) -> str:
        return f"Rulebook({self.policy!r}, {len(self.heuristics.entries)} entries)"
