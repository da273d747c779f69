"""The tools that the approval modes know, and what they touch.

Source: seed 001, "tool categories" table.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from execpolicy.validators import OneOf, function, mapping, member, name, optional, settle, text


class ToolCategory(OneOf):
    """What a tool touches."""

    READ = "read"
    WRITE = "write"
    COMMAND = "command"
    NETWORK = "network"
    ASK = "ask"


class ApprovalMode(OneOf):
    """How much a session is trusted."""

    DEFAULT = "default"
    AUTO_EDIT = "autoEdit"
    YOLO = "yolo"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One call of a tool.

    Attributes:
        params: JSON values.
        call_id: unique among the calls of a session.
    """

    name: str
    params: Mapping[str, Any]
    call_id: str = ""

    def __post_init__(self) -> None:
        settle(self, name=text, params=mapping, call_id=text)

    def to_json(self) -> dict[str, Any]:
        """The call in the seed's field names."""
        return {"name": self.name, "params": dict(self.params), "callId": self.call_id}


@dataclass(frozen=True, slots=True)
class ApprovalContext:
    """What a tool's own ``needs_approval`` may look at."""

    params: Mapping[str, Any]
    approval_mode: ApprovalMode

    def __post_init__(self) -> None:
        settle(self, params=mapping, approval_mode=member(ApprovalMode))


NeedsApproval: TypeAlias = Callable[[ApprovalContext], bool | Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the modes see it.

    Attributes:
        category: ``None`` for a tool that nobody described: no mode lets it run unasked.
        command_param: the parameter that holds a shell command (a script or an argv), for tools that run one.
        needs_approval: the tool's own opinion; exactly ``False`` means that nobody has to be asked.
    """

    name: str
    category: ToolCategory | None
    command_param: str | None = None
    needs_approval: NeedsApproval | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        settle(self, name=name, category=optional(member(ToolCategory)), command_param=optional(name))
        settle(self, needs_approval=optional(function))


def _table() -> Mapping[str, Tool]:
    names = {
        ToolCategory.READ: ("read", "grep", "glob", "ls", "bash_output", "todo", "task", "skill"),
        ToolCategory.WRITE: ("write", "edit"),
        ToolCategory.COMMAND: ("kill_bash",),
        ToolCategory.NETWORK: ("fetch",),
        ToolCategory.ASK: ("askUserQuestion",),
    }
    tools = {name: Tool(name, category) for category, group in names.items() for name in group}
    tools["bash"] = Tool("bash", ToolCategory.COMMAND, command_param="command")
    return MappingProxyType(tools)


TOOLS = _table()
"""The built-in tools by name."""


class SessionTools:
    """Which tools a session has been told to run without asking (``session.config.approvalTools``)."""

    def __init__(self) -> None:
        self._tools: dict[str, set[str]] = {}

    def add(self, session_id: str, tool: str) -> None:
        """Let ``tool`` run unasked in this session; a high-risk command is still asked about."""
        self._tools.setdefault(session_id, set()).add(text(tool, "a tool"))

    def remove(self, session_id: str, tool: str) -> None:
        """Ask about ``tool`` again."""
        self._tools.get(session_id, set()).discard(tool)

    def holds(self, session_id: str, tool: str) -> bool:
        """Whether ``tool`` is on the session's list."""
        return tool in self._tools.get(session_id, ())

    def listed(self, session_id: str) -> frozenset[str]:
        """The session's list."""
        return frozenset(self._tools.get(session_id, ()))

    def end_session(self, session_id: str) -> None:
        """Forget the session's list."""
        self._tools.pop(session_id, None)
