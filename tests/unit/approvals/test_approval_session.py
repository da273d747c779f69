"""Open requests and what an answer sets in motion (specification of approvals, sections 0, 5 and 6)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from execpolicy.approvals.approval_session import ApprovalSession, Turn
from execpolicy.approvals.approval_store import patch_keys
from execpolicy.approvals.events import (
    ApplyPatchApprovalRequestEvent,
    ApprovalResolvedEvent,
    DeveloperMessage,
    ExecApprovalRequestEvent,
    FileChange,
    TurnAbortedEvent,
    WarningEvent,
)
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
from execpolicy.errors import RuleStoreError
from tests.support.approval_fakes import ManualClock, ScriptedReviewer, settle

_SAVE = ApprovedExecpolicyAmendment(ExecPolicyAmendment(("git", "status")))


class _Amender:
    def __init__(self, error: Exception | None = None) -> None:
        self.saved: list[tuple[str, ...]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self._error = error

    async def amend(self, prefix: tuple[str, ...], /) -> None:
        await self.gate.wait()
        if self._error is not None:
            raise self._error
        self.saved.append(prefix)


class _Host:
    """A session with everything that it emitted."""

    def __init__(self, **options: Any) -> None:
        self.events: list[Any] = []
        self.session = ApprovalSession(emit=self.events.append, **options)
        self.turn = self.session.begin_turn("turn-1")

    def ask(
        self, call_id: str = "call", turn: Turn | None = None, *, proposed: ExecPolicyAmendment | None = None
    ) -> asyncio.Task[ReviewDecision]:
        return asyncio.create_task(
            self.session.request_command_approval(
                turn=turn or self.turn,
                call_id=call_id,
                command=("git", "status"),
                cwd="/srv",
                reason="why",
                proposed_execpolicy_amendment=proposed,
            )
        )

    def patch(self, call_id: str = "call") -> asyncio.Task[ReviewDecision]:
        changes = {"/srv/a": FileChange(kind="add", content="x\n")}
        return asyncio.create_task(
            self.session.request_patch_approval(turn=self.turn, call_id=call_id, changes=changes, grant_root="/srv")
        )

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def _run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test())


def test_a_request_is_announced_answered_and_closed() -> None:
    async def test() -> None:
        host = _Host()
        waiting = host.ask()
        await settle()
        (event,) = host.of(ExecApprovalRequestEvent)
        assert host.session.pending() == (event,)
        assert event.to_json() == {
            "type": "exec_approval_request",
            "approval_id": "call",
            "call_id": "call",
            "turn_id": "turn-1",
            "command": ["git", "status"],
            "cwd": "/srv",
            "parsed_cmd": [{"type": "unknown", "cmd": "git status"}],
            "available_decisions": ["approved", "approved_for_session", "denied", "abort"],
            "reason": "why",
        }
        assert await host.session.exec_approval("call", Approved())
        assert await waiting == Approved()
        assert host.session.pending() == ()
        assert host.of(ApprovalResolvedEvent)[0].to_json() == {
            "type": "approval_resolved",
            "approval_id": "call",
            "turn_id": "turn-1",
            "decision": "approved",
        }

    _run(test)


def test_a_patch_request_carries_its_changes() -> None:
    async def test() -> None:
        host = _Host()
        waiting = host.patch()
        await settle()
        assert host.of(ApplyPatchApprovalRequestEvent)[0].to_json() == {
            "type": "apply_patch_approval_request",
            "approval_id": "call",
            "call_id": "call",
            "turn_id": "turn-1",
            "changes": {"/srv/a": {"add": {"content": "x\n"}}},
            "grant_root": "/srv",
        }
        assert not await host.session.exec_approval("call", Approved())
        assert await host.session.patch_approval("call", Denied("no"))
        assert await waiting == Denied("no")

    _run(test)


def test_a_remembered_yes_about_files_opens_no_further_folder() -> None:
    """Two files of two opened folders share a folder above, which no one has opened."""

    async def test() -> None:
        host = _Host(reviewer=ScriptedReviewer(ApprovedForSession()))

        async def ask(root: str, *paths: str) -> None:
            changes = {path: FileChange(kind="add", content="x\n") for path in paths}
            decision = await host.session.request_patch_approval(
                turn=host.turn, call_id="call", changes=changes, grant_root=root, keys=patch_keys(paths)
            )
            assert decision == ApprovedForSession()

        await ask("/o/a", "/o/a/x")
        await ask("/o/b", "/o/b/y")
        await ask("/o", "/o/a/x", "/o/b/y")
        assert host.session.store.granted() == ("/o/a", "/o/b")
        assert len(host.of(ApplyPatchApprovalRequestEvent)) == 2

    _run(test)


def test_unknown_and_second_answers_are_ignored_with_a_warning() -> None:
    async def test() -> None:
        host = _Host()
        assert not await host.session.exec_approval("nothing", _SAVE)
        waiting = host.ask()
        await settle()
        assert await host.session.exec_approval("call", Denied())
        assert not await host.session.exec_approval("call", Approved())
        assert await waiting == Denied()
        assert not await host.session.exec_approval("call", Approved())
        assert len(host.of(WarningEvent)) == 3

    _run(test)


def test_an_answer_during_saving_comes_too_late() -> None:
    async def test() -> None:
        amender = _Amender()
        amender.gate.clear()
        host = _Host(amender=amender)
        waiting = host.ask(proposed=_SAVE.proposed_execpolicy_amendment)
        await settle()
        saving = asyncio.create_task(host.session.exec_approval("call", _SAVE))
        await settle()
        assert not await host.session.exec_approval("call", Denied())
        amender.gate.set()
        assert await saving
        assert await waiting == _SAVE

    _run(test)


def test_the_prefix_is_saved_before_the_command_is_released() -> None:
    async def test() -> None:
        amender = _Amender()
        amender.gate.clear()
        host = _Host(amender=amender)
        waiting = host.ask(proposed=_SAVE.proposed_execpolicy_amendment)
        await settle()
        saving = asyncio.create_task(host.session.exec_approval("call", _SAVE))
        await settle()
        assert not waiting.done()
        amender.gate.set()
        await saving
        assert await waiting == _SAVE
        assert amender.saved == [("git", "status")]
        assert host.of(DeveloperMessage) == [DeveloperMessage('Approved command prefix saved:\n- ["git", "status"]')]

    _run(test)


@pytest.mark.parametrize(
    ("amender", "message"),
    [
        (None, "this session has no rules file to save to"),
        (RuleStoreError("failed to lock policy file x: busy"), "failed to lock policy file x: busy"),
    ],
)
def test_a_failure_to_save_only_warns(amender: Exception | None, message: str) -> None:
    async def test() -> None:
        host = _Host(amender=None if amender is None else _Amender(amender))
        waiting = host.ask(proposed=_SAVE.proposed_execpolicy_amendment)
        await settle()
        await host.session.exec_approval("call", _SAVE)
        assert await waiting == _SAVE
        assert host.of(WarningEvent) == [WarningEvent(f"Failed to apply execpolicy amendment: {message}")]
        assert host.of(DeveloperMessage) == []

    _run(test)


def test_abort_stops_the_whole_turn_and_no_other() -> None:
    async def test() -> None:
        host = _Host()
        other_turn = host.session.begin_turn("turn-2")
        first, second, other = host.ask("1"), host.ask("2"), host.ask("3", other_turn)
        running = asyncio.create_task(_run_in(host.turn))
        await settle()
        assert await host.session.exec_approval("1", Abort())
        assert await first == Abort()
        assert await second == Abort()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert host.of(TurnAbortedEvent) == [TurnAbortedEvent("turn-1")]
        assert not other.done()
        assert [event.approval_id for event in host.session.pending()] == ["3"]
        await host.session.exec_approval("3", Approved())
        assert await other == Approved()
        assert await host.ask("4") == Abort()
        assert len(host.of(ExecApprovalRequestEvent)) == 3

    _run(test)


async def _run_in(turn: Turn) -> None:
    with turn.running():
        await asyncio.Event().wait()


def test_an_interruption_during_saving_aborts() -> None:
    async def test() -> None:
        amender = _Amender()
        amender.gate.clear()
        host = _Host(amender=amender)
        waiting = host.ask(proposed=_SAVE.proposed_execpolicy_amendment)
        await settle()
        saving = asyncio.create_task(host.session.exec_approval("call", _SAVE))
        await settle()
        host.session.interrupt(host.turn)
        assert await waiting == Abort()
        amender.gate.set()
        await saving
        assert host.session.pending() == ()

    _run(test)


def test_closing_gives_up_everything_and_stays_closed() -> None:
    async def test() -> None:
        host = _Host()
        waiting = host.ask()
        await settle()
        host.session.close()
        assert await waiting == Abort()
        assert await host.ask("later", host.session.begin_turn("t")) == Abort()

    _run(test)


def test_a_call_id_used_twice_gives_two_requests() -> None:
    async def test() -> None:
        host = _Host()
        first, second = host.ask("same"), host.ask("same")
        await settle()
        ids = [event.approval_id for event in host.session.pending()]
        assert ids == ["same", "same#2"]
        await host.session.exec_approval("same#2", Approved())
        assert await second == Approved()
        assert not first.done()
        await host.session.exec_approval("same", Denied())
        assert await first == Denied()

    _run(test)


def test_nobody_answers_in_time() -> None:
    async def test() -> None:
        clock = ManualClock()
        host = _Host(timeout=30, clock=clock)
        waiting = host.ask()
        await settle()
        await clock.advance(29)
        assert not waiting.done()
        await clock.advance(1)
        assert await waiting == TimedOut()
        assert not await host.session.exec_approval("call", Approved())
        answered = host.ask("2")
        await settle()
        await host.session.exec_approval("2", ApprovedForSession())
        assert await answered == ApprovedForSession()
        await settle()
        assert clock.sleepers == 0

    _run(test)


def test_saving_is_not_interrupted_by_the_timeout() -> None:
    async def test() -> None:
        clock, amender = ManualClock(), _Amender()
        amender.gate.clear()
        host = _Host(timeout=30, clock=clock, amender=amender)
        waiting = host.ask(proposed=_SAVE.proposed_execpolicy_amendment)
        await settle()
        saving = asyncio.create_task(host.session.exec_approval("call", _SAVE))
        await settle()
        await clock.advance(60)
        amender.gate.set()
        await saving
        assert await waiting == _SAVE

    _run(test)


def test_a_cancelled_question_leaves_nothing_behind() -> None:
    async def test() -> None:
        clock = ManualClock()
        host = _Host(timeout=30, clock=clock)
        waiting = host.ask()
        await settle()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await settle()
        assert host.session.pending() == ()
        assert clock.sleepers == 0
        assert host.of(ApprovalResolvedEvent)[0].decision == Abort()

    _run(test)


def test_a_reviewer_answers() -> None:
    async def test() -> None:
        reviewer = ScriptedReviewer(ApprovedForSession())
        host = _Host(reviewer=reviewer)
        assert await host.ask() == ApprovedForSession()
        assert await host.patch() == ApprovedForSession()
        assert [type(event) for event in reviewer.asked] == [ExecApprovalRequestEvent, ApplyPatchApprovalRequestEvent]

    _run(test)


def test_a_reviewer_that_fails_denies() -> None:
    async def test() -> None:
        def fail(event: object) -> ReviewDecision:
            raise KeyError("broken")

        host = _Host(reviewer=ScriptedReviewer(fail))
        decision = await host.ask()
        assert isinstance(decision, Denied)
        assert "the reviewer failed" in host.of(WarningEvent)[0].message

    _run(test)


def test_a_reviewer_is_stopped_when_the_host_answers_first() -> None:
    async def test() -> None:
        stopped = asyncio.Event()

        class Slow:
            async def review(self, event: object, /) -> ReviewDecision:
                try:
                    await asyncio.Event().wait()
                finally:
                    stopped.set()
                raise AssertionError

        host = _Host(reviewer=Slow())
        waiting = host.ask()
        await settle()
        await host.session.exec_approval("call", Denied("mine"))
        assert await waiting == Denied("mine")
        await settle()
        assert stopped.is_set()

    _run(test)


def test_sessions_do_not_see_each_other() -> None:
    async def test() -> None:
        one, two = _Host(), _Host()
        first, second = one.ask("same"), two.ask("same")
        await settle()
        await one.session.exec_approval("same", ApprovedForSession())
        assert await first == ApprovedForSession()
        assert not second.done()
        two.session.close()
        assert await second == Abort()
        assert one.session.store is not two.session.store

    _run(test)
