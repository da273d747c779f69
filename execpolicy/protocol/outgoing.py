"""The messages that an arbiter sends, with time and a nonce of their own.

Lines for the person, written by a thread of its own: a standard error that nobody reads delays no decision.

The only writer of a child's standard input: task C of the seed. Lines never mix, and whole lines only are queued.
"""

from __future__ import annotations

import asyncio
import os
import queue
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from execpolicy.permissions.audit import now_rfc3339
from execpolicy.protocol.messages import (
    ANSWERS,
    CAPABILITIES,
    AbortCode,
    Choice,
    DecisionWord,
    PolicyAbort,
    PolicyDecision,
    PolicyPing,
)

MAX_UNSENT = 4 << 20
"""Bytes of lines that may wait for the other side; then no more of its events are taken."""


class ControlWriter:
    """Writes queued lines to a pipe, many at a time when many wait.

    Args:
        fd: write end of the pipe; made non-blocking, closed by :meth:`close`.
        stall_s: so long a full pipe may stay full before the other side counts as gone.
        on_failure: told once, why nothing can be written any more; only when something vital is lost.
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
        self._vital = False  # something in the queue or on its way must arrive
        self._why: str | None = None
        self._wake = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()
        self.failed = False

    def send(self, line: bytes, *, vital: bool = True) -> None:
        """Queue a line."""
        if self.failed:
            if vital:
                self._report(self._why or "the session is over")
            return
        self._vital = self._vital or vital
        self._queue.append(line)
        self._unsent += len(line)
        if self._unsent > MAX_UNSENT:
            self._room.clear()
        self._drained.clear()
        self._wake.set()

    def _report(self, why: str) -> None:
        """Something vital is lost: say so once."""
        report, self._on_failure = self._on_failure, _already_told
        report(why)

    async def run(self) -> None:
        """Write until cancelled or failed."""
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
                    self._drained.set()
                    self._room.set()
                    stalled = isinstance(error, TimeoutError)
                    self._why = "it does not read its standard input" if stalled else _cause(error)
                    if vital:
                        self._report(self._why)
                    return
                self._unsent -= len(batch)
                if self._unsent <= MAX_UNSENT:
                    self._room.set()
            self._drained.set()

    async def room(self) -> None:
        """Wait until so little is queued that more may come, or it never will be written."""
        await self._room.wait()

    async def drain(self, timeout_s: float) -> None:
        """Wait until everything queued is written, at most so long."""
        try:
            await asyncio.wait_for(self._drained.wait(), timeout_s)
        except TimeoutError:
            return

    def close(self) -> None:
        """Close the pipe: the child reads end of file."""
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
        ready: asyncio.Future[None] = loop.create_future()

        def settle() -> None:
            if not ready.done():
                ready.set_result(None)

        loop.add_writer(self._fd, settle)
        try:
            await ready
        finally:
            loop.remove_writer(self._fd)


def _cause(error: BaseException) -> str:
    return "it has closed its standard input" if isinstance(error, BrokenPipeError) else str(error)


def _already_told(why: str) -> None:
    """One report is enough."""


MAX_WAITING = 1_000
"""Texts that may wait; further ones are dropped, for nobody is reading."""


class Notices:
    """Writes texts to a descriptor, in order."""

    def __init__(self, fd: int = 2) -> None:
        self._fd = fd
        self._queue: queue.Queue[str | None] = queue.Queue(MAX_WAITING)
        self._thread = threading.Thread(target=self._run, name="notices", daemon=True)
        self._thread.start()

    def show(self, text: str) -> None:
        """Write ``text`` as it is."""
        with suppress(queue.Full):
            self._queue.put_nowait(text)

    def warn(self, line: str) -> None:
        """Write one line in the program's name."""
        self.show(f"execpolicy: {line}\n")

    def close(self, timeout_s: float = 1.0) -> None:
        """Write what waits, at most so long."""
        with suppress(queue.Full):
            self._queue.put_nowait(None)
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while (text := self._queue.get()) is not None:
            rest = memoryview(text.encode("utf-8", "backslashreplace"))
            try:
                while rest:
                    rest = rest[os.write(self._fd, rest) :]
            except OSError:
                continue


def ping(*, run_id: str | None, timeout_s: float, answers: bool = False, id: str | None = None) -> PolicyPing:
    """The approval channel works.

    Args:
        answers: a host may answer questions.
        id: of the ping that this one answers.
    """
    return PolicyPing(
        id=id or f"ping-{secrets.token_hex(4)}",
        ts=now_rfc3339(),
        run_id=run_id,
        nonce=secrets.token_hex(8),
        capabilities=(*CAPABILITIES, ANSWERS) if answers else CAPABILITIES,
        timeout_ms=round(timeout_s * 1000),
    )


def decision(
    word: DecisionWord,
    reason: str,
    *,
    id: str,
    run_id: str | None,
    request_nonce: str | None = None,
    rule_id: str | None = None,
    constraints: Mapping[str, Any] | None = None,
    expires_in_ms: int | None = None,
    choices: tuple[Choice, ...] | None = None,
    proposal: tuple[str, ...] | None = None,
) -> PolicyDecision:
    """The answer to a request. It repeats the nonce of the request, so that the child can tell which one is meant."""
    return PolicyDecision(
        id=id,
        ts=now_rfc3339(),
        run_id=run_id,
        nonce=secrets.token_hex(8),
        decision=word,
        reason=reason,
        request_nonce=request_nonce,
        rule_id=rule_id,
        constraints=constraints,
        expires_in_ms=expires_in_ms,
        choices=choices,
        proposal=proposal,
    )


def abort(code: AbortCode, reason: str, *, run_id: str | None) -> PolicyAbort:
    """The session ends."""
    return PolicyAbort(
        id=f"abort-{secrets.token_hex(4)}",
        ts=now_rfc3339(),
        run_id=run_id,
        nonce=secrets.token_hex(8),
        reason=reason,
        code=code.value,
    )
