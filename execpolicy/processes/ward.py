"""Signals, ends and awaits a command together with every process that it starts."""

from __future__ import annotations

import asyncio
import marshal
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence

from execpolicy.processes import warden


class Ward:
    """A command under its own warden process. It must be used from one event loop.

    Attributes:
        pid: the command's process id; the command leads its own process group.
        left: process ids that could not be ended; known once :meth:`gone` has returned.
        lost: the warden was killed by another process, so only the process that adopts the rest knows them.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pid: int
    ) -> None:
        self.pid = pid
        self.left: tuple[int, ...] = ()
        self.lost = False
        self._process = process
        self._writer = writer
        self._code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._listening = asyncio.create_task(self._listen(reader), name="ward")

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        *,
        cwd: str | None,
        env: Mapping[str, str],
        streams: tuple[int, int, int],
        fds: Sequence[int] = (),
        reserved: Sequence[str] = (),
        session: bool,
    ) -> Ward:
        """Start ``argv`` with these descriptors as its standard streams.

        Args:
            fds: further descriptors that the command inherits, under the same numbers.
            reserved: paths that the warden removes at the end if this program has died.
            session: if true, the command gets its own session, without the terminal; if false, its own process group
                in this session.

        Raises:
            OSError: the command cannot be started.
            ValueError: a word or variable contains a NUL.
        """
        words = [os.fsencode(word) for word in argv]
        variables = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
        if any(b"\0" in word for word in (*words, *variables, *variables.values())):
            raise ValueError("a NUL in it")
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = subprocess.Popen(
                    [sys.executable, "-I", "-S", warden.__file__, str(theirs.fileno()), str(os.getpid())],
                    stdin=streams[0],
                    stdout=streams[1],
                    stderr=streams[2],
                    pass_fds=(theirs.fileno(), *fds),
                    start_new_session=session,
                    process_group=None if session else 0,
                )
            except BaseException:
                ours.close()
                raise
        folder = None if cwd is None else os.fsencode(cwd)
        request = marshal.dumps((words, variables, folder, list(fds), session, list(map(os.fsencode, reserved))))
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            writer.write(len(request).to_bytes(4, "big") + request)
            forked = (await reader.readline()).split()
            said = (await reader.readline()).split() if forked[:1] == [b"forked"] else forked
        except BaseException:  # cancelled: once its socket closes, the warden ends the command and itself
            writer.close()
            asyncio.get_running_loop().run_in_executor(None, process.wait)
            raise
        if said[:1] != [b"failed"] and forked[:1] == [b"forked"]:  # it ran, even if it killed the warden at once
            return cls(process, reader, writer, int(forked[1]))
        writer.close()
        process.wait()
        if said[:1] == [b"failed"]:
            raise OSError(int(said[1]), os.strerror(int(said[1])), argv[0])
        raise OSError("the process that starts it was ended")

    async def ended(self) -> int:
        """The command's return code; negative for a signal."""
        return await asyncio.shield(self._code)

    async def gone(self) -> None:
        """Wait until every process is gone, or the remaining ones cannot be ended."""
        await asyncio.shield(self._listening)

    def signal(self, number: int) -> None:
        """Send a signal to the command's process group."""
        self._write(f"signal {number}")

    def end(self, patience_s: float = 0.0) -> None:
        """End every process: SIGTERM, then SIGKILL after ``patience_s`` seconds. With 0, SIGKILL at once."""
        self._write(f"end {round(patience_s * 1000)}")

    def _write(self, line: str) -> None:
        if not self._writer.is_closing():
            self._writer.write(line.encode() + b"\n")

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                word, *numbers = line.split()
                if word == b"ended" and not self._code.done():
                    self._code.set_result(int(numbers[0]))
                elif word == b"left":
                    self.left = tuple(map(int, numbers))
        except OSError:
            pass  # the warden is gone, as at the end of the stream
        if not self._code.done():  # the warden was killed, and the kernel then kills the command
            self.lost = True
            warden.signal_group(self.pid, signal.SIGKILL)
            self._code.set_result(-signal.SIGKILL)
        self._writer.close()
        self._process.wait()


async def end_adopted(within_s: float) -> tuple[int, ...]:
    """End every descendant of this process and return the ids of those that could not be ended.

    This is for programs that exist for one command. It only finds processes of a warden that was killed.
    """
    deadline = asyncio.get_running_loop().time() + within_s
    number: int = signal.SIGTERM
    while left := _left():
        warden.signal_all(left, number)
        if asyncio.get_running_loop().time() > deadline:
            if number == signal.SIGKILL:
                return left
            number = signal.SIGKILL
            deadline += within_s
        await asyncio.sleep(0.01)
    return ()


def _left() -> tuple[int, ...]:
    try:
        warden.reap()
    except ChildProcessError:
        return ()
    return tuple(warden.descendants())
