"""The messages that an arbiter sends, and the writers for them (task C of the seed) and for lines to the person."""

from __future__ import annotations

import asyncio
import os
import queue
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from execpolicy.fd_io import write_all
from execpolicy.permissions.audit import now_rfc3339
from execpolicy.protocol.messages import ANSWERS, CAPABILITIES, AbortCode, PolicyAbort, PolicyPing

MAX_UNSENT = 4 << 20
"""The maximum size in bytes of the lines that wait for the other side; above it, its events are not processed."""


class ControlWriter:
    """Writes queued lines to a pipe, and combines waiting lines into one write.

    Args:
        fd: the write end of the pipe; made non-blocking, closed by :meth:`close`.
        stall_s: the maximum time in seconds that the pipe may stay full; then the writer fails.
        on_failure: called once with the reason why writing fails, only if a vital line is lost.
    """

    def __init__(self, fd: int, *, stall_s: float, on_failure: Callable[[str], None]) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._stall_s = stall_s
        self._on_failure = on_failure
        self._queue: list[bytes] = []
        self._unsent = 0
        self._room = asyncio.Event()
        self._room.set()
        self._vital = False  # true if a line that must arrive is queued or being written
        self._why: str | None = None
        self._wake = asyncio.Event()
        self.failed = False

    def send(self, line: bytes, *, vital: bool = True) -> None:
        """Queues a line."""
        if self.failed:
            if vital:
                self._report(self._why or "the session is over")
            return
        self._vital = self._vital or vital
        self._queue.append(line)
        self._unsent += len(line)
        if self._unsent > MAX_UNSENT:
            self._room.clear()
        self._wake.set()

    def _report(self, why: str) -> None:
        """Reports the loss of a vital line, once."""
        report, self._on_failure = self._on_failure, lambda why: None
        report(why)

    async def run(self) -> None:
        """Writes until cancelled or failed."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                batch, self._queue = b"".join(self._queue), []
                vital, self._vital = self._vital, False
                try:
                    await self._write(batch)
                except (OSError, TimeoutError) as error:
                    self.failed = True
                    vital = vital or self._vital
                    self._queue.clear()
                    self._room.set()
                    self._why = str(error)
                    if isinstance(error, TimeoutError):
                        self._why = "it does not read its standard input"
                    elif isinstance(error, BrokenPipeError):
                        self._why = "it has closed its standard input"
                    if vital:
                        self._report(self._why)
                    return
                self._unsent -= len(batch)
                if self._unsent <= MAX_UNSENT:
                    self._room.set()

    async def room(self) -> None:
        """Waits until the queue has room for more, or the writer has failed."""
        await self._room.wait()

    def close(self) -> None:
        """Closes the pipe: the child reads end of file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self.failed = True
        self._room.set()

    async def _write(self, batch: bytes) -> None:
        rest = memoryview(batch)
        while rest:
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                await asyncio.wait_for(self._writable(), self._stall_s)

    async def _writable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_writer(self._fd, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_writer(self._fd)


MAX_WAITING = 1_000
"""The maximum number of texts that wait; further ones are dropped, because the output is not being read."""


class Notices:
    """Writes texts to a descriptor, in order."""

    def __init__(self, fd: int = 2) -> None:
        self._fd = fd
        self._queue: queue.Queue[str | None] = queue.Queue(MAX_WAITING)
        self._thread = threading.Thread(target=self._run, name="notices", daemon=True)
        self._thread.start()

    def show(self, text: str) -> None:
        """Writes ``text`` unchanged."""
        with suppress(queue.Full):
            self._queue.put_nowait(text)

    def warn(self, line: str) -> None:
        """Writes one line with the program's name in front."""
        self.show(f"execpolicy: {line}\n")

    def close(self, timeout_s: float = 1.0) -> None:
        """Writes the waiting texts, for at most ``timeout_s`` seconds."""
        with suppress(queue.Full):
            self._queue.put_nowait(None)
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while (text := self._queue.get()) is not None:
            with suppress(OSError):
                write_all(self._fd, text.encode("utf-8", "backslashreplace"))


def stamp(run_id: str | None) -> dict[str, Any]:
    """The time, the session and a fresh nonce for the envelope of a message."""
    return {"ts": now_rfc3339(), "run_id": run_id, "nonce": secrets.token_hex(8)}


def ping(*, run_id: str | None, timeout_s: float, answers: bool = False, id: str | None = None) -> PolicyPing:
    """A ping, which states that the approval channel works.

    Args:
        answers: true if a host may answer questions.
        id: the id of the ping that this one answers.
    """
    return PolicyPing(
        **stamp(run_id),
        id=id or f"ping-{secrets.token_hex(4)}",
        capabilities=(*CAPABILITIES, ANSWERS) if answers else CAPABILITIES,
        timeout_ms=round(timeout_s * 1000),
    )


def abort(code: AbortCode, reason: str, *, run_id: str | None) -> PolicyAbort:
    """The message that ends the session."""
    return PolicyAbort(**stamp(run_id), id=f"abort-{secrets.token_hex(4)}", reason=reason, code=code.value)
