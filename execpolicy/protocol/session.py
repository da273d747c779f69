"""Runs a child under an arbiter, ends all its processes, and shows its events to a host (seed 004, section 5).

Tasks A and B are the two pumps (threads), C is the writer, D the arbiter, E the wait for the process. Watching never
delays a decision: events that are not fetched in time are dropped, oldest first, and counted.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from execpolicy.processes.ward import Ward, end_adopted
from execpolicy.processes.warden import adopt_orphans
from execpolicy.protocol import outgoing
from execpolicy.protocol.arbiter import Arbiter
from execpolicy.protocol.codec import MessageError, render_line
from execpolicy.protocol.framing import Bytes, EventScanner, Found, Pump
from execpolicy.protocol.messages import (
    ABORTED,
    BROKEN_PIPE,
    CANNOT_RUN,
    NOT_FOUND,
    OUTPUT_LOST,
    AbortCode,
    Control,
    Envelope,
    Event,
    Outcome,
    PolicyDecision,
    SessionOptions,
)
from execpolicy.protocol.outgoing import ControlWriter
from execpolicy.validators import Checked, count, flag, function, instance
from execpolicy.validators import argv as words

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


_JOIN_S = 0.2
SLICE = 64
"""The number of events that are processed before other tasks run."""


class RunnerSession:
    """One child and its arbiter. Call :meth:`run` once.

    Args:
        arbiter: creates the arbiter from a function that sends and one that aborts.
        stdout, stderr: the descriptors for the child's output.
        warn: shows a line to the person.
    """

    def __init__(
        self,
        argv: Sequence[str],
        arbiter: Callable[[Callable[[Control], None], Callable[[AbortCode, str], None]], Arbiter],
        *,
        options: SessionOptions | None = None,
        stdout: int = 1,
        stderr: int = 2,
        warn: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._argv = words(argv, "the agent's command")
        self.options = options if options is not None else SessionOptions()
        instance(SessionOptions)(self.options, "RunnerSession: `options`")
        self._sinks = (count(stdout, "RunnerSession: `stdout`"), count(stderr, "RunnerSession: `stderr`"))
        self._warn = function(warn, "RunnerSession: `warn`")
        self.arbiter: Arbiter = function(arbiter, "RunnerSession: `arbiter`")(self.send, self.abort)
        self.pumps: tuple[Pump, ...] = ()
        self._writer: ControlWriter | None = None
        self._child: Ward | None = None
        self._aborted: AbortCode | None = None
        self._signalled: int | None = None
        self._events: asyncio.Queue[tuple[Pump, list[Found]]] = asyncio.Queue()
        self._over = asyncio.Event()
        self._hurry = asyncio.Event()
        self._ending: asyncio.Task[None] | None = None
        self._watchers: list[SessionEvents] = []

    def events(self, *, output: bool = False) -> SessionEvents:
        """The events from now on: messages of both sides, broken event lines and, with ``output``, lines of output.

        Iterate over it (``async for``) in parallel with :meth:`run`; it ends with the session.
        """
        watcher = SessionEvents(output=output)
        self._watchers.append(watcher)
        return watcher

    def send(self, message: Control) -> None:
        """Writes a message to the child."""
        if self._writer is not None:
            self._writer.send(render_line(message), vital=isinstance(message, PolicyDecision))
            self._tell(ToldEvent(message))

    def _tell(self, event: ParsedEvent) -> None:
        for watcher in self._watchers:
            watcher.put(event)

    def abort(self, code: AbortCode, reason: str) -> None:
        """Sends an abort to the child, then ends it."""
        if self._aborted is not None:
            return
        self._aborted = code
        self.send(outgoing.abort(code, reason, run_id=self.arbiter.options.run_id))
        self._warn(f"the session is aborted ({code.value}): {reason}")
        self._end()

    def signal(self, number: int) -> None:
        """Passes a signal on to the child's group and ends the session; a second one ends it at once."""
        if self._signalled is None:
            self._signalled = number
            self.arbiter.abort(AbortCode.USER_CANCEL, f"signal {signal.Signals(number).name}")
        else:
            number = signal.SIGKILL
        if self._child is not None:
            self._child.signal(number)
        self._end()

    def forward(self, number: int) -> None:
        """Passes a signal on to the child's group without ending the session."""
        if self._child is not None:
            self._child.signal(number)

    def pause(self) -> None:
        """Stops the child's group, then this process. Call :meth:`forward` with SIGCONT when this process continues."""
        self.forward(signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)

    async def run(self) -> Outcome:
        """Starts the child, arbitrates until its end, and ends all its processes."""
        stdin_read, stdin_write = os.pipe()
        out_read, out_write = os.pipe()
        err_read, err_write = os.pipe()
        with suppress(AttributeError, OSError):  # a larger pipe moves much output with fewer context switches
            fcntl.fcntl(out_read, fcntl.F_SETPIPE_SZ, 1 << 20)
        if self.options.own_process:
            adopt_orphans(True)
        try:
            try:
                self._child = await Ward.start(
                    self._argv,
                    cwd=self.options.cwd,
                    env=self._environment(),
                    streams=(stdin_read, out_write, err_write),
                    session=False,
                )
            except OSError as error:
                for fd in (stdin_write, out_read, err_read):
                    os.close(fd)
                self._warn(f"cannot run `{self._argv[0]}`: {error.strerror or error}")
                return Outcome(NOT_FOUND if isinstance(error, FileNotFoundError) else CANNOT_RUN, None)
            finally:
                for fd in (stdin_read, out_write, err_write):
                    os.close(fd)
            return await self._arbitrate(self._child, stdin_write, out_read, err_read)
        finally:
            if self.options.own_process:
                await end_adopted(self.options.leftovers_s)
                adopt_orphans(False)
            for watcher in self._watchers:
                watcher.close()

    async def _arbitrate(self, child: Ward, stdin: int, stdout: int, stderr: int) -> Outcome:
        self._writer = ControlWriter(stdin, stall_s=self.options.stall_s, on_failure=self._stdin_failed)
        if self.options.ping:
            self.send(self.arbiter.ping())
        writing = asyncio.create_task(self._writer.run(), name="stdin writer")
        arbitrating = asyncio.create_task(self._take_events(), name="arbiter")
        ended = [asyncio.Event(), asyncio.Event()]
        self.pumps = (
            self._pump(stdout, self._sinks[0], ended[0], stream="stdout"),
            self._pump(stderr, self._sinks[1], ended[1], stream="stderr"),
        )
        for pump in self.pumps:
            pump.start()
        try:
            if self._aborted is not None:  # a signal came during the start
                child.signal(self._signalled or signal.SIGTERM)
                self._end()
            returncode = await child.ended()
            self._over.set()
            child.end(self.options.leftovers_s)
            await child.gone()
            if child.left:
                self._warn("some processes of the agent could not be ended")
            await self._drain(ended)
            with suppress(TimeoutError):  # the last events after the end of the streams: results still count
                await asyncio.wait_for(self._events.join(), self.options.drain_s)
        except BaseException:  # the caller gave up this session: the agent must not continue without it
            child.end()
            for pump in self.pumps:
                pump.stop()
            with suppress(TimeoutError):  # waits until it is collected, unless it cannot be ended
                await asyncio.wait_for(child.gone(), self.options.leftovers_s)
            raise
        finally:
            for task in (arbitrating, writing, self._ending):
                if task is not None:
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
            await self.arbiter.close()
            self._writer.close()
            for pump in self.pumps:
                pump.join(_JOIN_S)
                if not pump.is_alive():
                    pump.close()
        return self._outcome(returncode)

    def _outcome(self, returncode: int) -> Outcome:
        status = returncode if returncode >= 0 else 128 - returncode
        if self._signalled is not None:
            status = 128 + self._signalled
        elif self._aborted is not None:
            status = ABORTED
        elif status == 0:  # the child does not know that its output was lost
            for pump in self.pumps:
                if pump.failure is not None:
                    status = BROKEN_PIPE if isinstance(pump.failure, BrokenPipeError) else OUTPUT_LOST
            if self.arbiter.counters.unwritten:
                status = status or OUTPUT_LOST
        return Outcome(status, returncode, self._aborted)

    def _environment(self) -> dict[str, str]:
        env = dict(os.environ if self.options.env is None else self.options.env)
        env["EXECPOLICY_ARBITER"] = "1"
        if self.options.prefix:
            env["EXECPOLICY_EVENT_PREFIX"] = self.options.prefix
        if self.arbiter.options.run_id is not None:
            env["EXECPOLICY_RUN_ID"] = self.arbiter.options.run_id
        return env

    def _pump(self, source: int, sink: int, ended: asyncio.Event, *, stream: Literal["stdout", "stderr"]) -> Pump:
        loop = asyncio.get_running_loop()
        looks = stream == "stdout" or self.options.stderr_events
        prefix = self.options.prefix.encode()
        scanner = EventScanner(prefix=prefix) if looks else EventScanner(max_event_bytes=0)

        def deliver(found: list[Found]) -> None:
            _to_loop(loop, partial(self._events.put_nowait, (pump, found)))

        def printed(pieces: list[Bytes]) -> None:
            for watcher in self._watchers:
                if watcher.output:
                    _to_loop(loop, partial(watcher.printed, stream, b"".join(pieces)))

        name = f"{stream} reader"
        pump = Pump(source, sink, scanner, deliver, lambda: _to_loop(loop, ended.set), printed=printed, name=name)
        return pump

    async def _take_events(self) -> None:
        while True:
            pump, found = await self._events.get()
            for start in range(0, len(found), SLICE):
                self._take(found[start : start + SLICE])
                await asyncio.sleep(0)
                if self._writer is not None:  # a child that does not read the answers gets no more of them
                    await self._writer.room()
            pump.delivered(sum(one.size for one in found))
            self._events.task_done()

    def _take(self, found: list[Found]) -> None:
        for one in found:
            try:
                if isinstance(one.what, MessageError):
                    self._tell(BrokenEvent(one.what))
                    self.arbiter.broken_line(one.what)
                else:
                    self._tell(ToolEvent(one.what))
                    self.arbiter.receive(one.what)
            except Exception as error:  # a bug: no call may run as if it had been decided
                self.arbiter.abort(AbortCode.FATAL_ERROR, f"internal error: {error!r}")

    def _stdin_failed(self, why: str) -> None:
        """Fails the pending calls and ends the session: decisions cannot reach the child (section 5.1, point 4)."""
        self.arbiter.transport_failed(f"the agent cannot be told: {why}")

        async def end() -> None:
            if not await self._is_over(min(2.0, self.options.grace_s)):  # the child may just have finished
                self.arbiter.abort(AbortCode.FATAL_ERROR, f"the agent cannot be told decisions: {why}")

        self._failing = asyncio.create_task(end())

    def _end(self) -> None:
        """Ends the child: after its grace period it gets SIGTERM, then SIGKILL."""
        self._hurry.set()
        if self._child is not None and self._ending is None:
            self._ending = asyncio.create_task(self._end_after_grace(self._child))

    async def _end_after_grace(self, child: Ward) -> None:
        if not await self._is_over(self.options.grace_s):
            child.end(self.options.grace_s)

    async def _is_over(self, within_s: float) -> bool:
        with suppress(TimeoutError):
            return await asyncio.wait_for(self._over.wait(), within_s)
        return False

    async def _drain(self, ended: list[asyncio.Event]) -> None:
        """Moves the rest of the output; after a signal or an abort, it does not wait for a stalled reader."""

        async def all_ended() -> None:
            for one in ended:
                await one.wait()

        both = asyncio.create_task(all_ended())
        hurry = asyncio.create_task(self._hurry.wait())
        try:
            await asyncio.wait([both], timeout=self.options.drain_s)
            for pump in self.pumps:
                pump.stop()
            await asyncio.wait([both, hurry], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([both], timeout=self.options.drain_s)
        finally:
            hurry.cancel()
            both.cancel()
        for pump, one in zip(self.pumps, ended, strict=True):
            if one.is_set():
                pump.join()


def _to_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    with suppress(RuntimeError):  # the loop has ended, and nothing waits for the call
        loop.call_soon_threadsafe(call)
