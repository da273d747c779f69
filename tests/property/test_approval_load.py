"""A thousand requests at once over fifty sessions: every one ends once, in its own session, and leaves nothing."""

from __future__ import annotations

import asyncio
import gc
import random
import tracemalloc
from collections import Counter
from typing import Any

import pytest

from execpolicy.approvals.approval_session import ApprovalSession
from execpolicy.approvals.approval_store import ApprovalKey, with_cached_approval
from execpolicy.approvals.events import ApprovalResolvedEvent, ExecApprovalRequestEvent
from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import (
    Abort,
    Approved,
    ApprovedExecpolicyAmendment,
    ApprovedForSession,
    Denied,
    TimedOut,
)
from tests.support.approval_fakes import ManualClock, settle

_SESSIONS, _REQUESTS, _TIMEOUT = 50, 1000, 60.0


class _Host:
    """One session, its events, and which of its requests are open."""

    def __init__(self, number: int, clock: ManualClock) -> None:
        self.number = number
        self.open: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self.session = ApprovalSession(emit=self._emit, amender=self, timeout=_TIMEOUT, clock=clock)
        self.turn = self.session.begin_turn("turn")

    async def amend(self, prefix: tuple[str, ...], /) -> None:
        await asyncio.sleep(0)
        self.counts["saved"] += 1

    def _emit(self, event: Any) -> None:
        self.counts[type(event).__name__] += 1
        if isinstance(event, ExecApprovalRequestEvent):
            assert event.approval_id not in self.open
            assert event.command == (f"session {self.number}",)
            self.open[event.approval_id] = event.call_id
        elif isinstance(event, ApprovalResolvedEvent):
            del self.open[event.approval_id]

    async def call(self, number: int) -> Any:
        async def ask() -> Any:
            return await self.session.request_command_approval(
                turn=self.turn,
                call_id=f"call {number % 7}",
                command=(f"session {self.number}",),
                cwd="/",
                proposed_execpolicy_amendment=ExecPolicyAmendment(("a",)),
            )

        return await with_cached_approval(self.session.store, [ApprovalKey.of({"n": number % 400})], ask)


async def _round(hosts: list[_Host], clock: ManualClock, chance: random.Random) -> Counter[str]:
    """A thousand requests from start to end; how they ended."""
    tasks = []
    for number in range(_REQUESTS):
        host = chance.choice(hosts)
        tasks.append((host, asyncio.ensure_future(host.call(number))))
    await settle()
    cancelled = {task for _, task in chance.sample(tasks, 100) if task.cancel()}
    await settle()
    for host in chance.sample(hosts, 5):
        host.session.interrupt(host.turn)
        host.turn = host.session.begin_turn("next")
    await settle()
    answers = [Approved(), ApprovedForSession(), ApprovedExecpolicyAmendment(ExecPolicyAmendment(("a",))), Denied("no")]
    replies = [(host, approval_id) for host in hosts for approval_id in list(host.open)]
    chance.shuffle(replies)
    results = await asyncio.gather(
        *[host.session.exec_approval(approval_id, chance.choice(answers)) for host, approval_id in replies[:-200]],
        *[host.session.exec_approval(approval_id, Denied("late")) for host, approval_id in replies[:100]],
        *[chance.choice(hosts).session.exec_approval("unknown", Approved()) for _ in range(50)],
    )
    accepted = sum(results)
    assert accepted == len(replies) - 200
    await settle()
    await clock.advance(_TIMEOUT)
    ended: Counter[str] = Counter()
    for _, task in tasks:
        assert task.done()
        ended["cancelled" if task in cancelled else type(task.result()).__name__] += 1
    assert sum(ended.values()) == _REQUESTS
    assert all(host.session.pending() == () and host.open == {} for host in hosts)
    assert clock.sleepers == 0
    return ended


@pytest.mark.slow
def test_a_thousand_requests_at_once() -> None:
    async def work() -> None:
        chance = random.Random(20260822)
        clock = ManualClock()
        hosts = [_Host(number, clock) for number in range(_SESSIONS)]
        total: Counter[str] = Counter()
        sizes = []
        tracemalloc.start()
        for at in range(8):
            total += await _round(hosts, clock, chance)
            gc.collect()
            if at >= 2:  # by then every key that can be remembered for a session has had its chance
                sizes.append(tracemalloc.get_traced_memory()[0] - _remembered(hosts))
        tracemalloc.stop()
        kinds = (Approved, ApprovedForSession, ApprovedExecpolicyAmendment, Denied, TimedOut, Abort)
        assert set(total) == {"cancelled", *[kind.__name__ for kind in kinds]}
        assert sum(total.values()) == 8 * _REQUESTS
        for host in hosts:
            assert host.counts["ExecApprovalRequestEvent"] == host.counts["ApprovalResolvedEvent"]
        assert max(sizes) - min(sizes) < 256 * 1024, sizes

    asyncio.run(work())


def _remembered(hosts: list[_Host]) -> int:
    """Bytes of what sessions are meant to keep."""
    return sum(len(host.session.store) for host in hosts) * 100
