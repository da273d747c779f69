"""Runs one process to its end: bounded time, bounded output, nothing of it left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TIMEOUT_EXIT_CODE = 124
"""The status reported for a process that was killed because its time was up."""

SIGNAL_EXIT_CODE = 128
"""Added to the number of the signal that ended a process."""

_MAX_OUTPUT = 1 << 20
_DRAIN_SECONDS = 2.0
_BLOCK = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecOutput:
    """How a process ended.

    Attributes:
        text: standard output and standard error as they came, bytes that are not UTF-8 replaced.
        omitted: how many bytes in the middle of it were dropped.
        seconds: wall clock.
    """

    exit_code: int
    text: str
    omitted: int
    seconds: float
    timed_out: bool


class Streams(NamedTuple):
    """Connects a process to the caller's own streams.

    Attributes:
        stdin: the descriptor that it reads.
        forward: called with 1 or 2 and what it wrote to that descriptor, as it comes.
    """

    stdin: int
    forward: Callable[[int, bytes], None]


async def run_process(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    timeout: float | None,
    fds: tuple[int, ...] = (),
    max_output: int = _MAX_OUTPUT,
    streams: Streams | None = None,
) -> ExecOutput:
    """Run ``argv`` in a session of its own and wait for its end. Standard input is empty unless ``streams`` are given.

    When the time is up, or the caller is cancelled, its whole process group is killed.

    Args:
        timeout: seconds; ``None`` for no limit.
        fds: descriptors to hand down.
        max_output: bytes to keep; half from the start, half from the end.

    Raises:
        OSError: it could not be started.
    """
    # One life of a process: each step has its own way to clean up behind the others.
    started = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd=cwd,
        env=dict(env),
        stdin=asyncio.subprocess.DEVNULL if streams is None else streams.stdin,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT if streams is None else asyncio.subprocess.PIPE,
        start_new_session=True,
        pass_fds=fds,
    )
    output = _Bounded(max_output)
    forward = None if streams is None else streams.forward
    pipes = [(number, pipe) for number, pipe in ((1, process.stdout), (2, process.stderr)) if pipe is not None]
    reader = asyncio.gather(*[_collect(number, pipe, output, forward) for number, pipe in pipes])
    timed_out = False
    try:
        try:
            async with asyncio.timeout(timeout):
                await process.wait()
        except TimeoutError:
            timed_out = True
            _kill_group(process)
            await process.wait()
        with contextlib.suppress(TimeoutError):  # a child left in the background may hold the pipe open
            async with asyncio.timeout(_DRAIN_SECONDS):
                await asyncio.shield(reader)
    finally:
        reader.cancel()
        if process.returncode is None:
            _kill_group(process)
            await process.wait()
        with contextlib.suppress(asyncio.CancelledError):
            await reader
    code = TIMEOUT_EXIT_CODE if timed_out else process.returncode or 0
    return ExecOutput(
        exit_code=SIGNAL_EXIT_CODE - code if code < 0 else code,
        text=output.text(),
        omitted=output.omitted,
        seconds=time.monotonic() - started,
        timed_out=timed_out,
    )


def _kill_group(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


async def _collect(
    number: int, stream: asyncio.StreamReader, output: _Bounded, forward: Callable[[int, bytes], None] | None
) -> None:
    while block := await stream.read(_BLOCK):
        output.add(block)
        if forward is not None:
            forward(number, block)


class _Bounded:
    """The first and the last half of what comes."""

    def __init__(self, limit: int) -> None:
        self._head_limit = limit // 2
        self._tail_limit = limit - limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.omitted = 0

    def add(self, block: bytes) -> None:
        room = self._head_limit - len(self._head)
        self._head += block[:room]
        self._tail += block[room:] if room < len(block) else b""
        surplus = len(self._tail) - self._tail_limit
        if surplus > 0:
            del self._tail[:surplus]
            self.omitted += surplus

    def text(self) -> str:
        head, tail = self._head.decode("utf-8", "replace"), self._tail.decode("utf-8", "replace")
        if self.omitted:
            return f"{head}\n[… {self.omitted} bytes omitted …]\n{tail}"
        return bytes(self._head + self._tail).decode("utf-8", "replace")
