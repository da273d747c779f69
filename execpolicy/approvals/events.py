"""What a session tells its host. Every event has ``to_json`` with a ``type``; a host shows, logs or forwards them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from execpolicy.approvals.requirement import ExecPolicyAmendment

if TYPE_CHECKING:
    from execpolicy.approvals.parsed_command import ParsedCommand
    from execpolicy.approvals.review import ReviewDecision

_Choice: TypeAlias = Literal["approved", "approved_for_session", "approved_execpolicy_amendment", "denied", "abort"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecApprovalRequestEvent:
    """Someone has to decide about a command.

    Attributes:
        approval_id: what the answer names; the call's id unless another request of the same call is still open.
        parsed_cmd: summaries for showing the command; display only, never a basis for a decision.
        human_only: an administrator's rule wants a person to answer, for this one time.
    """

    approval_id: str
    call_id: str
    turn_id: str
    command: tuple[str, ...]
    cwd: str
    reason: str | None = None
    proposed_amendment: ExecPolicyAmendment | None = None
    parsed_cmd: tuple[ParsedCommand, ...] = ()
    human_only: bool = False

    def choices(self) -> tuple[_Choice, ...]:
        """The answers to offer; saving a prefix only where one is proposed."""
        if self.human_only:
            return ("approved", "denied", "abort")
        save: tuple[_Choice, ...] = () if self.proposed_amendment is None else ("approved_execpolicy_amendment",)
        return ("approved", "approved_for_session", *save, "denied", "abort")

    def to_json(self) -> dict[str, Any]:
        """Fields in snake case; absent ones are left out."""
        body: dict[str, Any] = {
            "type": "exec_approval_request",
            "approval_id": self.approval_id,
            "call_id": self.call_id,
            "turn_id": self.turn_id,
            "command": list(self.command),
            "cwd": self.cwd,
            "parsed_cmd": [parsed.to_json() for parsed in self.parsed_cmd],
            "available_decisions": list(self.choices()),
        }
        if self.reason is not None:
            body["reason"] = self.reason
        if self.proposed_amendment is not None:
            body["proposed_execpolicy_amendment"] = self.proposed_amendment.to_json()
        if self.human_only:
            body["human_only"] = True
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """What a patch does to one file.

    Attributes:
        content: the whole new text (``add``) or the text that is lost (``delete``).
        unified_diff: the change (``update``).
        move_path: where the file moves to (``update``).
    """

    kind: Literal["add", "delete", "update"]
    content: str | None = None
    unified_diff: str | None = None
    move_path: str | None = None

    def to_json(self) -> dict[str, Any]:
        """``{"add": {content}}``, ``{"delete": {content}}`` or ``{"update": {unified_diff, move_path}}``."""
        if self.kind == "update":
            return {"update": {"unified_diff": self.unified_diff, "move_path": self.move_path}}
        return {self.kind: {"content": self.content}}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyPatchApprovalRequestEvent:
    """Someone has to decide about a patch.

    Attributes:
        changes: what happens to each file, by absolute path.
        grant_root: a folder outside the sandbox that the patch writes to.
    """

    approval_id: str
    call_id: str
    turn_id: str
    changes: dict[str, FileChange] = field(default_factory=dict)
    reason: str | None = None
    grant_root: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Fields in snake case; absent ones are left out."""
        body: dict[str, Any] = {
            "type": "apply_patch_approval_request",
            "approval_id": self.approval_id,
            "call_id": self.call_id,
            "turn_id": self.turn_id,
            "changes": {path: change.to_json() for path, change in self.changes.items()},
        }
        if self.reason is not None:
            body["reason"] = self.reason
        if self.grant_root is not None:
            body["grant_root"] = self.grant_root
        return body


@dataclass(frozen=True, slots=True)
class WarningEvent:
    """Something went wrong that does not stop the call."""

    message: str

    def to_json(self) -> dict[str, Any]:
        """``{type, message}``."""
        return {"type": "warning", "message": self.message}


@dataclass(frozen=True, slots=True)
class DeveloperMessage:
    """A note for the agent's context, in the developer's role."""

    text: str

    def to_json(self) -> dict[str, Any]:
        """``{type, role, text}``."""
        return {"type": "message", "role": "developer", "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalResolvedEvent:
    """A request is closed, by an answer, a time-out or the end of its turn; its ``approval_id`` means nothing now."""

    approval_id: str
    turn_id: str
    decision: ReviewDecision

    def to_json(self) -> dict[str, Any]:
        """``{type, approval_id, turn_id, decision}``."""
        from execpolicy.approvals.review import decision_to_json

        return {
            "type": "approval_resolved",
            "approval_id": self.approval_id,
            "turn_id": self.turn_id,
            "decision": decision_to_json(self.decision),
        }


@dataclass(frozen=True, slots=True)
class TurnAbortedEvent:
    """The turn was interrupted; whatever waited in it was given up."""

    turn_id: str

    def to_json(self) -> dict[str, Any]:
        """``{type, turn_id, reason}``."""
        return {"type": "turn_aborted", "turn_id": self.turn_id, "reason": "interrupted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecBeginEvent:
    """A command starts.

    Attributes:
        sandboxed: whether a sandbox confines this attempt.
    """

    call_id: str
    turn_id: str
    command: tuple[str, ...]
    cwd: str
    sandboxed: bool
    parsed_cmd: tuple[ParsedCommand, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Fields in snake case."""
        return {
            "type": "exec_command_begin",
            "call_id": self.call_id,
            "turn_id": self.turn_id,
            "command": list(self.command),
            "cwd": self.cwd,
            "sandboxed": self.sandboxed,
            "parsed_cmd": [parsed.to_json() for parsed in self.parsed_cmd],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecEndEvent:
    """A command ended, was killed or could not be started (``exit_code`` is then -1)."""

    call_id: str
    turn_id: str
    exit_code: int
    seconds: float
    timed_out: bool = False

    def to_json(self) -> dict[str, Any]:
        """Fields in snake case."""
        return {
            "type": "exec_command_end",
            "call_id": self.call_id,
            "turn_id": self.turn_id,
            "exit_code": self.exit_code,
            "duration_seconds": round(self.seconds, 1),
            "timed_out": self.timed_out,
        }


Event: TypeAlias = (
    ExecApprovalRequestEvent
    | ApplyPatchApprovalRequestEvent
    | ApprovalResolvedEvent
    | WarningEvent
    | DeveloperMessage
    | TurnAbortedEvent
    | ExecBeginEvent
    | ExecEndEvent
)
