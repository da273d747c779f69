"""Permission requests, replies and the events that a user interface listens to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from execpolicy.validators import OneOf, instance, mapping, member, one_of, optional, settle, text, texts


class Reply(OneOf):
    """What a person answers (seed 002, "Reply types")."""

    ONCE = "once"
    ALWAYS = "always"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The tool call that a request belongs to."""

    message_id: str
    call_id: str

    def __post_init__(self) -> None:
        settle(self, message_id=text, call_id=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRequest:
    """A question that a tool puts before it acts.

    Attributes:
        id: unique among the pending requests; empty lets the service choose one.
        patterns: what is about to be touched, each judged by itself. Plain text, no wildcards; a single text is one.
        metadata: for the user interface; nothing here reads it.
        always: wildcard patterns that the answer *always* will allow in this session.
    """

    session_id: str
    permission: str
    patterns: tuple[str, ...]
    always: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tool: ToolCall | None = None
    id: str = ""

    def __post_init__(self) -> None:
        settle(self, session_id=text, permission=text, patterns=texts, always=texts, metadata=mapping, id=text)
        settle(self, tool=optional(instance(ToolCall)))

    def to_json(self) -> dict[str, Any]:
        """The request in opencode's field names."""
        body: dict[str, Any] = {
            "id": self.id,
            "sessionID": self.session_id,
            "permission": self.permission,
            "patterns": list(self.patterns),
            "metadata": dict(self.metadata),
            "always": list(self.always),
        }
        if self.tool is not None:
            body["tool"] = {"messageID": self.tool.message_id, "callID": self.tool.call_id}
        return body


@dataclass(frozen=True, slots=True)
class Asked:
    """A request now waits for an answer."""

    request: PermissionRequest

    def __post_init__(self) -> None:
        settle(self, request=instance(PermissionRequest))

    def to_json(self) -> dict[str, Any]:
        """``{"type": "permission.asked", "properties": …}``."""
        return {"type": "permission.asked", "properties": self.request.to_json()}


@dataclass(frozen=True, slots=True)
class Replied:
    """A request was answered, by a person or by the cascade of another answer."""

    session_id: str
    request_id: str
    reply: Reply

    def __post_init__(self) -> None:
        settle(self, session_id=text, request_id=text, reply=member(Reply))

    def to_json(self) -> dict[str, Any]:
        """``{"type": "permission.replied", "properties": …}``."""
        properties = {"sessionID": self.session_id, "requestID": self.request_id, "reply": self.reply.value}
        return {"type": "permission.replied", "properties": properties}


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A request no longer waits although nobody answered it."""

    session_id: str
    request_id: str
    why: Literal["cancelled", "timeout"]

    def __post_init__(self) -> None:
        settle(self, session_id=text, request_id=text, why=one_of("cancelled", "timeout"))

    def to_json(self) -> dict[str, Any]:
        """``{"type": "permission.withdrawn", "properties": …}``."""
        properties = {"sessionID": self.session_id, "requestID": self.request_id, "why": self.why}
        return {"type": "permission.withdrawn", "properties": properties}


Event: TypeAlias = Asked | Replied | Withdrawn
