"""The events of a session, for a host that watches: messages of both sides and the child's output.

Source: seed 004, section 5.2 (``event_rx``). Watching never delays a decision: events that are not fetched in time are
dropped, oldest first, and counted.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Literal, TypeAlias

from execpolicy.protocol.codec import MessageError
from execpolicy.protocol.messages import Control, Envelope, Event
from execpolicy.validators import Checked, count, flag, instance

MAX_UNREAD = 10_000
"""The maximum number of events that wait to be fetched."""
MAX_LINE = 1 << 16
"""The maximum size in bytes of a line of output; a longer one comes in parts."""


@dataclass(frozen=True, slots=True)
class ToolEvent(Checked, message=instance(Envelope)):
    """A message from the child."""

    message: Event


@dataclass(frozen=True, slots=True)
class ToldEvent(Checked, message=instance(Envelope)):
    """A message to the child."""

    message: Control


@dataclass(frozen=True, slots=True)
class BrokenEvent(Checked):
    """A line that looks like an event but is not valid; ``error`` gives the reason."""

    error: MessageError


@dataclass(frozen=True, slots=True)
class OutputLine(Checked):
    """A line of the child's output, without its newline."""

    stream: Literal["stdout", "stderr"]
    line: bytes


@dataclass(frozen=True, slots=True)
class MissedEvents(Checked):
    """The number of events that were not fetched in time."""

    count: int


ParsedEvent: TypeAlias = ToolEvent | ToldEvent | BrokenEvent | OutputLine | MissedEvents


class SessionEvents:
    """The events of one session, as an asynchronous iterator that ends with it.

    Args:
        output: true to include lines of output.
    """

    def __init__(self, *, output: bool = False, most: int = MAX_UNREAD) -> None:
        self.output = flag(output, "SessionEvents: `output`")
        self._most = count(most, "SessionEvents: `most`")
        self._waiting: deque[ParsedEvent] = deque()
        self._missed = 0
        self._closed = False
        self._news = asyncio.Event()
        self._rest: dict[Literal["stdout", "stderr"], bytes] = {"stdout": b"", "stderr": b""}

    def put(self, event: ParsedEvent) -> None:
        """Adds ``event``."""
        if len(self._waiting) >= self._most:
            self._waiting.popleft()
            self._missed += 1
        self._waiting.append(event)
        self._news.set()

    def printed(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        """Adds the lines that ``data`` completes."""
        *whole, rest = (self._rest[stream] + data).split(b"\n")
        for line in whole:
            self.put(OutputLine(stream, line))
        while len(rest) > MAX_LINE:
            self.put(OutputLine(stream, rest[:MAX_LINE]))
            rest = rest[MAX_LINE:]
        self._rest[stream] = rest

    def close(self) -> None:
        """Ends the iterator after the events that wait."""
        for stream, rest in self._rest.items():
            if rest:
                self.put(OutputLine(stream, rest))
                self._rest[stream] = b""
        self._closed = True
        self._news.set()

    def __aiter__(self) -> SessionEvents:
        return self

    async def __anext__(self) -> ParsedEvent:
        while not self._waiting and not self._missed:
            if self._closed:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        if self._missed:
            missed, self._missed = self._missed, 0
            return MissedEvents(missed)
        return self._waiting.popleft()
