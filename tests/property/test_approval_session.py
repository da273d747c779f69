"""The open requests of several sessions as a state machine: none answered twice, none forgotten, none leaks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from execpolicy.approvals.approval_session import ApprovalSession, Turn
from execpolicy.approvals.approval_store import ApprovalKey, with_cached_approval
from execpolicy.approvals.events import ApprovalResolvedEvent, ExecApprovalRequestEvent
from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import (
    Abort,
    Approved,
    ApprovedExecpolicyAmendment,
    ApprovedForSession,
    Denied,
    ReviewDecision,
    TimedOut,
)
from tests.support.approval_fakes import ManualClock, settle

_SESSIONS = 3
_TIMEOUT = 100.0
_ANSWERS: list[ReviewDecision] = [
    Approved(),
    ApprovedForSession(),
    ApprovedExecpolicyAmendment(ExecPolicyAmendment(("a",))),
    Denied(),
    Denied("no"),
    TimedOut(),
]


class _Saving:
    """An amender that finishes when it is told to."""

    def __init__(self) -> None:
        self.gates: list[asyncio.Event] = []

    async def amend(self, prefix: tuple[str, ...], /) -> None:
        gate = asyncio.Event()
        self.gates.append(gate)
        await gate.wait()


class _Request:
    """One call of the agent, as the test knows it."""

    def __init__(self, session: int, turn: Turn, key: str, due: float) -> None:
        self.session = session
        self.turn = turn
        self.key = key
        self.due = due
        self.approval_id = ""
        self.expected: ReviewDecision | None = None
        self.claimed = False
        self.cancelled = False
        self.task: asyncio.Task[ReviewDecision] | None = None


class ApprovalSessions(RuleBasedStateMachine):
    """Random calls, answers, interruptions, cancellations and time over several sessions."""

    requests = Bundle("requests")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.clock = ManualClock()
        self.saving = [_Saving() for _ in range(_SESSIONS)]
        self.events: list[list[Any]] = [[] for _ in range(_SESSIONS)]
        self.sessions = [
            ApprovalSession(emit=self.events[at].append, amender=self.saving[at], timeout=_TIMEOUT, clock=self.clock)
            for at in range(_SESSIONS)
        ]
        self.turns = [session.begin_turn("first") for session in self.sessions]
        self.remembered: list[set[str]] = [set() for _ in range(_SESSIONS)]
        self.all: list[_Request] = []
        self.answers: list[asyncio.Task[bool]] = []

    def _do(self, work: Any) -> Any:
        async def whole() -> Any:
            result = await work()
            await settle()
            return result

        return self.loop.run_until_complete(whole())

    @rule(target=requests, at=st.integers(0, _SESSIONS - 1), key=st.sampled_from("abc"), same_id=st.booleans())
    def call(self, at: int, key: str, same_id: bool) -> Any:
        request = _Request(at, self.turns[at], key, self.clock.time + _TIMEOUT)
        session = self.sessions[at]
        call_id = "same" if same_id else f"call-{len(self.all)}"

        async def ask() -> ReviewDecision:
            return await session.request_command_approval(
                turn=request.turn,
                call_id=call_id,
                command=(key,),
                cwd="/",
                proposed_execpolicy_amendment=ExecPolicyAmendment((key,)),
            )

        async def start() -> None:
            keys = [ApprovalKey.of({"key": key})]
            request.task = asyncio.ensure_future(with_cached_approval(session.store, keys, ask))

        seen = len(self.events[at])
        self._do(start)
        self.all.append(request)
        asked = [event for event in self.events[at][seen:] if isinstance(event, ExecApprovalRequestEvent)]
        assert len(asked) == (0 if key in self.remembered[at] else 1)
        if not asked:
            request.expected = ApprovedForSession()
            return multiple()
        request.approval_id = asked[0].approval_id
        return request

    @rule(request=requests, answer=st.sampled_from(_ANSWERS), other=st.integers(0, _SESSIONS - 1))
    def answer(self, request: _Request, answer: ReviewDecision, other: int) -> None:
        """Also from a session that the request does not belong to, and also when it is closed already."""
        target = self.sessions[other]
        owner = next(
            (
                one
                for one in self.all
                if one.session == other and one.approval_id == request.approval_id and self._open(one)
            ),
            None,
        )
        saves = isinstance(answer, ApprovedExecpolicyAmendment)  # the rule about `a`, offered for nothing else
        accepted = owner is not None and not owner.claimed and (owner.key == "a" or not saves)
        if owner is not None and accepted:
            owner.claimed = True
            if not saves:
                self._expect(owner, answer)
            else:
                owner.expected = answer  # held back until it is saved, unless the turn is interrupted first

        async def reply() -> asyncio.Task[bool]:
            return asyncio.ensure_future(target.exec_approval(request.approval_id, answer))

        task = self._do(reply)
        if not (accepted and saves):
            assert task.done()
            assert task.result() is accepted
        self.answers.append(task)

    @rule(request=requests)
    def abort(self, request: _Request) -> None:
        if not self._open(request) or request.claimed:
            return

        async def reply() -> bool:
            return await self.sessions[request.session].exec_approval(request.approval_id, Abort())

        turn = request.turn
        for one in self.all:
            if one.turn is turn and self._open(one):
                one.expected, one.claimed = Abort(), True
        assert self._do(reply)
        self.turns[request.session] = self.sessions[request.session].begin_turn("next")

    @rule(at=st.integers(0, _SESSIONS - 1))
    def interrupt(self, at: int) -> None:
        turn = self.turns[at]
        for one in self.all:
            if one.turn is turn and self._open(one):
                one.expected, one.claimed = Abort(), True

        async def stop() -> None:
            self.sessions[at].interrupt(turn)

        self._do(stop)
        self.turns[at] = self.sessions[at].begin_turn("next")

    @rule(request=consumes(requests))
    def cancel(self, request: _Request) -> None:
        if not self._open(request):
            return
        request.cancelled = True

        async def stop() -> None:
            assert request.task is not None
            request.task.cancel()

        self._do(stop)

    @rule(at=st.integers(0, _SESSIONS - 1))
    def finish_saving(self, at: int) -> None:
        gates, self.saving[at].gates = self.saving[at].gates, []

        async def go_on() -> None:
            for gate in gates:
                gate.set()

        self._do(go_on)

    @rule(seconds=st.sampled_from([1.0, 60.0, 200.0]))
    def time_passes(self, seconds: float) -> None:
        for one in self.all:
            if self._open(one) and not one.claimed and one.due <= self.clock.time + seconds:
                one.expected, one.claimed = TimedOut(), True
        self._do(lambda: self.clock.advance(seconds))

    def _expect(self, request: _Request, answer: ReviewDecision) -> None:
        request.expected = answer
        if answer == ApprovedForSession():
            self.remembered[request.session].add(request.key)

    def _open(self, request: _Request) -> bool:
        return request.task is not None and not request.task.done() and not request.cancelled

    @invariant()
    def every_request_is_where_it_belongs(self) -> None:
        for at, session in enumerate(self.sessions):
            waiting = [one.approval_id for one in self.all if one.session == at and self._open(one)]
            pending = [event.approval_id for event in session.pending()]
            assert sorted(pending) == sorted(waiting)
            assert len(set(pending)) == len(pending)

    @invariant()
    def every_answer_is_the_expected_one(self) -> None:
        for one in self.all:
            if one.task is None or not one.task.done():
                assert one.expected is None or isinstance(one.expected, ApprovedExecpolicyAmendment)
            elif one.cancelled:
                assert one.task.cancelled()
            else:
                assert one.task.result() == one.expected

    @invariant()
    def every_request_is_closed_once(self) -> None:
        for at in range(_SESSIONS):
            opened = [event for event in self.events[at] if isinstance(event, ExecApprovalRequestEvent)]
            closed = [event for event in self.events[at] if isinstance(event, ApprovalResolvedEvent)]
            assert len(opened) - len(closed) == len(self.sessions[at].pending())

    @invariant()
    def no_timer_is_left_behind(self) -> None:
        """One timer for each open request, until it fires: a request that is being saved then stays open without."""
        assert self.clock.sleepers == sum(self._open(one) and one.due > self.clock.time for one in self.all)

    def teardown(self) -> None:
        async def close() -> None:
            for session in self.sessions:
                session.close()
            for saving in self.saving:
                for gate in saving.gates:
                    gate.set()

        self._do(close)
        assert all(one.task is None or one.task.done() for one in self.all)
        assert all(not session.pending() for session in self.sessions)
        assert all(task.done() for task in self.answers)
        self.loop.close()


class AllApprovalSessions(ApprovalSessions):
    """The same, with more examples."""


ApprovalSessions.TestCase.settings = settings(max_examples=8, stateful_step_count=40, deadline=None)
AllApprovalSessions.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestApprovalSessions = ApprovalSessions.TestCase
TestAllApprovalSessions = pytest.mark.slow(AllApprovalSessions.TestCase)
