"""``run --audit``: who decided what, and how it ended, as ``serve --audit`` and ``hook --audit`` keep it."""

from __future__ import annotations

import os

from execpolicy.approvals.events import ApprovalResolvedEvent, Event
from execpolicy.approvals.exec_request import ExecRequest
from execpolicy.approvals.run_events import (
    ExecBeginEvent,
    ExecEndEvent,
    NetworkDecisionEvent,
    PatchBeginEvent,
    PatchEndEvent,
)
from execpolicy.permissions.audit import AuditLog


class RunAudit:
    """The audit trail of one command.

    Args:
        path: the file that is appended to.
        by: who allows it if nobody is asked: ``policy``, or ``session`` for an answer that is remembered.
    """

    def __init__(self, path: str, request: ExecRequest, *, by: str) -> None:
        self._log = AuditLog(path)
        self._request = request
        self._by = by

    def note(self, event: Event) -> None:
        """Keep what ``event`` says.

        Raises:
            RuleStoreError: it could not be written; a command that is about to start must not, nor one that wants to
                connect.
        """
        if isinstance(event, ApprovalResolvedEvent):
            self._by = "user"
        elif isinstance(event, ExecBeginEvent):
            self._decision("allowed", "", sandboxed=event.sandboxed)
        elif isinstance(event, PatchBeginEvent):
            self._decision("allowed", "", sandboxed=False)
        elif isinstance(event, NetworkDecisionEvent):
            self._log.write(
                {
                    "event": "network",
                    "id": str(os.getpid()),
                    **event.to.to_json(),
                    "decision": "allowed" if event.allowed else "denied",
                    "by": event.by,
                    "reason": event.reason,
                }
            )
        elif isinstance(event, PatchEndEvent):
            self._log.write({"event": "result", "id": str(os.getpid()), "ok": event.success})
        elif isinstance(event, ExecEndEvent):
            self._log.write(
                {
                    "event": "result",
                    "id": str(os.getpid()),
                    "ok": event.exit_code == 0,
                    "status": event.exit_code,
                    "timed_out": event.timed_out,
                    "duration_ms": round(event.seconds * 1000, 3),
                }
            )

    def refused(self, reason: str) -> None:
        """It was not run.

        Raises:
            RuleStoreError: that could not be written.
        """
        self._decision("denied", reason, sandboxed=False)

    def _decision(self, word: str, reason: str, *, sandboxed: bool) -> None:
        self._log.write(
            {
                "event": "decision",
                "id": str(os.getpid()),
                "tool": "run",
                "commands": [list(self._request.command)],
                "cwd": self._request.cwd,
                "decision": word,
                "by": "policy" if word == "denied" and self._by != "user" else self._by,
                "reason": reason,
                "sandboxed": sandboxed,
            }
        )
