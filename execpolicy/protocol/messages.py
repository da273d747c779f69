"""The messages of the protocol as values; the options and counters of an arbiter, and of a child's run under it.

Source: seed 004, sections 3 (control), 4 (events) and 3.1 (envelope). The seed names ``tool.result`` and
``tool.progress`` without fields; theirs are the ones that its text uses (``ok``, ``error``) and ``message``.
"""

from __future__ import annotations

import math
import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal, TypeAlias

from execpolicy.errors import UsageError
from execpolicy.permissions.ruleset import Action
from execpolicy.validators import Checked, OneOf, every, folder, optional, plain, shown, text
from execpolicy.validators import number as whole

VERSION = 1
"""The protocol version that this package supports."""

Timestamp: TypeAlias = str | int | float
"""RFC 3339 text, or milliseconds since 1970."""
MAX_ID = 512
"""The maximum length of a name, id, run_id or nonce in characters: they are kept for the whole session."""
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)")


def is_timestamp(value: object) -> bool:
    """True if ``value`` is a :data:`Timestamp`."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return 0 <= value < 1e17 and math.isfinite(value)
    if not isinstance(value, str) or _RFC3339.fullmatch(value) is None:
        return False
    try:
        datetime.fromisoformat(re.sub(r"\.(\d+)", lambda m: "." + (m[1] + "000000")[:6], value.upper()))
    except ValueError:
        return value[17:19] == "60"  # a leap second, which Python cannot represent
    return True


def is_name(value: object) -> bool:
    """True if ``value`` is a text that can be a name: not empty, and of bounded length."""
    return isinstance(value, str) and 0 < len(value) <= MAX_ID


def _timestamp(value: Any, what: str) -> Timestamp:
    if is_timestamp(value):
        return plain(value) if isinstance(value, str) else value
    raise UsageError(f"{what} must be an RFC 3339 time or milliseconds since 1970, not {shown(value)}")


def short_name(value: Any, what: str) -> str:
    """``value`` as a name that is short enough to be kept for the whole session."""
    if is_name(value):
        return plain(value)
    raise UsageError(f"{what} must be text of 1 to {MAX_ID} characters, not {shown(value)}")


def _version(value: Any, what: str) -> int:
    if type(value) is int and value == VERSION:
        return value
    raise UsageError(f"{what} must be {VERSION}, not {shown(value)}")


DecisionWord = Action
"""The word of a decision. ``ask`` is only for a host that asks a person itself; a child treats it as ``deny``."""


class Choice(OneOf):
    """The answer of a person (or of a program in their place) to a question."""

    ONCE = "once"
    SESSION = "session"
    """Yes, also for the same call again in this session."""
    KEEP = "keep"
    """Yes, also for every command with the proposed prefix, permanently."""
    DENY = "deny"
    ABORT = "abort"
    """No, and the session ends."""
    UNAVAILABLE = "unavailable"
    """No person could be asked: the default action decides."""


class AbortCode(OneOf):
    """The stable codes for the end of a session."""

    USER_CANCEL = "user_cancel"
    POLICY_VIOLATION = "policy_violation"
    PROTOCOL_ERROR = "protocol_error"
    FATAL_ERROR = "fatal_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope(
    Checked, id=short_name, ts=_timestamp, v=_version, run_id=optional(short_name), nonce=optional(short_name)
):
    """The fields of every message (section 3.1).

    Attributes:
        id: links a request, its decision and its result; 1 to 512 characters, as are ``run_id`` and ``nonce``.
        ts: the time of sending.
        run_id: names the session, across processes.
        trace: for diagnosis; nothing here reads it.
        nonce: unique within a session, against replays.
        extra: fields that are unknown to this version, unchanged.
    """

    TYPE: ClassVar[str] = ""
    id: str
    ts: Timestamp
    v: int = VERSION
    run_id: str | None = None
    trace: Mapping[str, Any] | None = None
    nonce: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest(Envelope, tool=short_name):
    """A tool is about to run (section 4.1).

    Attributes:
        requires_policy: true if the child waits for a decision. Without it, the child can only be warned about or
            aborted.
        rationale: the agent's reason, for the person who is asked.
    """

    TYPE: ClassVar[str] = "tool.request"
    tool: str
    action: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    requires_policy: bool = False
    rationale: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Envelope):
    """A tool call is over (section 6.1)."""

    TYPE: ClassVar[str] = "tool.result"
    ok: bool
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProgress(Envelope):
    """Something worth knowing meanwhile, also a child's warnings (section 3.2)."""

    TYPE: ClassVar[str] = "tool.progress"
    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDecision(Envelope, request_nonce=optional(short_name), proposal=optional(every(text))):
    """The answer to the request of the same id (section 3.2).

    Attributes:
        request_nonce: the ``nonce`` of the request that is answered; a child ignores a decision with another nonce.
        rule_id: the deciding rule's place, heuristic's name or permission.
        constraints: the limits of the call, for instance ``{"paths": […]}``. A child does not run a call whose limits
            it cannot keep.
        expires_in_ms: the validity in milliseconds; afterwards the child asks again.
        choices: with ``ask``, the answers that may be given.
        proposal: with ``ask``, the argv prefix that ``keep`` would allow permanently.
    """

    TYPE: ClassVar[str] = "policy.decision"
    decision: DecisionWord
    reason: str
    request_nonce: str | None = None
    rule_id: str | None = None
    constraints: Mapping[str, Any] | None = None
    expires_in_ms: int | None = None
    choices: tuple[Choice, ...] | None = None
    proposal: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyAnswer(Envelope, prefix=optional(every(text))):
    """A person's answer to the question of a host, after the decision ``ask`` for the request of the same id.

    Attributes:
        message: the person's message for the agent.
        prefix: with ``keep``, the first words of the proposal; ``None`` for all of it.
    """

    TYPE: ClassVar[str] = "policy.answer"
    answer: Choice
    message: str | None = None
    prefix: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyPing(Envelope, capabilities=every(text)):
    """The approval channel works (section 3.3). The answer to a ping is a ping of the same id, and ends there.

    Attributes:
        capabilities: ``message.vN`` names; both sides choose among these versions.
        timeout_ms: the maximum time in milliseconds that a request waits for its decision.
    """

    TYPE: ClassVar[str] = "policy.ping"
    capabilities: tuple[str, ...] = ()
    timeout_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyAbort(Envelope):
    """The session ends (section 3.4). ``code`` is one of :class:`AbortCode`, or another's word."""

    TYPE: ClassVar[str] = "policy.abort"
    reason: str
    code: str | None = None


Event: TypeAlias = ToolRequest | ToolResult | ToolProgress | PolicyPing | PolicyAnswer
"""The messages of a child or an embedding host. Answers are for hosts only: no child answers for a person."""

Control: TypeAlias = PolicyDecision | PolicyPing | PolicyAbort
"""The messages of an arbiter."""

Message: TypeAlias = ToolRequest | ToolResult | ToolProgress | PolicyDecision | PolicyAnswer | PolicyPing | PolicyAbort

CAPABILITIES = ("policy.decision.v1", "policy.ping.v1", "policy.abort.v1")
"""The capabilities that this package sends in a ping."""

ANSWERS = "policy.answer.v1"
"""The additional capability of an arbiter that leaves questions to its host."""


def negotiate(capabilities: tuple[str, ...] | list[str]) -> int | None:
    """The newest version of ``policy.decision`` that both sides support; ``None`` if there is none."""
    ours = {name for name in CAPABILITIES if name.startswith("policy.decision.v")}
    common = [int(name.rpartition("v")[2]) for name in capabilities if name in ours]
    return max(common, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbiterOptions(Checked, run_id=optional(short_name)):
    """The options of an arbiter.

    Attributes:
        timeout_s: the time limit of a question in seconds; afterwards the request is denied (section 4.2).
        default_action: the answer to a question that no person can be asked; a grave one is always denied.
        unwaited: the reaction to a denied or dangerous request of a child that does not wait (section 8.1).
        max_parse_errors: the number of broken event lines that ends the session; 0 for no limit (section 8.2).
        max_pending: the maximum number of requests that wait at once; further ones are denied.
        expires_in_ms: the validity of an *allow* in milliseconds; ``None`` for no limit.
        ask_host: true to send a question to the other side as the decision ``ask``, which a ``policy.answer`` answers.
        run_id: the name of the session in answers to requests that name none.
    """

    timeout_s: float = 300.0
    default_action: Literal["allow", "deny"] = "deny"
    unwaited: Literal["warn", "abort"] = "warn"
    max_parse_errors: int = 100
    max_pending: int = 8_192
    expires_in_ms: int | None = None
    ask_host: bool = False
    run_id: str | None = None


@dataclass(slots=True)
class Counters:
    """The counters of a session, for the end of the audit trail and for tests."""

    requests: int = 0
    allowed: int = 0
    denied: int = 0
    timed_out: int = 0
    repeated: int = 0
    reused: int = 0
    replayed: int = 0
    unknown_ids: int = 0
    parse_errors: int = 0
    unwritten: int = 0
    violations: int = 0
    warnings: int = 0
    by: dict[str, int] = field(default_factory=dict)


ABORTED = 125
"""The exit status if the arbiter ended the session."""

OUTPUT_LOST = 1
"""The exit status if only the output, or a line of the audit trail, could not be written."""

BROKEN_PIPE = 128 + signal.SIGPIPE
"""The exit status if the only failure is that the output has no reader any more."""

CANNOT_RUN = 126

NOT_FOUND = 127


def _start(value: Any, what: str) -> str:
    if "\n" not in text(value, what):
        return str(value)
    raise UsageError(f"{what} must be what a line can start with, not {shown(value)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions(Checked, cwd=optional(folder), prefix=_start):
    """The options of a child's run.

    Attributes:
        cwd: the child's working directory, absolute; ``None`` for that of this process.
        prefix: the start of event lines; empty for plain JSON lines.
        stderr_events: true to look for events on standard error too.
        ping: true to send a ping first, which promises decisions.
        grace_s: the time in seconds for the child to end after an abort or a signal, and again after SIGTERM.
        leftovers_s: the time in seconds between SIGTERM and SIGKILL for the processes that the child left behind.
        drain_s: the time in seconds in which output is still read after the end.
        stall_s: the time in seconds that the child may leave its standard input full.
        own_process: true if this process exists for this session only. Every process below it at the end was then left
            behind by an agent whose warden was killed, and is ended.
    """

    cwd: str | None = None
    env: Mapping[str, str] | None = None
    prefix: str = ""
    stderr_events: bool = True
    ping: bool = True
    grace_s: float = 5.0
    leftovers_s: float = 1.0
    drain_s: float = 2.0
    stall_s: float = 60.0
    own_process: bool = False


@dataclass(frozen=True, slots=True)
class Outcome(Checked, status=whole, returncode=optional(whole)):
    """The outcome of a session.

    Attributes:
        status: the exit status for this process: the child's own, 128 + signal, or 125 to 127.
        returncode: the child's return code, negative for a signal; ``None`` if it never ran.
        aborted: the code, if the arbiter ended the session.
    """

    status: int
    returncode: int | None
    aborted: AbortCode | None = None
