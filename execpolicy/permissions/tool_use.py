"""The tools that the approval modes know, wildcard patterns, and detection of repeated calls.

Sources: seed 001, "tool categories"; seed 002, "Doom Loop Detection": three equal calls in a row, or repeated cycles
(A B A B A B) if a longest cycle is given.

Wildcard patterns match as in opencode (``util/wildcard.ts``, 1.x; https://opencode.ai/docs/permissions). Its regular
expressions backtrack, so that a request of a few kilobytes stalls the program; those of ``fnmatch`` do not.

- ``*`` matches any text, including ``/``, blanks, newlines and the empty text; ``?`` matches exactly one character.
- The whole text has to match, and case matters (opencode folds case on Windows only).
- A pattern that ends with a blank and ``*`` also matches without that ending (``ls *`` matches ``ls``).
- Backslashes count as slashes on both sides.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

from execpolicy.errors import UsageError
from execpolicy.permissions.request import PermissionRequest, ToolCall
from execpolicy.validators import Checked, OneOf, count, name, optional, shown, text

DOOM_LOOP_THRESHOLD = 3
"""The number of equal calls in a row that are a loop."""
PERMISSION = "doom_loop"


@dataclass(frozen=True, slots=True)
class Loop(Checked):
    """``repeats`` equal runs of ``cycle`` calls each, the newest call included."""

    tool: str
    input: Any
    cycle: int
    repeats: int

    def request(self, session_id: str, *, tool: ToolCall | None = None) -> PermissionRequest:
        """The request for permission to continue."""
        return PermissionRequest(
            session_id=session_id,
            permission=PERMISSION,
            patterns=(self.tool,),
            always=(self.tool,),
            metadata={"tool": self.tool, "input": self.input, "cycle": self.cycle, "repeats": self.repeats},
            tool=tool,
        )


class DoomLoops:
    """Remembers the last calls of every session.

    Args:
        threshold: the number of equal runs that make a loop.
        longest_cycle: the maximum length of a cycle in calls; 1 finds identical calls only.

    Raises:
        UsageError: one of them is too small.
    """

    def __init__(self, *, threshold: int = DOOM_LOOP_THRESHOLD, longest_cycle: int = 1) -> None:
        if count(threshold, "DoomLoops: `threshold`") < 2 or count(longest_cycle, "DoomLoops: `longest_cycle`") < 1:
            raise UsageError("a loop needs a threshold of at least 2 and a cycle of at least 1")
        self._threshold = threshold
        self._longest_cycle = longest_cycle
        self._calls: dict[str, deque[str]] = {}

    def record(self, session_id: str, tool: str, input: Any) -> Loop | None:
        """Records a call of ``tool`` and returns the loop that it completes, the shortest cycle first."""
        return self._completed(self._noted(session_id, _key(tool, input)), tool, input)

    def recorded(self, session_id: str, tool: str, input: Any) -> Loop | None:
        """The loop that the last call completed, if it was this one. This query is not recorded as a call."""
        recent = self._recent(session_id)
        if recent[-1:] != [self._stored_form(session_id, _key(tool, input))]:
            return None
        return self._completed(recent, tool, input)

    def _completed(self, recent: list[str], tool: str, input: Any) -> Loop | None:
        for cycle in range(1, self._longest_cycle + 1):
            needed = cycle * self._threshold
            if len(recent) >= needed and recent[-needed:] == recent[-cycle:] * self._threshold:
                return Loop(tool, input, cycle, self._threshold)
        return None

    def _noted(self, session_id: str, call: str) -> list[str]:
        """The last calls of the session, this one included."""
        calls = self._calls.setdefault(session_id, deque(maxlen=self._threshold * self._longest_cycle))
        calls.append(self._stored_form(session_id, call))
        return list(calls)

    def _recent(self, session_id: str) -> list[str]:
        """The last calls of the session."""
        return list(self._calls.get(session_id, ()))

    def _stored_form(self, session_id: str, call: str) -> str:
        """The stored form of a call."""
        return call

    def interrupt(self, session_id: str) -> None:
        """Restarts the count after an event other than a tool call (a user's message), or at the end of a session."""
        self._calls.pop(session_id, None)


def _key(tool: str, input: Any) -> str:
    """A text that is equal for equal inputs, in any order of their keys."""
    try:
        return json.dumps([tool, input], sort_keys=True)
    except (TypeError, ValueError):
        text = {str(k): repr(v) for k, v in input.items()} if isinstance(input, Mapping) else repr(input)
        return json.dumps([tool, text], sort_keys=True)


def wildcard_match(text: str, pattern: str) -> bool:
    """True if the whole of ``text`` matches ``pattern``.

    Raises:
        UsageError: one of them is no text.
    """
    if not isinstance(text, str) or not isinstance(pattern, str):
        raise UsageError(f"a text and a pattern are matched, not {shown(text)} and {shown(pattern)}")
    return _compiled(pattern).match(text.replace("\\", "/")) is not None


def wildcard_may_match(start: str, pattern: str) -> bool:
    """True if ``pattern`` matches some text that begins with ``start``."""
    start, pattern = start.replace("\\", "/"), pattern.replace("\\", "/")
    reachable = _behind_stars({0}, pattern)
    for char in start:
        kept = {at for at in reachable if pattern[at : at + 1] == "*"}
        passed = {at + 1 for at in reachable if pattern[at : at + 1] in ("?", char)}
        reachable = _behind_stars(kept | passed, pattern)
        if not reachable:
            return False
    return True


def _behind_stars(places: set[int], pattern: str) -> set[int]:
    found = set(places)
    for at in places:
        while pattern[at : at + 1] == "*":
            at += 1
            found.add(at)
    return found


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    pattern = pattern.replace("\\", "/").replace("[", "[[]")
    forms = (pattern, pattern.removesuffix(" *"))
    return re.compile("|".join([translate(form) for form in dict.fromkeys(forms)]))


class ToolCategory(OneOf):
    """The kind of resource that a tool uses."""

    READ = "read"
    WRITE = "write"
    COMMAND = "command"
    NETWORK = "network"
    ASK = "ask"


class ApprovalMode(OneOf):
    """The level of trust in a session."""

    DEFAULT = "default"
    AUTO_EDIT = "autoEdit"
    YOLO = "yolo"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse(Checked):
    """One call of a tool.

    Attributes:
        params: JSON values.
        call_id: unique among the calls of a session.
    """

    name: str
    params: Mapping[str, Any]
    call_id: str = ""

    def to_json(self) -> dict[str, Any]:
        """The call in the seed's field names."""
        return {"name": self.name, "params": dict(self.params), "callId": self.call_id}


@dataclass(frozen=True, slots=True)
class ApprovalContext(Checked):
    """The input of a tool's own ``needs_approval``."""

    params: Mapping[str, Any]
    approval_mode: ApprovalMode


NeedsApproval: TypeAlias = Callable[[ApprovalContext], bool | Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Tool(Checked, name=name, command_param=optional(name)):
    """A tool as the modes see it.

    Attributes:
        category: the category; ``None`` for an unknown tool, which no mode lets run without asking.
        command_param: the parameter that holds a shell command (a script or an argv), for tools that run one.
        needs_approval: the tool's own opinion; exactly ``False`` means that no approval is needed.
    """

    name: str
    category: ToolCategory | None
    command_param: str | None = None
    needs_approval: NeedsApproval | None = field(default=None, compare=False)


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
    """The tools that each session runs without asking (``session.config.approvalTools``)."""

    def __init__(self) -> None:
        self._tools: dict[str, set[str]] = {}

    def add(self, session_id: str, tool: str) -> None:
        """Adds ``tool`` to the session's list; a high-risk command still needs approval."""
        self._tools.setdefault(session_id, set()).add(text(tool, "a tool"))

    def remove(self, session_id: str, tool: str) -> None:
        """Removes ``tool`` from the session's list."""
        self._tools.get(session_id, set()).discard(tool)

    def holds(self, session_id: str, tool: str) -> bool:
        """True if ``tool`` is on the session's list."""
        return tool in self._tools.get(session_id, ())

    def listed(self, session_id: str) -> frozenset[str]:
        """The session's list."""
        return frozenset(self._tools.get(session_id, ()))

    def end_session(self, session_id: str) -> None:
        """Deletes the session's list."""
        self._tools.pop(session_id, None)
