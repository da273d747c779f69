"""Who may connect, and that the host is told: once for each target, and not at all where it cannot be noted."""

import asyncio
from collections.abc import Callable

from execpolicy import approvals
from execpolicy.approvals.network import NetworkApproval
from execpolicy.core.rules import NetworkRule
from execpolicy.errors import RuleStoreError

ALLOWED = NetworkRule("a.test", "https", "allow", None)


def _approval(emit: Callable[..., None], policy: str = "never") -> NetworkApproval:
    session = approvals.ApprovalSession(emit=emit, reviewer=None)
    return NetworkApproval(
        request=approvals.ExecRequest(command=("curl",), cwd="/srv/p"),
        session=session,
        turn=session.begin_turn("turn"),
        call_id="1",
        rules=lambda: [ALLOWED],
        policy=approvals.AskForApproval(policy),
    )


class _Yes:
    async def review(self, request: object) -> approvals.ReviewDecision:
        return approvals.ApprovedForSession()


def _target(host: str, port: int = 443) -> approvals.NetworkTarget:
    return approvals.NetworkTarget(host=host, protocol="https", port=port)


def test_the_host_is_told_once_for_each_target() -> None:
    told: list[approvals.NetworkDecisionEvent] = []

    async def connect() -> list[str | None]:
        approval = _approval(told.append)
        targets = [_target("a.test"), _target("a.test"), _target("a.test", 8443), _target("b.test"), _target("b.test")]
        return [await approval.why_not(target) for target in targets]

    reason = "no rule allows https to b.test, and no one may be asked"
    assert asyncio.run(connect()) == [None, None, None, reason, reason]
    assert [event.to_json() for event in told] == [
        {
            "type": "network_decision",
            "call_id": "1",
            "turn_id": "turn",
            "network": {"host": host, "protocol": "https", "port": port},
            "allowed": allowed,
            "by": "policy",
            "reason": "" if allowed else reason,
        }
        for host, port, allowed in (("a.test", 443, True), ("a.test", 8443, True), ("b.test", 443, False))
    ]


def test_what_cannot_be_noted_is_not_connected() -> None:
    def full(event: object) -> None:
        raise RuleStoreError("the disk is full")

    async def connect() -> str | None:
        return await _approval(full).why_not(_target("a.test"))

    assert asyncio.run(connect()) == "the disk is full"


def test_an_answer_is_the_users_once_and_then_the_sessions() -> None:
    told: list[approvals.NetworkDecisionEvent] = []

    def emit(event: object) -> None:
        if isinstance(event, approvals.NetworkDecisionEvent):
            told.append(event)

    async def connect() -> None:
        session = approvals.ApprovalSession(emit=emit, reviewer=_Yes())
        for call in ("1", "2"):
            approval = NetworkApproval(
                request=approvals.ExecRequest(command=("curl",), cwd="/srv/p"),
                session=session,
                turn=session.begin_turn(call),
                call_id=call,
                rules=list,
                policy=approvals.AskForApproval("on-request"),
            )
            assert await approval.why_not(_target("a.test")) is None

    asyncio.run(connect())
    assert [(event.call_id, event.allowed, event.by) for event in told] == [("1", True, "user"), ("2", True, "session")]
