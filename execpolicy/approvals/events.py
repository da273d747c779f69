"""The events of a session. Each has ``to_json`` with a ``type``; a host shows, logs or forwards them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, TypeAlias

from execpolicy.approvals.parsed_command import ParsedCommand
from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import ReviewDecision, decision_from_json, decision_to_json
from execpolicy.errors import UsageError
from execpolicy.validators import Checked, argv, folder, instance, name, number, one_of, optional
from execpolicy.validators import command as shell_command

_JSON_NAMES = {"to": "network", "seconds": "duration_seconds"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event(Checked):
    TYPE: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """The ``type`` and the fields, in snake case; absent fields are left out."""
        values = {_JSON_NAMES.get(one.name, one.name): getattr(self, one.name) for one in fields(self)}
        return {"type": self.TYPE, **{name: _to_json(value) for name, value in values.items() if value is not None}}


def _to_json(value: Any) -> Any:
    if isinstance(value, ReviewDecision):
        return decision_to_json(value)
    if isinstance(value, tuple):
        return [_to_json(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _to_json(one) for key, one in value.items()}
    if isinstance(value, float):
        return round(value, 1)
    return value.to_json() if hasattr(value, "to_json") else value


LAST_PORT = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkTarget(Checked, host=name, protocol=one_of("http", "https", "socks5_tcp")):
    """The target of a connection.

    Attributes:
        host: normalised, without a port.
        protocol: ``http``, ``https`` or ``socks5_tcp``.
        port: 0 to 65535.
    """

    host: str
    protocol: str
    port: int

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        if self.port > LAST_PORT:
            raise UsageError(f"NetworkTarget: port must be at most {LAST_PORT}, not {self.port}")

    def to_json(self) -> dict[str, Any]:
        """``{host, protocol, port}``."""
        return {"host": self.host, "protocol": self.protocol, "port": self.port}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecApprovalRequestEvent(_Event, command=argv):
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

    TYPE: ClassVar[str] = "exec_approval_request"
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

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for the question, one line each."""
        return self.told or (() if self.reason is None else (self.reason,))

    def choices(self) -> tuple[str, ...]:
        """The answers to offer. Saving a prefix is offered only if one is proposed."""
        if self.human_only:
            return ("approved", "denied", "abort")
        saving = ("approved_execpolicy_amendment",) if self.proposed_execpolicy_amendment is not None else ()
        saving = saving if self.network is None else ("network_policy_amendment",)
        return ("approved", "approved_for_session", *saving, "denied", "abort")

    def to_json(self) -> dict[str, Any]:
        """Fields in snake case; absent ones are left out."""
        body = {**_Event.to_json(self), "available_decisions": list(self.choices())}
        if self.network is not None:
            body["network_approval_context"] = body.pop("network")
        left_out = ("told", *[name for name in ("human_only", "retry") if not body[name]])
        return {name: value for name, value in body.items() if name not in left_out}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange(Checked):
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
        Checked.__post_init__(self)
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
class ApplyPatchApprovalRequestEvent(_Event):
    """Requests approval of a patch.

    Attributes:
        changes: the change of each file, by absolute path.
        grant_root: a folder outside the sandbox that the patch writes to.
    """

    TYPE: ClassVar[str] = "apply_patch_approval_request"
    approval_id: str
    call_id: str
    turn_id: str
    changes: dict[str, FileChange] = field(default_factory=dict)
    reason: str | None = None
    grant_root: str | None = None

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for the question, one line each."""
        return () if self.reason is None else (self.reason,)

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        for change in self.changes.values():
            instance(FileChange)(change, "ApplyPatchApprovalRequestEvent: `changes`")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolApprovalRequestEvent(_Event, tool=name, command=optional(shell_command), cwd=optional(folder)):
    """Requests approval of a tool call that an agent reports, as by the policy protocol. Every field is untrusted.

    Attributes:
        tool: the name of the tool, and the action if it has one.
        command: the script or argv that the call runs; ``None`` if it runs none.
        shell, cwd: of the command; ``cwd`` is the agent's folder for other calls.
        arguments: the other arguments, without probable secrets.
        session: the agent's name for its session.
        told: the reasons for the question, one line each.
        human_only: an administrator's rule requires that a person answers, each time.
    """

    TYPE: ClassVar[str] = "tool_approval_request"
    tool: str
    command: str | tuple[str, ...] | None = None
    shell: str = "bash"
    cwd: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    session: str = ""
    told: tuple[str, ...] = ()
    proposed_execpolicy_amendment: ExecPolicyAmendment | None = None
    human_only: bool = False

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for the question, one line each."""
        return self.told


ApprovalRequest: TypeAlias = ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent | ToolApprovalRequestEvent
"""The events that a reviewer answers."""


@dataclass(frozen=True, slots=True)
class WarningEvent(_Event):
    """A problem that does not stop the call."""

    TYPE: ClassVar[str] = "warning"
    message: str


@dataclass(frozen=True, slots=True)
class DeveloperMessage(_Event):
    """A note for the agent's context, in the developer role."""

    TYPE: ClassVar[str] = "message"
    text: str

    def to_json(self) -> dict[str, Any]:
        """``{type, role, text}``."""
        return {"type": self.TYPE, "role": "developer", "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalResolvedEvent(_Event, decision=lambda value, what: decision_from_json(value)):
    """A request is closed by an answer, a time-out or the end of its turn. Its ``approval_id`` is no longer valid."""

    TYPE: ClassVar[str] = "approval_resolved"
    approval_id: str
    turn_id: str
    decision: ReviewDecision


@dataclass(frozen=True, slots=True)
class TurnAbortedEvent(_Event):
    """The turn was interrupted and its pending work was cancelled."""

    TYPE: ClassVar[str] = "turn_aborted"
    turn_id: str

    def to_json(self) -> dict[str, Any]:
        """``{type, turn_id, reason}``."""
        return {"type": self.TYPE, "turn_id": self.turn_id, "reason": "interrupted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecBeginEvent(_Event, command=argv):
    """A command starts, ``sandboxed`` if a sandbox confines this attempt.

    Attributes:
        reason: why it runs, or why a person was asked.
    """

    TYPE: ClassVar[str] = "exec_command_begin"
    call_id: str
    turn_id: str
    command: tuple[str, ...]
    cwd: str
    sandboxed: bool
    reason: str | None = None
    parsed_cmd: tuple[ParsedCommand, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecEndEvent(_Event, exit_code=number):
    """A command ended, was killed or could not be started (``exit_code`` is then -1)."""

    TYPE: ClassVar[str] = "exec_command_end"
    call_id: str
    turn_id: str
    exit_code: int
    seconds: float
    timed_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalInteractionEvent(_Event, session_id=number):
    """Text is sent to the open command that ``session_id`` names."""

    TYPE: ClassVar[str] = "terminal_interaction"
    call_id: str
    turn_id: str
    session_id: int
    stdin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchBeginEvent(_Event):
    """A patch is about to be applied to these files (absolute paths)."""

    TYPE: ClassVar[str] = "patch_apply_begin"
    call_id: str
    turn_id: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchEndEvent(_Event):
    """A patch was applied completely, or not at all."""

    TYPE: ClassVar[str] = "patch_apply_end"
    call_id: str
    turn_id: str
    success: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkDecisionEvent(_Event, by=one_of("policy", "session", "user")):
    """The decision about the first connection of a running command to a host, protocol and port.

    Attributes:
        by: ``policy`` for a network rule or if no question is allowed, ``session`` for a remembered answer, ``user``
            for a new answer.
        reason: the reason for a refusal; empty if the connection is allowed.
    """

    TYPE: ClassVar[str] = "network_decision"
    call_id: str
    turn_id: str
    to: NetworkTarget
    allowed: bool
    by: str
    reason: str = ""


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
