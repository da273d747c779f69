"""Answers that are none: what was not offered, what is too broad, what only people answer, what comes too late."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from execpolicy.approvals.approval_session import ApprovalSession
from execpolicy.approvals.events import DeveloperMessage, ExecApprovalRequestEvent, NetworkTarget, WarningEvent
from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import (
    Approved,
    ApprovedExecpolicyAmendment,
    Denied,
    NetworkAmendment,
    ReviewDecision,
    TimedOut,
)
from execpolicy.core.decision import Decision
from tests.support.approval_fakes import ManualClock, ScriptedReviewer, settle


class _Rules:
    """Keeps what is saved."""

    def __init__(self) -> None:
        self.saved: list[Any] = []

    async def amend(self, prefix: tuple[str, ...], /) -> None:
        self.saved.append(prefix)

    async def amend_network(self, host: str, protocol: str, decision: Decision, /) -> None:
        self.saved.append((host, protocol, decision.word))


class _Asking:
    """A session that asks about one command."""

    def __init__(self, **options: Any) -> None:
        self.rules = _Rules()
        self.events: list[Any] = []
        self.session = ApprovalSession(emit=self.events.append, amender=self.rules, **options)
        self.turn = self.session.begin_turn("turn")

    async def ask(self, proposed: tuple[str, ...] | None, *, human_only: bool = False) -> ReviewDecision:
        return await self.session.request_command_approval(
            turn=self.turn,
            call_id="call",
            command=("git", "push", "origin"),
            cwd="/srv",
            proposed_execpolicy_amendment=None if proposed is None else ExecPolicyAmendment(proposed),
            human_only=human_only,
        )

    async def connect(self) -> ReviewDecision:
        to = NetworkTarget(host="example.test", protocol="https", port=443)
        return await self.session.request_command_approval(
            turn=self.turn, call_id="call", command=("curl",), cwd="/srv", network=to, reason=None
        )

    def warnings(self) -> list[str]:
        return [event.message for event in self.events if isinstance(event, WarningEvent)]


def _saving(*prefix: str) -> ApprovedExecpolicyAmendment:
    return ApprovedExecpolicyAmendment(ExecPolicyAmendment(prefix))


_OFFERED = ("git", "push", "origin")
_REFUSED = [
    (_OFFERED, False, _saving("git", "pull"), "this rule was not offered"),
    (_OFFERED, False, _saving("git", "push", "origin", "main"), "this rule was not offered"),
    (None, False, _saving("git", "push", "origin"), "this rule was not offered"),
    (_OFFERED, False, _saving("git"), "`git` is too broad"),
    (_OFFERED, False, _saving(), "a rule needs at least one word"),
    (_OFFERED, True, _saving(*_OFFERED), "a person has to be asked each time"),
    (_OFFERED, False, NetworkAmendment("example.test", "allow"), "answers only a question about that host"),
]


@pytest.mark.parametrize(("proposed", "human_only", "answer", "why"), _REFUSED)
def test_a_host_s_answer_is_refused_and_the_question_stays_open(
    proposed: tuple[str, ...] | None, human_only: bool, answer: ReviewDecision, why: str
) -> None:
    async def scenario() -> None:
        asking = _Asking()
        waiting = asyncio.create_task(asking.ask(proposed, human_only=human_only))
        await settle()
        assert not await asking.session.exec_approval("call", answer)
        assert why in asking.warnings()[0]
        assert not waiting.done()
        assert await asking.session.exec_approval("call", Denied())
        assert await waiting == Denied()
        assert asking.rules.saved == []

    asyncio.run(scenario())


@pytest.mark.parametrize(("proposed", "human_only", "answer", "why"), _REFUSED)
def test_a_reviewer_s_answer_is_refused_which_is_a_no(
    proposed: tuple[str, ...] | None, human_only: bool, answer: ReviewDecision, why: str
) -> None:
    asking = _Asking(reviewer=ScriptedReviewer(answer))
    said = asyncio.run(asking.ask(proposed, human_only=human_only))
    assert isinstance(said, Denied)
    assert why in (said.rejection or "")
    assert asking.rules.saved == []


@pytest.mark.parametrize("kept", [("git", "push", "origin"), ("git", "push")])
def test_what_was_offered_or_its_first_words_can_be_saved(kept: tuple[str, ...]) -> None:
    asking = _Asking(reviewer=ScriptedReviewer(_saving(*kept)))
    assert asyncio.run(asking.ask(_OFFERED)) == _saving(*kept)
    assert asking.rules.saved == [kept]


@pytest.mark.parametrize("action", ["allow", "deny"])
def test_a_lasting_answer_about_a_host_is_saved(action: Any) -> None:
    asking = _Asking(reviewer=ScriptedReviewer(NetworkAmendment("example.test", action)))
    assert asyncio.run(asking.connect()) == NetworkAmendment("example.test", action)
    assert asking.rules.saved == [("example.test", "https", "allow" if action == "allow" else "forbidden")]
    assert [event.text for event in asking.events if isinstance(event, DeveloperMessage)] == [
        f"Network rule saved:\n- {action} https://example.test"
    ]


@pytest.mark.parametrize("answer", [NetworkAmendment("other.test", "allow"), _saving("curl")])
def test_an_answer_about_something_else_is_refused_there(answer: ReviewDecision) -> None:
    asking = _Asking(reviewer=ScriptedReviewer(answer))
    assert isinstance(asyncio.run(asking.connect()), Denied)
    assert asking.rules.saved == []
    [event] = [event for event in asking.events if isinstance(event, ExecApprovalRequestEvent)]
    assert event.to_json()["network_approval_context"] == {"host": "example.test", "protocol": "https", "port": 443}
    assert event.to_json()["available_decisions"] == [
        "approved",
        "approved_for_session",
        "network_policy_amendment",
        "denied",
        "abort",
    ]


class _Blocking:
    """A plain callback behind an async face: nothing else runs while it thinks."""

    async def review(self, event: Any, /) -> ReviewDecision:
        time.sleep(0.2)
        return Approved()


def test_a_callback_that_holds_up_the_loop_answers_too_late() -> None:
    asking = _Asking(reviewer=_Blocking(), timeout=0.05)
    assert asyncio.run(asking.ask(None)) == TimedOut()
    assert _Asking(timeout=0.05).warnings() == []
    assert asyncio.run(_Asking(reviewer=_Blocking(), timeout=5).ask(None)) == Approved()


def test_a_host_s_answer_after_the_time_is_none_even_where_the_end_was_held_up() -> None:
    async def scenario() -> None:
        clock = ManualClock()
        asking = _Asking(timeout=10.0, clock=clock)
        waiting = asyncio.create_task(asking.ask(None))
        await settle()
        clock.time = 11.0  # the sleeper has not been woken yet
        assert not await asking.session.exec_approval("call", Approved())
        assert await waiting == TimedOut()
        assert "came too late" in asking.warnings()[0]

    asyncio.run(scenario())


def test_the_old_name_of_a_question_about_a_connection_asks_the_same() -> None:
    asker = _Asking()
    to = NetworkTarget(host="example.test", protocol="https", port=443)

    async def ask() -> None:
        old = asker.session.request_network_approval(
            turn=asker.turn, call_id="call", command=("curl",), cwd="/srv", to=to, reason=None
        )
        waiting = asyncio.ensure_future(old)
        await asyncio.sleep(0)
        waiting.cancel()

    with pytest.warns(DeprecationWarning, match="use request_command_approval"):
        asyncio.run(ask())
    (event,) = [each for each in asker.events if hasattr(each, "network")]
    assert event.network == to
    assert event.approval_id == "call/network"
