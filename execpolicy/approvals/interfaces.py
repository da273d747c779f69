"""The interfaces that a host implements: event sink, reviewer, amender, command rules and clock."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from execpolicy.approvals.events import ApprovalRequest, Event
from execpolicy.approvals.requirement import ExecRequest, Forbidden, NeedsApproval
from execpolicy.approvals.review import ReviewDecision
from execpolicy.core.answer import Answer
from execpolicy.core.decision import Decision


class EventSink(Protocol):
    """Receives every event of a session, in order. It must not block; its exceptions reach the caller."""

    def __call__(self, event: Event, /) -> None:
        """Receive ``event``."""


class Reviewer(Protocol):
    """Answers approval requests. An exception denies the request; cancellation means that the answer is not needed.

    A reviewer that is not a person sets ``automatic = True`` and does not receive requests with ``human_only``.
    """

    async def review(self, event: ApprovalRequest, /) -> Answer | ReviewDecision:
        """The answer to ``event``, in either form."""


class Amender(Protocol):
    """Saves lasting answers as rules that are effective at once."""

    async def amend(self, prefix: tuple[str, ...], /) -> None:
        """Save an allow rule for ``prefix``.

        Raises:
            ExecPolicyError: it could not be saved; the message gives the reason.
        """

    async def amend_network(self, host: str, protocol: str, decision: Decision, /) -> None:
        """Save a rule for connections to ``host``.

        Raises:
            ExecPolicyError: it could not be saved; the message gives the reason.
        """


class CommandRules(Protocol):
    """Restricts commands in addition to rules and heuristics. It can prompt or forbid, but not allow."""

    def requirement(self, request: ExecRequest, /) -> Forbidden | NeedsApproval | None:
        """The requirement for ``request``; ``None`` adds nothing. Called at least once for each call."""


class Clock(Protocol):
    """A source of time that tests can replace."""

    def now(self) -> float:
        """Seconds since a fixed moment. Never decreases."""

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds``."""


class SystemClock:
    """The real clock."""

    def now(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Sleep in the running event loop."""
        await asyncio.sleep(seconds)
