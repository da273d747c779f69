"""The messages of the protocol as values.

Source: seed 004, sections 3 (control), 4 (events) and 3.1 (envelope). ``tool.result`` and ``tool.progress`` are named
there without fields; theirs are the ones that its text uses (``ok``, ``error``) and ``message``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

VERSION = 1
"""The protocol version that this package speaks."""

Timestamp: TypeAlias = str | int | float
"""RFC 3339 text, or milliseconds since 1970."""


class DecisionWord(StrEnum):
    """What a decision says. ``ask`` is only for a host that does the asking; a child takes it for ``deny``."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"


class AbortCode(StrEnum):
    """Why a session was ended; stable."""

    USER_CANCEL = "user_cancel"
    POLICY_VIOLATION = "policy_violation"
    PROTOCOL_ERROR = "protocol_error"
    FATAL_ERROR = "fatal_error"


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

    id: str
    ts: Timestamp
    v: int = VERSION
    run_id: str | None = None
    trace: Mapping[str, Any] | None = None
    nonce: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest(Envelope):
    """A tool is about to run (section 4.1).

    Attributes:
        requires_policy: the child waits for a decision. One that does not can only be warned about or aborted.
        rationale: why the agent wants it, for the person who is asked.
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
class PolicyDecision(Envelope):
    """The answer to the request of the same id (section 3.2).

    Attributes:
        rule_id: what decided: a rule's place, a heuristic's name or a permission.
        constraints: what the call is limited to, for instance ``{"paths": […]}``.
        expires_in_ms: how long it holds; then the child asks again.
    """

    TYPE: ClassVar[str] = "policy.decision"

    decision: DecisionWord
    reason: str
    rule_id: str | None = None
    constraints: Mapping[str, Any] | None = None
    expires_in_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyPing(Envelope):
    """The approval channel works (section 3.3).

    Attributes:
        capabilities: ``message.vN`` names; the versions in them are what the two sides can agree on.
        timeout_ms: how long a request waits for its decision at most.
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


Event: TypeAlias = ToolRequest | ToolResult | ToolProgress | PolicyPing
"""What a child (or a host that embeds an arbiter) says. Its ping says which versions it speaks."""

Control: TypeAlias = PolicyDecision | PolicyPing | PolicyAbort
"""What an arbiter says."""

Message: TypeAlias = ToolRequest | ToolResult | ToolProgress | PolicyDecision | PolicyPing | PolicyAbort

CAPABILITIES = ("policy.decision.v1", "policy.ping.v1", "policy.abort.v1")
"""What this package offers in a ping."""


def negotiate(capabilities: tuple[str, ...] | list[str]) -> int | None:
    """The newest version of ``policy.decision`` that both sides speak; ``None`` if there is none."""
    ours = {name for name in CAPABILITIES if name.startswith("policy.decision.v")}
    common = [int(name.rpartition("v")[2]) for name in capabilities if name in ours]
    return max(common, default=None)
