"""The ledger of a session's calls: what becomes of each, counted and written to the audit trail."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from execpolicy.permissions.audit import AuditSink
from execpolicy.permissions.redaction import printable
from execpolicy.protocol.call_table import Call, CallState, CallTable
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.session_options import Counters


class CallLedger:
    """The calls of one session.

    Args:
        run_id: of the session; stands in every entry of the audit trail.
        warn: one line for the person; must not wait.
        audit: told every request, decision and result. What it cannot keep is not allowed.
    """

    def __init__(self, run_id: str | None, warn: Callable[[str], None], audit: AuditSink | None) -> None:
        self.calls = CallTable()
        self.counters = Counters()
        self._run_id = run_id
        self._warn = warn
        self._audit = audit

    def warning(self, text: str) -> None:
        """Tell the person, in one harmless line."""
        self.counters.warnings += 1
        self._warn(printable(text))

    def note(self, event: str, id: str | None, entry: Mapping[str, Any]) -> bool:
        """Write to the audit trail; whether it was kept."""
        if self._audit is None:
            return True
        try:
            self._audit.write({"event": event, "run_id": self._run_id, "id": id, **entry})
        except Exception as error:
            self.counters.unwritten += 1
            self.warning(f"the audit trail: {error}")
            return False
        return True

    def settle(
        self,
        request: ToolRequest,
        state: CallState,
        *,
        by: str,
        reason: str,
        rule_id: str | None = None,
        grounds: Sequence[str] = (),
    ) -> Call | None:
        """Close the call of ``request``; ``None`` if it is not open. One that cannot be written down is not allowed."""
        call = self.calls.settle(request.id, state, allowed=state is CallState.ALLOWED)
        if call is None:
            return None
        waited = round((time.monotonic() - call.opened) * 1000, 3)
        entry: dict[str, Any] = {
            "decision": state.value,
            "by": by,
            "reason": reason,
            "rule_id": rule_id,
            "duration_ms": waited,
        }
        if call.allowed and grounds:
            entry["grounds"] = list(grounds)
        if not self.note("decision", request.id, entry) and call.allowed:
            call.state, call.allowed = CallState.DENIED, False
        self.counters.allowed += call.allowed
        self.counters.denied += not call.allowed
        self.counters.by[by] = self.counters.by.get(by, 0) + 1
        return call
