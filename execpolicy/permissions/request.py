"""Permission requests, replies, the events for a user interface, and the protocols of command judges and readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Literal, Protocol, TypeAlias, TypeGuard

from execpolicy.validators import Checked, OneOf, instance

Shell: TypeAlias = str | Sequence[str]
"""A script, or an argv."""


def is_command(value: object) -> TypeGuard[Shell]:
    """True if ``value`` is a script, or an argv that is not empty."""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(word, str) for word in value)
    return isinstance(value, str)


class Risk(IntEnum):
    """The risk of a command; the risk of several commands is their ``max``."""

    ORDINARY = 0
    HIGH = 1
    """Destructive, subject to a prompt rule, or not understood: a mode alone never lets it run."""
    BANNED = 2
    """Forbidden by a rule: it never runs, even with an approval."""


@dataclass(frozen=True, slots=True)
class RiskAssessment(Checked, risk=instance(Risk)):
    """A command's risk, with a one-line reason if the risk is not ordinary."""

    risk: Risk
    reason: str = ""


class CommandJudge(Protocol):
    """Parses a command as the shell does and assesses its risk."""

    def assess(self, command: Shell, /) -> RiskAssessment:
        """The risk of everything that ``command`` can run. An exception counts as :attr:`Risk.HIGH`."""


@dataclass(frozen=True, slots=True)
class Reading(Checked):
    """The commands that a script visibly runs, including those inside wrappers (``sudo``, ``env`` …).

    Attributes:
        commands: one argv each, ``None`` for a word that is only known at run time.
        unreadable: the reason why there may be further commands; ``None`` if everything was understood.
    """

    commands: tuple[tuple[str | None, ...], ...]
    unreadable: str | None = None


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
class ToolCall(Checked):
    """The tool call of a request."""

    message_id: str
    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRequest(Checked):
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
class Asked(Checked):
    """An event: a request now waits for an answer."""

    request: PermissionRequest

    def to_json(self) -> dict[str, Any]:
        """``{"type": "permission.asked", "properties": …}``."""
        return {"type": "permission.asked", "properties": self.request.to_json()}


@dataclass(frozen=True, slots=True)
class Replied(Checked):
    """An event: a request was answered, by a person or as a consequence of another answer."""

    session_id: str
    request_id: str
    reply: Reply

    def to_json(self) -> dict[str, Any]:
        """``{"type": "permission.replied", "properties": …}``."""
        properties = {"sessionID": self.session_id, "requestID": self.request_id, "reply": self.reply.value}
        return {"type": "permission.replied", "properties": properties}


@dataclass(frozen=True, slots=True)
class Withdrawn(Checked):
    """An event: a request no longer waits, and has no answer."""

    session_id: str
    request_id: str
    why: Literal["cancelled", "timeout"]

    def to_json(self) -> dict[str, Any]:
        """``{"type": "permission.withdrawn", "properties": …}``."""
        properties = {"sessionID": self.session_id, "requestID": self.request_id, "why": self.why}
        return {"type": "permission.withdrawn", "properties": properties}


Event: TypeAlias = Asked | Replied | Withdrawn
