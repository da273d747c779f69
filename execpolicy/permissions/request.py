"""Permission requests, replies and the events that a user interface listens to.

What this package needs from the world: somebody who judges commands, somebody who reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Literal, Protocol, TypeAlias

from execpolicy.validators import OneOf, every, instance, mapping, member, one_of, optional, settle, text, texts

Shell: TypeAlias = str | Sequence[str]
"""A script, or an argv."""


class Risk(IntEnum):
    """How bad running a command could be; the risk of several is their ``max``."""

    ORDINARY = 0
    HIGH = 1
    """Destructive, ruled to be asked about, or not understood: a mode alone never lets it run."""
    BANNED = 2
    """A rule forbids it: it does not run, whoever agrees."""


@dataclass(frozen=True, slots=True)
class RiskAssessment:
    """A command's risk and, if it is not ordinary, why: one line."""

    risk: Risk
    reason: str = ""

    def __post_init__(self) -> None:
        settle(self, risk=instance(Risk), reason=text)


class CommandJudge(Protocol):
    """Reads a command as the shell would and says how risky it is."""

    def assess(self, command: Shell, /) -> RiskAssessment:
        """The risk of everything that ``command`` can run. What it raises counts as :attr:`Risk.HIGH`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The commands that a script can be seen to run, wrappers (``sudo``, ``env`` …) looked through.

    Attributes:
        commands: one argv each, ``None`` for a word that is only known at run time.
        unreadable: why there may be more than can be seen; ``None`` if everything was understood.
    """

    commands: tuple[tuple[str | None, ...], ...]
    unreadable: str | None = None

    def __post_init__(self) -> None:
        settle(self, commands=every(every(optional(text))), unreadable=optional(text))


class CommandReader(Protocol):
    """Reads a command as the shell would."""

    def read(self, command: Shell, /) -> Reading:
        """Every command that can be seen in ``command``."""


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
