"""Decides connections of a running command: first by network rules, then by remembered answers, then by a person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from execpolicy.approvals.approval_session import ApprovalSession
from execpolicy.approvals.approval_store import network_keys, with_cached_approval
from execpolicy.approvals.ask import AskForApproval, AskKind
from execpolicy.approvals.events import NetworkDecisionEvent
from execpolicy.approvals.network.network_proxy import NetworkTarget
from execpolicy.approvals.requirement import ExecRequest
from execpolicy.approvals.review import ReviewDecision, is_approval
from execpolicy.approvals.turn import Turn
from execpolicy.core.decision import Decision
from execpolicy.core.network import rule_for
from execpolicy.core.rules import NetworkRule
from execpolicy.errors import RuleStoreError

_MAX_REPORTED = 1_000
"""Limit of targets remembered as reported; a command can invent any number of targets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkApproval:
    """Decides the connections of one run. An answer holds for all its connections to the same host and port.

    Args:
        rules: returns the effective network rules; called each time, since an answer may have saved one.
        policy: the effective approval policy, with aliases resolved.
    """

    request: ExecRequest
    session: ApprovalSession
    turn: Turn
    call_id: str
    rules: Callable[[], Iterable[NetworkRule]]
    policy: AskForApproval
    _answers: dict[NetworkTarget, str | None] = field(default_factory=dict, init=False)
    _reported: dict[NetworkTarget, str | None] = field(default_factory=dict, init=False)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def why_not(self, to: NetworkTarget) -> str | None:
        """The reason to refuse the connection, worded for the command; ``None`` if it is allowed."""
        rule = rule_for(self.rules(), to.host, to.protocol)
        if rule is not None and rule.decision is not Decision.PROMPT:
            refusal = rule.justification or f"a rule forbids {rule.protocol} to {rule.host}"
            return self._report(to, None if rule.decision is Decision.ALLOW else refusal, by="policy")
        async with self._asking:  # one question for many connections at once
            if to not in self._answers:
                self._answers[to] = await self._ask(to, rule)
            return self._answers[to]

    async def _ask(self, to: NetworkTarget, rule: NetworkRule | None) -> str | None:
        granular = self.policy.granular
        may_ask = granular is None or (granular.sandbox_approval if rule is None else granular.rules)
        if self.policy.kind is AskKind.NEVER or not may_ask:
            why_not = f"no rule allows {to.protocol} to {to.host}, and nobody may be asked"
            return self._report(to, why_not, by="policy")
        by = "session"

        async def question() -> ReviewDecision:
            nonlocal by
            by = "user"
            return await self.session.request_command_approval(
                turn=self.turn,
                call_id=self.call_id,
                command=self.request.command,
                cwd=self.request.cwd,
                network=to,
                reason=rule.justification if rule is not None else None,
            )

        keys = network_keys(to.host, to.protocol, to.port)
        decision = await with_cached_approval(self.session.store, keys, question)
        if self.turn.aborted:  # the command is being ended: an answer would let it continue for a moment
            await asyncio.get_running_loop().create_future()
        return self._report(to, None if is_approval(decision) else f"{to.protocol} to {to.host} was denied", by=by)

    def _report(self, to: NetworkTarget, why_not: str | None, *, by: str) -> str | None:
        """Report the decision to the host once and return ``why_not``. A failed report refuses the connection."""
        if to in self._reported and self._reported[to] == why_not:
            return why_not
        ids = {"call_id": self.call_id, "turn_id": self.turn.id}
        try:
            self.session.emit(NetworkDecisionEvent(**ids, to=to, allowed=why_not is None, by=by, reason=why_not or ""))
        except RuleStoreError as error:
            return why_not or str(error)
        if len(self._reported) >= _MAX_REPORTED:
            self._reported.clear()
        self._reported[to] = why_not
        return why_not


_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def no_proxy_hosts(rules: Iterable[NetworkRule]) -> str:
    """The hosts inside the sandbox (``NO_PROXY``), so that a server of the command is reached directly.

    A host with a network rule that does not forbid it belongs to the machine instead.
    """
    let_out = {rule.host for rule in rules if rule.decision is not Decision.FORBIDDEN}
    return ",".join([host for host in _LOCAL_HOSTS if host not in let_out])
