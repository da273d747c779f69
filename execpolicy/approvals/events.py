"""The events of a session. Each has ``to_json`` with a ``type``; a host shows, logs or forwards them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from execpolicy.approvals.network.network_proxy import NetworkTarget
from execpolicy.approvals.parsed_command import ParsedCommand
from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import ReviewDecision, decision_from_json, decision_to_json
from execpolicy.approvals.turn import (
    ExecBeginEvent,
    ExecEndEvent,
    NetworkDecisionEvent,
    PatchBeginEvent,
    PatchEndEvent,
    TerminalInteractionEvent,
)
from execpolicy.errors import UsageError
from execpolicy.validators import argv, every, flag, instance, mapping, one_of, optional, settle, text, texts
from execpolicy.validators import text as words

_Choice: TypeAlias = Literal[
    "approved", "approved_for_session", "approved_execpolicy_amendment", "network_policy_amendment", "denied", "abort"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecApprovalRequestEvent:
    """Requests approval of a command, or of a connection of a running command.

    Attributes:
        approval_id: the id that the answer names: the call's id unless another request of the call is open.
        parsed_cmd: summaries for display only; decisions do not use them.
        human_only: an administrator's rule requires that a person answers, each time.
        sandbox: how the command would run, in words: the sandbox, or none.
        retry: the sandbox blocked the first run; an approval runs the command again without a sandbox.
        network: the connection that needs approval; the command is already running.
        told: the reasons for the question, one line each. If empty, ``reason`` holds all of them.
    """

    approval_id: str
    call_id: str
    turn_id: str
    command: tuple[str, ...]
    cwd: str
    reason: str | None = None
    proposed_execpolicy_amendment: ExecPolicyAmendment | None = None
    parsed_cmd: tuple[ParsedCommand, ...] = ()
    human_only: bool = False
    sandbox: str | None = None
    retry: bool = False
    network: NetworkTarget | None = None
    told: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        settle(self, told=texts)
        settle(self, approval_id=text, call_id=text, turn_id=text, command=argv, cwd=text, reason=optional(text))
        settle(self, proposed_execpolicy_amendment=optional(instance(ExecPolicyAmendment)), human_only=flag)
        settle(self, parsed_cmd=every(instance(ParsedCommand)), sandbox=optional(text), retry=flag)
        settle(self, network=optional(instance(NetworkTarget)))

    def choices(self) -> tuple[_Choice, ...]:
        """The answers to offer. Saving a prefix is offered only if one is proposed."""
        if self.human_only:
            return ("approved", "denied", "abort")
        if self.network is not None:
            return ("approved", "approved_for_session", "network_policy_amendment", "denied", "abort")
        save: tuple[_Choice, ...] = (
            () if self.proposed_execpolicy_amendment is None else ("approved_execpolicy_amendment",)
        )
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
        if self.proposed_execpolicy_amendment is not None:
            body["proposed_execpolicy_amendment"] = self.proposed_execpolicy_amendment.to_json()
        if self.human_only:
            body["human_only"] = True
        if self.sandbox is not None:
            body["sandbox"] = self.sandbox
        if self.retry:
            body["retry"] = True
        if self.network is not None:
            body["network_approval_context"] = self.network.to_json()
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """The change that a patch makes to one file.

    Attributes:
        kind: the fields below name the kinds they belong to; each kind has exactly its own fields.
        content: the whole new text (``add``) or the removed text (``delete``).
        unified_diff: the change (``update``).
        move_path: the new path of the file (``update``).
    """

    kind: Literal["add", "delete", "update"]
    content: str | None = None
    unified_diff: str | None = None
    move_path: str | None = None

    def __post_init__(self) -> None:
        settle(self, kind=one_of("add", "delete", "update"), content=optional(text), unified_diff=optional(text))
        settle(self, move_path=optional(text))
        update = self.kind == "update"
        given = (self.content is not None, self.unified_diff is not None, update or self.move_path is not None)
        if given != (not update, update, update):
            has = "`unified_diff`, maybe `move_path`," if update else "`content`"
            raise UsageError(f"FileChange: `{self.kind}` has {has} and nothing else")

    def to_json(self) -> dict[str, Any]:
        """``{"add": {content}}``, ``{"delete": {content}}`` or ``{"update": {unified_diff, move_path}}``."""
        if self.kind == "update":
            return {"update": {"unified_diff": self.unified_diff, "move_path": self.move_path}}
        return {self.kind: {"content": self.content}}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyPatchApprovalRequestEvent:
    """Requests approval of a patch.

    Attributes:
        changes: the change of each file, by absolute path.
        grant_root: a folder outside the sandbox that the patch writes to.
    """

    approval_id: str
    call_id: str
    turn_id: str
    changes: dict[str, FileChange] = field(default_factory=dict)
    reason: str | None = None
    grant_root: str | None = None

    def __post_init__(self) -> None:
        settle(self, approval_id=text, call_id=text, turn_id=text, changes=mapping, reason=optional(text))
        settle(self, grant_root=optional(text))
        for change in self.changes.values():
            instance(FileChange)(change, "ApplyPatchApprovalRequestEvent: `changes`")

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
    """A problem that does not stop the call."""

    message: str

    def __post_init__(self) -> None:
        settle(self, message=text)

    def to_json(self) -> dict[str, Any]:
        """``{type, message}``."""
        return {"type": "warning", "message": self.message}


@dataclass(frozen=True, slots=True)
class DeveloperMessage:
    """A note for the agent's context, in the developer role."""

    text: str

    def __post_init__(self) -> None:
        settle(self, text=words)

    def to_json(self) -> dict[str, Any]:
        """``{type, role, text}``."""
        return {"type": "message", "role": "developer", "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalResolvedEvent:
    """A request is closed by an answer, a time-out or the end of its turn. Its ``approval_id`` is no longer valid."""

    approval_id: str
    turn_id: str
    decision: ReviewDecision

    def __post_init__(self) -> None:
        settle(self, approval_id=text, turn_id=text, decision=lambda value, what: decision_from_json(value))

    def to_json(self) -> dict[str, Any]:
        """``{type, approval_id, turn_id, decision}``."""
        return {
            "type": "approval_resolved",
            "approval_id": self.approval_id,
            "turn_id": self.turn_id,
            "decision": decision_to_json(self.decision),
        }


@dataclass(frozen=True, slots=True)
class TurnAbortedEvent:
    """The turn was interrupted and its pending work was cancelled."""

    turn_id: str

    def __post_init__(self) -> None:
        settle(self, turn_id=text)

    def to_json(self) -> dict[str, Any]:
        """``{type, turn_id, reason}``."""
        return {"type": "turn_aborted", "turn_id": self.turn_id, "reason": "interrupted"}


Event: TypeAlias = (
    ExecApprovalRequestEvent
    | ApplyPatchApprovalRequestEvent
    | ApprovalResolvedEvent
    | WarningEvent
    | DeveloperMessage
    | TurnAbortedEvent
    | ExecBeginEvent
    | ExecEndEvent
    | TerminalInteractionEvent
    | PatchBeginEvent
    | PatchEndEvent
    | NetworkDecisionEvent
)
