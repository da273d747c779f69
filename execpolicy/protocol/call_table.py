"""The table of tool calls: one state machine for each id.

Source: seed 004, section 6.1: New → Pending → Allowed, Denied, DeniedTimeout or FailedTransport → Completed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from execpolicy.protocol.decisions import Ruling
from execpolicy.protocol.loop_watch import Recent
from execpolicy.protocol.messages import PolicyAnswer, ToolRequest

REMEMBERED = 50_000
"""How many settled calls are remembered at least; older ids count as new, and are then judged like any other."""


class CallState(StrEnum):
    """Where a call stands."""

    PENDING = "pending"
    ALLOWED = "allowed"
    DENIED = "denied"
    DENIED_TIMEOUT = "denied_timeout"
    FAILED_TRANSPORT = "failed_transport"
    COMPLETED = "completed"


class Arrival(StrEnum):
    """What a ``tool.request`` is to the table."""

    NEW = "new"
    REPEATED = "repeated"
    """The same request again while its call is open: nothing to do."""
    REUSED = "reused"
    """An id that stands for another request, or for one that is over: never granted."""


@dataclass(slots=True)
class Call:
    """One id.

    Attributes:
        request: kept while the call is pending.
        allowed: the decision was to allow it.
        size: characters of what it asks for.
        waits: the child waits for the decision.
        handed_over: what the host was asked to ask about.
        answer: what it said.
    """

    digest: bytes
    opened: float
    waits: bool
    request: ToolRequest | None
    size: int
    state: CallState = CallState.PENDING
    allowed: bool = False
    handed_over: Ruling | None = None
    answer: PolicyAnswer | None = None


class CallTable:
    """All calls of a session. Pending ones are kept until they are settled, settled ones for a while."""

    def __init__(self, *, remembered: int = REMEMBERED) -> None:
        self._pending: dict[str, Call] = {}
        self._settled: Recent[Call] = Recent(remembered)
        self.pending_size = 0

    def __len__(self) -> int:
        return len(self._pending)

    def get(self, id: str) -> Call | None:
        """The call of this id."""
        return self._pending.get(id) or self._settled.get(id)

    def pending(self) -> tuple[Call, ...]:
        """The calls that wait for a decision, oldest first."""
        return tuple(self._pending.values())

    def open(self, request: ToolRequest, now: float) -> Arrival:
        """Note a request; a new one is pending from here on."""
        text = _asked(request)
        digest = _digest(text)
        known = self.get(request.id)
        if known is None:
            self._pending[request.id] = Call(digest, now, request.requires_policy, request, len(text))
            self.pending_size += len(text)
            return Arrival.NEW
        if known.digest != digest or known.state is CallState.COMPLETED:
            return Arrival.REUSED
        return Arrival.REPEATED

    def settle(self, id: str, state: CallState, *, allowed: bool = False) -> Call | None:
        """A pending call is decided (or can no longer be). ``None`` if it is not pending: then nothing changes."""
        call = self._pending.pop(id, None)
        if call is None:
            return None
        self.pending_size -= call.size
        call.state = state
        call.allowed = allowed
        call.request = None
        self._settled.put(id, call)
        return call

    def complete(self, id: str) -> tuple[Call, CallState] | None:
        """The child says that the call is over: the call and the state it was in. ``None`` for an unknown id."""
        call = self.get(id)
        if call is None:
            return None
        before = call.state
        if before is CallState.PENDING:
            self.settle(id, CallState.COMPLETED)
        call.state = CallState.COMPLETED
        return call, before


def digest_of(request: ToolRequest) -> bytes:
    """Equal for requests that ask for the same thing."""
    return _digest(_asked(request))


def _asked(request: ToolRequest) -> str:
    return json.dumps([request.tool, request.action, request.args, request.requires_policy], sort_keys=True)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("ascii"), digest_size=16).digest()
