"""The arbiter for a host that embeds it: messages in over one descriptor, out over another.

Every line has to be a message; a line that is none is counted as a broken event line. The end of the input ends the
session once every open question is answered.
"""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from execpolicy.protocol import outgoing
from execpolicy.protocol.arbiter import Arbiter
from execpolicy.protocol.codec import MessageError, ParseProblem, parse_line, render_line
from execpolicy.protocol.framing import MAX_EVENT_BYTES
from execpolicy.protocol.messages import (
    AbortCode,
    Control,
    Event,
    PolicyPing,
    ToolProgress,
    ToolRequest,
    ToolResult,
)
from execpolicy.protocol.session import ABORTED, SLICE

MAX_QUEUED = 1_000
"""Chunks of input, or lines of output, that may wait; then no more input is read."""

MakeArbiter: TypeAlias = Callable[[Callable[[Control], None], Callable[[AbortCode, str], None]], Arbiter]


class HostSession:
    """One conversation with a host. :meth:`run` it once.

    Args:
        arbiter: makes the arbiter, given how to send and how to abort.
        stdin, stdout: descriptors; neither is closed.
    """

    def __init__(self, arbiter: MakeArbiter, *, stdin: int = 0, stdout: int = 1, flush_s: float = 5.0) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._flush_s = flush_s
        self._out: queue.Queue[bytes | None] = queue.Queue()
        self._written = threading.Event()
        self._status: int | None = None
        self._stop: asyncio.Event | None = None
        self.arbiter = arbiter(self.send, self.abort)

    def send(self, message: Control) -> None:
        """Write a message to the host."""
        self._out.put(render_line(message))

    def abort(self, code: AbortCode, reason: str) -> None:
        """Tell the host that the session is over, and end it."""
        self.send(outgoing.abort(code, reason, run_id=self.arbiter.options.run_id))
        self._end(ABORTED)

    def signal(self, number: int) -> None:
        """A signal came: deny what waits and end."""
        self._status = 128 + number
        self.arbiter.abort(AbortCode.USER_CANCEL, f"signal {signal.Signals(number).name}")
        self._end(128 + number)

    async def run(self) -> int:
        """Serve until the input ends or the session is aborted; the exit status."""
        loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        lines: asyncio.Queue[list[Event | MessageError] | None] = asyncio.Queue()
        room = threading.Semaphore(MAX_QUEUED)

        def deliver(batch: list[Event | MessageError] | None) -> None:
            room.acquire()
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(lines.put_nowait, batch)

        def gone() -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._end, 0)

        threading.Thread(target=self._read, args=(deliver,), name="serve reader", daemon=True).start()
        threading.Thread(target=self._write, args=(gone,), name="serve writer", daemon=True).start()
        taking = asyncio.create_task(self._take(lines, room))
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
        return self._status or 0

    def _end(self, status: int) -> None:
        if self._status is None:
            self._status = status
        if self._stop is not None:
            self._stop.set()

    async def _take(self, lines: asyncio.Queue[list[Event | MessageError] | None], room: threading.Semaphore) -> None:
        while (batch := await lines.get()) is not None:
            for start in range(0, len(batch), SLICE):
                for one in batch[start : start + SLICE]:
                    if isinstance(one, MessageError):
                        self.arbiter.broken_line(one)
                    else:
                        self.arbiter.receive(one)
                await asyncio.sleep(0)
            room.release()
        self.arbiter.input_ended()
        await self.arbiter.idle()

    def _read(self, deliver: Callable[[list[Event | MessageError] | None], None]) -> None:
        held = b""
        skipping = False
        while True:
            try:
                chunk = os.read(self._stdin, 1 << 18)
            except BlockingIOError:
                continue
            except OSError:
                chunk = b""
            *whole, rest = chunk.split(b"\n")
            batch: list[Event | MessageError] = []
            for line in whole:
                if not skipping:
                    batch += _read_line(held + line)
                held, skipping = b"", False
            held = held + rest if not skipping else b""
            if len(held) > MAX_EVENT_BYTES:
                batch.append(_TOO_LONG)
                held, skipping = b"", True
            if not chunk:
                batch += _read_line(held)
            if batch:
                deliver(batch)
            if not chunk:
                deliver(None)
                return

    def _write(self, gone: Callable[[], None]) -> None:
        while (line := self._out.get()) is not None:
            lines = [line]
            last = False
            while not last and not self._out.empty():
                more = self._out.get()
                last = more is None
                if more is not None:
                    lines.append(more)
            rest = memoryview(b"".join(lines))
            try:
                while rest:
                    rest = rest[os.write(self._stdout, rest) :]
            except OSError:
                gone()
                break
            if last:
                break
        self._written.set()


_TOO_LONG = MessageError(ParseProblem.TOO_LONG, f"the line is longer than {MAX_EVENT_BYTES} bytes")


def _read_line(line: bytes) -> list[Event | MessageError]:
    if not line.strip():
        return []
    try:
        message = parse_line(line)
    except MessageError as error:
        return [error]
    if isinstance(message, ToolRequest | ToolResult | ToolProgress | PolicyPing):
        return [message]
    return [MessageError(ParseProblem.UNKNOWN_TYPE, f"a host does not say {message.TYPE}", field="type")]
