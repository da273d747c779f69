"""What a host brings: someone who answers, a clock, a place to save rules, a sandbox. All small, all replaceable."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from execpolicy.approvals.events import ApplyPatchApprovalRequestEvent, Event, ExecApprovalRequestEvent
from execpolicy.approvals.requirement import ExecRequest, Forbidden, NeedsApproval
from execpolicy.approvals.review import ReviewDecision
from execpolicy.core.decision import Decision


class EventSink(Protocol):
    """Receives every event of a session, in order. It must not block; what it raises reaches the caller."""

    def __call__(self, event: Event, /) -> None:
        """Take ``event``."""
        ...


class Reviewer(Protocol):
    """Answers approval requests. An exception counts as a denial; cancellation means that the question is moot.

    One that is no person says so with an attribute ``automatic = True``: it is not asked what only a person may answer.
    """

    async def review(self, event: ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent, /) -> ReviewDecision:
        """The answer to ``event``."""
        ...


class Amender(Protocol):
    """Saves answers that last as rules, in force at once."""

    async def amend(self, prefix: tuple[str, ...], /) -> None:
        """Save an allow rule for ``prefix``.

        Raises:
            ExecPolicyError: it could not be saved; the message says why.
        """
        ...

    async def amend_network(self, host: str, protocol: str, decision: Decision, /) -> None:
        """Save a rule for connections to ``host``.

        Raises:
            ExecPolicyError: it could not be saved; the message says why.
        """
        ...


class CommandRules(Protocol):
    """What is said about commands beside rules and heuristics: it can ask and refuse, and grants nothing."""

    def requirement(self, request: ExecRequest, /) -> Forbidden | NeedsApproval | None:
        """What has to happen before ``request`` runs; ``None`` adds nothing. Asked once or more for one call."""
        ...


class Clock(Protocol):
    """Time, so that tests need not wait."""

    def now(self) -> float:
        """Seconds since some fixed moment; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds``."""
        ...


class SystemClock:
    """The real clock."""

    def now(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Sleep in the running event loop."""
        await asyncio.sleep(seconds)
