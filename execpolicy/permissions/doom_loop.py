"""An agent that repeats itself: the same tool with the same input again and again.

Source: seed 002, "Doom Loop Detection": three identical calls in a row are a request for the permission
``doom_loop``. Repeating cycles (A B A B A B) are found too when a longest cycle is given.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from execpolicy.errors import UsageError
from execpolicy.permissions.request import PermissionRequest, ToolCall
from execpolicy.validators import count, settle, text

DOOM_LOOP_THRESHOLD = 3
"""How many equal calls in a row are a loop."""
PERMISSION = "doom_loop"


@dataclass(frozen=True, slots=True)
class Loop:
    """``repeats`` equal runs of ``cycle`` calls each, the newest call included."""

    tool: str
    input: Any
    cycle: int
    repeats: int

    def __post_init__(self) -> None:
        settle(self, tool=text, cycle=count, repeats=count)

    def request(self, session_id: str, *, tool: ToolCall | None = None) -> PermissionRequest:
        """The question whether the agent may go on."""
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
        threshold: how many equal runs make a loop.
        longest_cycle: 1 finds identical calls only; more also finds cycles of up to that many calls.
    """

    def __init__(self, *, threshold: int = DOOM_LOOP_THRESHOLD, longest_cycle: int = 1) -> None:
        if count(threshold, "DoomLoops: `threshold`") < 2 or count(longest_cycle, "DoomLoops: `longest_cycle`") < 1:
            raise UsageError("a loop needs a threshold of at least 2 and a cycle of at least 1")
        self._threshold = threshold
        self._longest_cycle = longest_cycle
        self._calls: dict[str, deque[str]] = {}

    def record(self, session_id: str, tool: str, input: Any) -> Loop | None:
        """Note that ``tool`` is called now; the loop that this call completes, the shortest cycle first."""
        return self._completed(self._noted(session_id, _key(tool, input)), tool, input)

    def recorded(self, session_id: str, tool: str, input: Any) -> Loop | None:
        """The loop that the last call completed, if it was this one. Nothing is noted: it is asked about again."""
        recent = self._recent(session_id)
        if recent[-1:] != [self._kept(session_id, _key(tool, input))]:
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
        calls.append(self._kept(session_id, call))
        return list(calls)

    def _recent(self, session_id: str) -> list[str]:
        """The last calls of the session."""
        return list(self._calls.get(session_id, ()))

    def _kept(self, session_id: str, call: str) -> str:
        """What is kept of a call."""
        return call

    def interrupt(self, session_id: str) -> None:
        """Something other than a tool call happened (the user spoke): start counting anew. Also ends a session."""
        self._calls.pop(session_id, None)


def _key(tool: str, input: Any) -> str:
    """Equal for equal inputs, whatever order their keys came in."""
    try:
        return json.dumps([tool, input], sort_keys=True)
    except (TypeError, ValueError):
        text = {str(k): repr(v) for k, v in input.items()} if isinstance(input, Mapping) else repr(input)
        return json.dumps([tool, text], sort_keys=True)
