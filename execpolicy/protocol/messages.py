"""The messages of the protocol as values.

Source: seed 004, sections 3 (control), 4 (events) and 3.1 (envelope). ``tool.result`` and ``tool.progress`` are named
there without fields; theirs are the ones that its text uses (``ok``, ``error``) and ``message``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from execpolicy.errors import UsageError
from execpolicy.given import Kind, OneOf, count, every, flag, mapping, member, optional, settle, shown, text

VERSION = 1
"""The protocol version that this package speaks."""

Timestamp: TypeAlias = str | int | float


def _timestamp(value: Any, what: str) -> Timestamp:
    """A time as text, or milliseconds since 1970."""
    if isinstance(value, str):
        return text(value, what)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf:
        return value
    raise UsageError(f"{what} must be a time as text or in milliseconds from 0, not {shown(value)}")


"""RFC 3339 text, or milliseconds since 1970."""


class DecisionWord(OneOf):
    """What a decision says. ``ask`` is only for a host that does the asking; a child takes it for ``deny``."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"


class Choice(OneOf):
    """What a person (or whoever stands for one) answers to a question."""

    ONCE = "once"
    SESSION = "session"
    """Also when the same call comes again in this session."""
    KEEP = "keep"
    """Also for every command with the proposed prefix, for good."""
    DENY = "deny"
    ABORT = "abort"
    """No, and the session ends."""
    UNAVAILABLE = "unavailable"
    """There was nobody to ask: the default action decides."""


class AbortCode(OneOf):
    """Why a session was ended; stable."""

    USER_CANCEL = "user_cancel"
    POLICY_VIOLATION = "policy_violation"
    PROTOCOL_ERROR = "protocol_error"
    FATAL_ERROR = "fatal_error"


_TEXT = optional(text)
_ENVELOPE = {"run_id": _TEXT, "trace": optional(mapping), "nonce": _TEXT, "extra": mapping}


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What every message carries (section 3.1).

    Attributes:
        id: links a request, its decision and its result.
        ts: when it was sent.
        run_id: names the session, across processes.
        trace: for diagnosis; nothing here reads it.
        nonce: unique within a session, against replays.
        extra: fields that this version does not know, kept as they came.
    """

    TYPE: ClassVar[str] = ""
    KINDS: ClassVar[Mapping[str, Kind]] = {}

    id: str
    ts: Timestamp
    v: int = VERSION
    run_id: str | None = None
    trace: Mapping[str, Any] | None = None
    nonce: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        settle(self, id=text, ts=_timestamp, v=count, **_ENVELOPE, **self.KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest(Envelope):
    """A tool is about to run (section 4.1).

    Attributes:
        requires_policy: the child waits for a decision. One that does not can only be warned about or aborted.
        rationale: why the agent wants it, for the person who is asked.
    """

    TYPE: ClassVar[str] = "tool.request"
    KINDS: ClassVar[Mapping[str, Kind]] = {
        "tool": text, "action": _TEXT, "args": mapping, "requires_policy": flag, "rationale": _TEXT
    }  # fmt: skip

    tool: str
    action: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    requires_policy: bool = False
    rationale: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Envelope):
    """A tool call is over (section 6.1)."""

    TYPE: ClassVar[str] = "tool.result"
    KINDS: ClassVar[Mapping[str, Kind]] = {"ok": flag, "error": _TEXT}

    ok: bool
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProgress(Envelope):
    """Something worth knowing meanwhile, also a child's warnings (section 3.2)."""

    TYPE: ClassVar[str] = "tool.progress"
    KINDS: ClassVar[Mapping[str, Kind]] = {"message": _TEXT}

    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDecision(Envelope):
    """The answer to the request of the same id (section 3.2).

    Attributes:
        request_nonce: the ``nonce`` of the request that is answered; a child ignores a decision that repeats another.
        rule_id: what decided: a rule's place, a heuristic's name or a permission.
        constraints: what the call is limited to, for instance ``{"paths": […]}``. What a child cannot keep to, it does
            not run.
        expires_in_ms: how long it holds; then the child asks again.
        choices: with ``ask``, the answers that may be given.
        proposal: with ``ask``, the argv prefix that ``keep`` would allow for good.
    """

    TYPE: ClassVar[str] = "policy.decision"
    KINDS: ClassVar[Mapping[str, Kind]] = {
        "decision": member(DecisionWord), "reason": text, "rule_id": _TEXT, "constraints": optional(mapping),
        "expires_in_ms": optional(count), "request_nonce": _TEXT, "choices": optional(every(member(Choice))),
        "proposal": optional(every(text)),
    }  # fmt: skip

    decision: DecisionWord
    reason: str
    request_nonce: str | None = None
    rule_id: str | None = None
    constraints: Mapping[str, Any] | None = None
    expires_in_ms: int | None = None
    choices: tuple[Choice, ...] | None = None
    proposal: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyAnswer(Envelope):
    """What the person said whom a host asked, after the decision ``ask`` for the request of the same id.

    Attributes:
        message: their words for the agent.
        prefix: with ``keep``, the first words of the proposal; all of it where this is missing.
    """

    TYPE: ClassVar[str] = "policy.answer"
    KINDS: ClassVar[Mapping[str, Kind]] = {
        "answer": member(Choice), "message": _TEXT, "prefix": optional(every(text))
    }  # fmt: skip

    answer: Choice
    message: str | None = None
    prefix: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyPing(Envelope):
    """The approval channel works (section 3.3). The answer to a ping is a ping of the same id, and ends there.

    Attributes:
        capabilities: ``message.vN`` names; the versions in them are what the two sides can agree on.
        timeout_ms: how long a request waits for its decision at most.
    """

    TYPE: ClassVar[str] = "policy.ping"
    KINDS: ClassVar[Mapping[str, Kind]] = {"capabilities": every(text), "timeout_ms": optional(count)}

    capabilities: tuple[str, ...] = ()
    timeout_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyAbort(Envelope):
    """The session ends (section 3.4). ``code`` is one of :class:`AbortCode`, or another's word."""

    TYPE: ClassVar[str] = "policy.abort"
    KINDS: ClassVar[Mapping[str, Kind]] = {"reason": text, "code": _TEXT}

    reason: str
    code: str | None = None


Event: TypeAlias = ToolRequest | ToolResult | ToolProgress | PolicyPing | PolicyAnswer
"""What a child, or a host that embeds an arbiter, says. Answers are for hosts alone: no child answers for a person."""

Control: TypeAlias = PolicyDecision | PolicyPing | PolicyAbort
"""What an arbiter says."""

Message: TypeAlias = ToolRequest | ToolResult | ToolProgress | PolicyDecision | PolicyAnswer | PolicyPing | PolicyAbort

CAPABILITIES = ("policy.decision.v1", "policy.ping.v1", "policy.abort.v1")
"""What this package offers in a ping."""

ANSWERS = "policy.answer.v1"
"""What an arbiter adds that leaves questions to its host."""


def negotiate(capabilities: tuple[str, ...] | list[str]) -> int | None:
    """The newest version of ``policy.decision`` that both sides speak; ``None`` if there is none."""
    ours = {name for name in CAPABILITIES if name.startswith("policy.decision.v")}
    common = [int(name.rpartition("v")[2]) for name in capabilities if name in ours]
    return max(common, default=None)
