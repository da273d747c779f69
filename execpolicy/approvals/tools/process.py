"""Runs one process to its end, with bounded time and output, and leaves no process behind."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from execpolicy.processes.ward import Ward

TIMEOUT_EXIT_CODE = 124
"""The status reported for a process that was killed because its time was up."""

SIGNAL_EXIT_CODE = 128
"""Added to the number of the signal that ended a process."""

BROKEN_PIPE_EXIT_CODE = SIGNAL_EXIT_CODE + signal.SIGPIPE
"""The status reported if a process succeeded but its output was not read to the end."""

OUTPUT_LOST_EXIT_CODE = 1
"""The status reported if a process succeeded but its output could not be forwarded."""

_MAX_OUTPUT = 1 << 20
_DRAIN_SECONDS = 2.0
"""Seconds that background processes of an ended command may still write."""
_GRACE_SECONDS = 1.0
"""Seconds between SIGTERM and SIGKILL."""
_BLOCK = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecOutput:
    """The result of a process.

    Attributes:
        text: standard output and standard error in order of arrival, with bytes that are not UTF-8 replaced.
        omitted: the number of bytes dropped from the middle of the output.
        seconds: wall-clock seconds.
        lost: the reason that the output could not be forwarded to the end, or ``None``.
        left: ids of its processes that could not be ended (they changed their user).
    """

    exit_code: int
    text: str
    omitted: int
    seconds: float
    timed_out: bool
    lost: str | None = None
    left: tuple[int, ...] = ()


class Streams(NamedTuple):
    """Connects a process to the caller's own streams.

    Attributes:
        stdin: the descriptor that the process reads.
        forward: called in a thread with 1 or 2 and each block written to that descriptor; it may block. If it raises
            ``OSError``, that descriptor is not read any more, which ends most programs.
        parting: called when the run is cancelled; returns the signal that the process receives first.
    """

    stdin: int
    forward: Callable[[int, bytes], None]
    parting: Callable[[], int] = lambda: signal.SIGTERM


async def run_process(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    timeout: float | None,
    fds: tuple[int, ...] = (),
    reserved: Sequence[str] = (),
    max_output: int = _MAX_OUTPUT,
    streams: Streams | None = None,
) -> ExecOutput:
    """Run ``argv`` in its own session and wait for its end. Standard input is empty unless ``streams`` are given.

    Its descendants end with it, in any session. Background processes may write for two more seconds after its end. At
    the time limit, everything is killed at once. If the caller is cancelled, everything is ended.

    Args:
        timeout: seconds until the last output is read; ``None`` for no limit.
        fds: descriptors that the process inherits.
        reserved: paths to remove at the end if this program has died.
        max_output: bytes of output to keep; half from the start, half from the end.

    Raises:
        OSError, ValueError: it could not be started.
    """
    started = time.monotonic()
    output = BoundedOutput(max_output // 2, max_output - max_output // 2)
    ward, readers = await _start(argv, cwd, env, fds, reserved, streams, output)
    timed_out = False
    code = TIMEOUT_EXIT_CODE
    try:
        async with asyncio.timeout(timeout):
            code = await ward.ended()
            await _all_read(readers, _DRAIN_SECONDS)
            ward.end(_GRACE_SECONDS)
            await ward.gone()
            # All writers are gone: the rest only waits for the reader of our output.
            await _all_read(readers, _DRAIN_SECONDS if ward.left or ward.lost else None)
    except TimeoutError:
        timed_out = True
        ward.end()
    except BaseException:  # the caller was cancelled
        await asyncio.shield(_part(ward, signal.SIGTERM if streams is None else streams.parting()))
        raise
    await ward.gone()
    if timed_out:
        await _all_read(readers, _GRACE_SECONDS)
    failure = next((reader.failure for reader in readers if reader.failure is not None), None)
    return _ending(code, time.monotonic() - started, timed_out, output, failure, ward.left)


async def _start(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    fds: tuple[int, ...],
    reserved: Sequence[str],
    streams: Streams | None,
    output: BoundedOutput,
) -> tuple[Ward, list[_Reader]]:
    """Start the process and the readers of its output.

    Raises:
        OSError, ValueError: it could not be started.
    """
    theirs: list[int] = []
    ours: list[int] = []
    try:
        for _ in range(1 if streams is None else 2):
            read, write = os.pipe()
            ours.append(read)
            theirs.append(write)
        stdin = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) if streams is None else streams.stdin
        if streams is None:
            theirs.append(stdin)
        ends = (stdin, theirs[0], theirs[0 if streams is None else 1])
        ward = await Ward.start(argv, cwd=cwd, env=env, streams=ends, fds=fds, reserved=reserved, session=True)
    except BaseException:
        for end in ours:
            os.close(end)
        raise
    finally:
        for end in theirs:
            os.close(end)
    forward = None if streams is None else streams.forward
    return ward, [_Reader(number, end, output, forward) for number, end in enumerate(ours, 1)]


async def _all_read(readers: Sequence[_Reader], seconds: float | None) -> None:
    """Wait for the end of all pipes, at most ``seconds``."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for reader in readers:
                await reader.over.wait()


async def _part(ward: Ward, number: int) -> None:
    """End a process whose caller was cancelled. Signal ``number`` is sent first."""
    ward.signal(number)
    with suppress(TimeoutError):
        await asyncio.wait_for(ward.ended(), _GRACE_SECONDS)
    ward.end(_GRACE_SECONDS)
    await ward.gone()


def _ending(
    code: int, seconds: float, timed_out: bool, output: BoundedOutput, failure: OSError | None, left: tuple[int, ...]
) -> ExecOutput:
    if timed_out:
        code = TIMEOUT_EXIT_CODE
    elif code == 0 and failure is not None:  # the process does not know that its output was lost
        code = BROKEN_PIPE_EXIT_CODE if isinstance(failure, BrokenPipeError) else OUTPUT_LOST_EXIT_CODE
    return ExecOutput(
        exit_code=SIGNAL_EXIT_CODE - code if code < 0 else code,
        text=output.text(),
        omitted=output.omitted,
        seconds=seconds,
        timed_out=timed_out,
        lost=None if failure is None else failure.strerror,
        left=left,
    )


class _Reader:
    """Reads one pipe to its end in a thread, since forwarding may block.

    A thread that is blocked in forwarding is abandoned.

    Attributes:
        over: set when reading has ended.
        failure: the reason that output could not be forwarded; reading stops then.
    """

    def __init__(
        self, number: int, pipe: int, output: BoundedOutput, forward: Callable[[int, bytes], None] | None
    ) -> None:
        self.failure: OSError | None = None
        self.over = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        threading.Thread(
            target=self._read, args=(number, pipe, output, forward), name=f"output {number}", daemon=True
        ).start()

    def _read(
        self, number: int, pipe: int, output: BoundedOutput, forward: Callable[[int, bytes], None] | None
    ) -> None:
        try:
            while block := os.read(pipe, _BLOCK):
                output.add(block)
                if forward is not None:
                    forward(number, block)
        except OSError as error:
            self.failure = error
        finally:
            os.close(pipe)
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self.over.set)


class BoundedOutput:
    """Keeps the first ``head`` bytes of output and the last ``tail`` bytes."""

    def __init__(self, head: int, tail: int) -> None:
        self._limits = head, tail
        self._head = bytearray()
        self._tail = bytearray()
        self._lock = threading.Lock()
        self.omitted = 0

    def add(self, block: bytes) -> None:
        """Adds ``block``."""
        with self._lock:
            room = self._limits[0] - len(self._head)
            self._head += block[:room]
            self._tail += block[room:] if room < len(block) else b""
            surplus = len(self._tail) - self._limits[1]
            if surplus > 0:
                del self._tail[:surplus]
                self.omitted += surplus

    def text(self) -> str:
        """The output, with a note in place of the omitted bytes."""
        head, tail = self._head.decode("utf-8", "replace"), self._tail.decode("utf-8", "replace")
        if self.omitted:
            return f"{head}\n[… {self.omitted} bytes omitted …]\n{tail}".removeprefix("\n" if not head else "")
        return bytes(self._head + self._tail).decode("utf-8", "replace")

    def fetch(self) -> str:
        """The text since the last call."""
        with self._lock:
            text = self.text()
            self._head.clear()
            self._tail.clear()
            self.omitted = 0
        return text
