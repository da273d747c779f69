"""The table of tool calls, with one state machine for each id, and the ledger that counts and records them.

Source: seed 004, section 6.1: New → Pending → Allowed, Denied, DeniedTimeout or FailedTransport → Completed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import Any

from execpolicy.permissions.audit import AuditSink
from execpolicy.permissions.redaction import printable
from execpolicy.protocol.decisions import Recent, Ruling
from execpolicy.protocol.messages import PolicyAnswer, ToolRequest
from execpolicy.protocol.session_options import Counters

REMEMBERED = 50_000
"""The minimum number of settled calls that are remembered. Older ids count as new and are judged like any other."""


class CallState(StrEnum):
    """The state of a call."""

    PENDING = "pending"
    ALLOWED = "allowed"
    DENIED = "denied"
    DENIED_TIMEOUT = "denied_timeout"
    FAILED_TRANSPORT = "failed_transport"
    COMPLETED = "completed"


class Arrival(StrEnum):
    """The relation of a ``tool.request`` to the calls in the table."""

    NEW = "new"
    REPEATED = "repeated"
    """The same request again while its call is open: it needs no action."""
    REUSED = "reused"
    """An id of a different request, or of a completed one: never granted."""


@dataclass(slots=True)
class Call:
    """The call of one id.

    Attributes:
        request: the request, while the call is pending.
        allowed: true if the decision was to allow it.
        size: the size of the request in characters.
        waits: true if the child waits for the decision.
        handed_over: the question that was passed to the host.
        answer: the host's answer.
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
    """All calls of a session. Pending ones are kept until they are settled, settled ones for a limited time."""

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
        """Records a request; a new one becomes pending."""
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
        """Settles a pending call. Returns ``None`` and changes nothing if the call is not pending."""
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
        """Completes a call; returns the call and its previous state, or ``None`` for an unknown id."""
        call = self.get(id)
        if call is None:
            return None
        before = call.state
        if before is CallState.PENDING:
            self.settle(id, CallState.COMPLETED)
        call.state = CallState.COMPLETED
        return call, before


def digest_of(request: ToolRequest) -> bytes:
    """A digest that is equal for requests with the same content."""
    return _digest(_asked(request))


def _asked(request: ToolRequest) -> str:
    return json.dumps([request.tool, request.action, request.args, request.requires_policy], sort_keys=True)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("ascii"), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class CallLedger:
    """The calls of one session, counted and written to the audit trail.

    Args:
        run_id: the id of the session; part of every entry of the audit trail.
        warn: shows a line to the person; must not block.
        audit: receives every request, decision and result. A call whose record cannot be stored is not allowed.
    """

    run_id: str | None
    warn: Callable[[str], None]
    audit: AuditSink | None
    calls: CallTable = field(default_factory=CallTable)
    counters: Counters = field(default_factory=Counters)

    def warning(self, text: str) -> None:
        """Shows a warning to the person, as one printable line."""
        self.counters.warnings += 1
        self.warn(printable(text))

    def note(self, event: str, id: str | None, entry: Mapping[str, Any]) -> bool:
        """Writes to the audit trail; ``False`` if that failed."""
        if self.audit is None:
            return True
        try:
            self.audit.write({"event": event, "run_id": self.run_id, "id": id, **entry})
        except Exception as error:
            self.counters.unwritten += 1
            self.warning(f"the audit trail: {error}")
            return False
        return True

    def settle(self, request: ToolRequest, state: CallState, ruling: Ruling, *, by: str) -> Call | None:
        """Closes the call of ``request``; ``None`` if it is not open. An unrecorded decision allows nothing."""
        call = self.calls.settle(request.id, state, allowed=state is CallState.ALLOWED)
        if call is None:
            return None
        entry: dict[str, Any] = {
            "decision": state.value,
            "by": by,
            "reason": ruling.reason,
            "rule_id": ruling.rule_id,
            "duration_ms": round((time.monotonic() - call.opened) * 1000, 3),
        }
        if call.allowed and ruling.grounds:
            entry["grounds"] = list(ruling.grounds)
        if not self.note("decision", request.id, entry) and call.allowed:
            call.state, call.allowed = CallState.DENIED, False
        self.counters.allowed += call.allowed
        self.counters.denied += not call.allowed
        self.counters.by[by] = self.counters.by.get(by, 0) + 1
        return call
