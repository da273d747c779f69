"""The arbiter for a host that embeds it: messages arrive on one descriptor and leave on another.

Every line has to be a message; a line that is not is counted as a broken event line. The end of the input ends the
session after every open question is answered.
"""

from __future__ import annotations

import asyncio
import queue
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from execpolicy.fd_io import LineReader, read_some, write_all
from execpolicy.protocol import outgoing
from execpolicy.protocol.arbiter import Arbiter
from execpolicy.protocol.codec import MessageError, ParseProblem, parse_line, render_line
from execpolicy.protocol.framing import MAX_EVENT_BYTES, Backlog
from execpolicy.protocol.messages import (
    ABORTED,
    BROKEN_PIPE,
    OUTPUT_LOST,
    AbortCode,
    Control,
    Event,
    PolicyAnswer,
    PolicyPing,
    ToolProgress,
    ToolRequest,
    ToolResult,
)
from execpolicy.protocol.session import SLICE
from execpolicy.validators import count, function, seconds

MAX_UNTAKEN = 4 << 20
"""The maximum size in bytes of the host's messages that wait to be processed; above it, the input is not read."""
MAX_UNSENT = 4 << 20
"""The maximum size in bytes of the messages to the host that wait; above it, the host's messages are not processed."""
_BLOCK = 1 << 18

_Arrived: TypeAlias = tuple[list[Event | MessageError], int]
"""The messages or errors of some lines, and the size of the lines in bytes."""

MakeArbiter: TypeAlias = Callable[[Callable[[Control], None], Callable[[AbortCode, str], None]], Arbiter]


class HostSession:
    """One conversation with a host. Call :meth:`run` once.

    Args:
        arbiter: creates the arbiter from a function that sends and one that aborts.
        stdin, stdout: descriptors; neither is closed.
        flush_s: seconds to wait at the end for a host that does not read.
    """

    def __init__(self, arbiter: MakeArbiter, *, stdin: int = 0, stdout: int = 1, flush_s: float = 5.0) -> None:
        self._stdin = count(stdin, "HostSession: `stdin`")
        self._stdout = count(stdout, "HostSession: `stdout`")
        self._flush_s = seconds(flush_s, "HostSession: `flush_s`")
        self._out: queue.Queue[bytes | None] = queue.Queue()
        self._unsent = 0
        self._room = asyncio.Event()
        self._room.set()
        self._written = threading.Event()
        self._status: int | None = None
        self._stop = asyncio.Event()
        self.arbiter: Arbiter = function(arbiter, "HostSession: `arbiter`")(self.send, self.abort)

    def send(self, message: Control) -> None:
        """Writes a message to the host."""
        line = render_line(message)
        self._unsent += len(line)
        if self._unsent > MAX_UNSENT:
            self._room.clear()
        self._out.put(line)

    def abort(self, code: AbortCode, reason: str) -> None:
        """Sends an abort to the host and ends the session."""
        self.send(outgoing.abort(code, reason, run_id=self.arbiter.options.run_id))
        self._end(ABORTED)

    def signal(self, number: int) -> None:
        """Handles a signal: denies the pending calls and ends the session."""
        self._status = 128 + number
        self.arbiter.abort(AbortCode.USER_CANCEL, f"signal {signal.Signals(number).name}")
        self._end(128 + number)

    async def run(self) -> int:
        """Serves until the input ends or the session is aborted; returns the exit status."""
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[_Arrived | None] = asyncio.Queue()
        untaken = Backlog(MAX_UNTAKEN)

        def call(function: Callable[..., object], *args: object) -> None:
            with suppress(RuntimeError):  # the session is over
                loop.call_soon_threadsafe(function, *args)

        def deliver(batch: list[Event | MessageError] | None, size: int) -> None:
            call(lines.put_nowait, None if batch is None else (batch, size))
            untaken.bring(size)

        threading.Thread(target=self._read, args=(deliver,), name="serve reader", daemon=True).start()
        threading.Thread(target=self._write, args=(call,), name="serve writer", daemon=True).start()
        taking = asyncio.create_task(self._take(lines, untaken))
        stopping = asyncio.create_task(self._stop.wait())
        await asyncio.wait([taking, stopping], return_when=asyncio.FIRST_COMPLETED)
        for task in (taking, stopping):
            task.cancel()
        failed = taking.exception() if taking.done() and not taking.cancelled() else None
        await self.arbiter.close()
        self._out.put(None)
        await asyncio.to_thread(self._written.wait, self._flush_s)
        if failed is not None:
            raise failed
        return self._status or (OUTPUT_LOST if self.arbiter.counters.unwritten else 0)

    def _end(self, status: int) -> None:
        if self._status is None:
            self._status = status
        self._stop.set()

    async def _take(self, lines: asyncio.Queue[_Arrived | None], untaken: Backlog) -> None:
        while (arrived := await lines.get()) is not None:
            batch, size = arrived
            for start in range(0, len(batch), SLICE):
                for one in batch[start : start + SLICE]:
                    if isinstance(one, MessageError):
                        self.arbiter.broken_line(one)
                    else:
                        self.arbiter.receive(one)
                await asyncio.sleep(0)
                await self._room.wait()
            untaken.take(size)
        self.arbiter.input_ended()
        await self.arbiter.idle()

    def _read(self, deliver: Callable[[list[Event | MessageError] | None, int], None]) -> None:
        size = 0

        def read() -> bytes:
            nonlocal size
            try:
                block = read_some(self._stdin, _BLOCK)
            except OSError:
                block = b""
            size += len(block)
            return block

        reader = LineReader(read, MAX_EVENT_BYTES)
        while (found := reader.batch()) is not None:
            batch = [message for line in found for message in _read_line(line)]
            if batch:
                deliver(batch, size)
                size = 0
        deliver(None, 0)

    def _write(self, call: Callable[..., None]) -> None:
        while (line := self._out.get()) is not None:
            lines = [line]
            last = False
            while not last and not self._out.empty():
                more = self._out.get()
                last = more is None
                if more is not None:
                    lines.append(more)
            together = b"".join(lines)
            try:
                write_all(self._stdout, together)
            except OSError as error:
                call(self._end, BROKEN_PIPE if isinstance(error, BrokenPipeError) else OUTPUT_LOST)
                break
            call(self._is_sent, len(together))
            if last:
                break
        self._written.set()

    def _is_sent(self, size: int) -> None:
        self._unsent -= size
        if self._unsent <= MAX_UNSENT:
            self._room.set()


_TOO_LONG = MessageError(ParseProblem.TOO_LONG, f"the line is longer than {MAX_EVENT_BYTES} bytes")


def _read_line(line: bytes | None) -> list[Event | MessageError]:
    if line is None:
        return [_TOO_LONG]
    if not line.strip():
        return []
    try:
        message = parse_line(line)
    except MessageError as error:
        return [error]
    if isinstance(message, ToolRequest | ToolResult | ToolProgress | PolicyPing | PolicyAnswer):
        return [message]
    return [MessageError(ParseProblem.UNKNOWN_TYPE, f"a host does not say {message.TYPE}", field="type")]
