"""What happens in a session, for a host that watches: what the child says and prints, and what it is told.

Source: seed 004, section 5.2 (``event_rx``). Watching never delays a decision: what is not fetched in time is dropped,
oldest first, and counted.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Literal, TypeAlias

from execpolicy.protocol.codec import MessageError
from execpolicy.protocol.messages import Control, Envelope, Event
from execpolicy.validators import count, flag, instance, one_of, settle

MAX_UNREAD = 10_000
"""Events that may wait to be fetched."""
MAX_LINE = 1 << 16
"""Bytes of a line of output; a longer one comes in parts."""


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """The child said this."""

    message: Event

    def __post_init__(self) -> None:
        settle(self, message=instance(Envelope))


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """The child was told this."""

    message: Control

    def __post_init__(self) -> None:
        settle(self, message=instance(Envelope))


@dataclass(frozen=True, slots=True)
class BrokenEvent:
    """A line looked like an event and is none; ``error`` says why."""

    error: MessageError

    def __post_init__(self) -> None:
        settle(self, error=instance(MessageError))


@dataclass(frozen=True, slots=True)
class OutputLine:
    """A line that the child printed, without its newline."""

    stream: Literal["stdout", "stderr"]
    line: bytes

    def __post_init__(self) -> None:
        settle(self, stream=one_of("stdout", "stderr"), line=instance(bytes))


@dataclass(frozen=True, slots=True)
class MissedEvents:
    """So many events were not fetched in time."""

    count: int

    def __post_init__(self) -> None:
        settle(self, count=count)


ParsedEvent: TypeAlias = ToolEvent | ToldEvent | BrokenEvent | OutputLine | MissedEvents


class SessionEvents:
    """The events of one session, as an asynchronous iterator that ends with it.

    Args:
        output: lines of output too, not messages alone.
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
        """Add ``event``."""
        if len(self._waiting) >= self._most:
            self._waiting.popleft()
            self._missed += 1
        self._waiting.append(event)
        self._news.set()

    def printed(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        """Add the lines that ``data`` completes."""
        *whole, rest = (self._rest[stream] + data).split(b"\n")
        for line in whole:
            self.put(OutputLine(stream, line))
        while len(rest) > MAX_LINE:
            self.put(OutputLine(stream, rest[:MAX_LINE]))
            rest = rest[MAX_LINE:]
        self._rest[stream] = rest

    def close(self) -> None:
        """Nothing more will come."""
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
