"""Permission requests, replies, the events for a user interface, and the protocols of command judges and readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Literal, Protocol, TypeAlias

from execpolicy.validators import OneOf, every, instance, mapping, member, one_of, optional, settle, text, texts

Shell: TypeAlias = str | Sequence[str]
"""A script, or an argv."""


class Risk(IntEnum):
    """The risk of a command; the risk of several commands is their ``max``."""

    ORDINARY = 0
    HIGH = 1
    """Destructive, subject to a prompt rule, or not understood: a mode alone never lets it run."""
    BANNED = 2
    """Forbidden by a rule: it never runs, even with an approval."""


@dataclass(frozen=True, slots=True)
class RiskAssessment:
    """A command's risk, with a one-line reason if the risk is not ordinary."""

    risk: Risk
    reason: str = ""

    def __post_init__(self) -> None:
        settle(self, risk=instance(Risk), reason=text)


class CommandJudge(Protocol):
    """Parses a command as the shell does and assesses its risk."""

    def assess(self, command: Shell, /) -> RiskAssessment:
        """The risk of everything that ``command`` can run. An exception counts as :attr:`Risk.HIGH`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The commands that a script visibly runs, including those inside wrappers (``sudo``, ``env`` …).

    Attributes:
        commands: one argv each, ``None`` for a word that is only known at run time.
        unreadable: the reason why there may be further commands; ``None`` if everything was understood.
    """

    commands: tuple[tuple[str | None, ...], ...]
    unreadable: str | None = None

    def __post_init__(self) -> None:
        settle(self, commands=every(every(optional(text))), unreadable=optional(text))


class CommandReader(Protocol):
    """Parses a command as the shell does."""

    def read(self, command: Shell, /) -> Reading:
        """Every command that is visible in ``command``."""


class Reply(OneOf):
    """A person's answer (seed 002, "Reply types")."""

    ONCE = "once"
    ALWAYS = "always"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The tool call of a request."""

    message_id: str
    call_id: str

    def __post_init__(self) -> None:
        settle(self, message_id=text, call_id=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRequest:
    """A tool's question before it acts.

    Attributes:
        id: unique among the pending requests; if empty, the service chooses one.
        patterns: the commands or paths that the call would use, each judged by itself. Plain text, no wildcards; a
            single text is accepted.
        metadata: data for the user interface; nothing here reads it.
        always: wildcard patterns that the answer *always* allows in this session.
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
    """An event: a request now waits for an answer."""

    request: PermissionRequest

    def __post_init__(self) -> None:
        settle(self, request=instance(PermissionRequest))

    def to_json(self) -> dict[str, Any]:
        """``{"type": "permission.asked", "properties": …}``."""
        return {"type": "permission.asked", "properties": self.request.to_json()}


@dataclass(frozen=True, slots=True)
class Replied:
    """An event: a request was answered, by a person or as a consequence of another answer."""

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
    """An event: a request no longer waits, and has no answer."""

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
