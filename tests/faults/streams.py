"""The three streams of a process that is tried: whole, closed, full, slow, or with nobody at the other end."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress

from tests.faults.faults import Fault


class Ends:
    """The streams of a try, and who sits at their other ends.

    Attributes:
        stdin, stdout, stderr: descriptors for the process.
    """

    def __init__(self, fault: Fault, said: str) -> None:
        self._fault = fault
        self._said = said.encode()
        self._ours: list[int] = []
        self._theirs: list[int] = []
        self._collected: dict[str, bytes] = {}
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Ends:
        self.stdout = self._output(self._fault.stdout, "out")
        self.stderr = self._output(self._fault.stderr, "err")
        self.stdin = self._input(self._fault.stdin)
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join(2)

    def close_some(self, fault: Fault) -> None:
        """In the child: close what is to be closed, and set limits."""
        for number, what in ((0, fault.stdin), (1, fault.stdout), (2, fault.stderr)):
            if what == "closed":
                os.close(number)
        if fault.prepare is not None:
            fault.prepare()

    def started(self) -> None:
        """The child has its own copies."""
        for fd in self._theirs:
            os.close(fd)
        for thread in self._threads:
            thread.start()

    def has_said_something(self) -> bool:
        """Whether a line came on standard output, or nobody could see one."""
        return b"\n" in self._collected.get("out", b"") or self._fault.stdout in ("full", "gone", "closed")

    def output(self) -> bytes:
        """What came on standard output."""
        for thread in self._threads:
            thread.join(2)
        return self._collected.get("out", b"")

    def _output(self, what: str, name: str) -> int:
        if what == "full":
            full = os.open("/dev/full", os.O_WRONLY)
            self._theirs.append(full)
            return full
        read, write = os.pipe()
        self._theirs.append(write)
        if what == "gone":
            os.close(read)
            return write
        if what == "non-blocking":
            os.set_blocking(write, False)
        pause = 0.4 if what in ("slow", "non-blocking") else 0.0
        self._threads.append(threading.Thread(target=self._collect, args=(read, name, pause), daemon=True))
        return write

    def _collect(self, fd: int, name: str, pause: float) -> None:
        time.sleep(pause)
        while block := os.read(fd, 65536):
            self._collected[name] = self._collected.get(name, b"") + block
        os.close(fd)

    def _input(self, what: str) -> int:
        if what == "folder":
            folder = os.open("/", os.O_RDONLY)
            self._theirs.append(folder)
            return folder
        read, write = os.pipe()
        self._theirs.append(read)
        if what == "non-blocking":
            os.set_blocking(read, False)
        pause = 0.3 if what in ("slow", "non-blocking") else 0.0
        self._threads.append(threading.Thread(target=self._feed, args=(write, pause), daemon=True))
        return read

    def _feed(self, fd: int, pause: float) -> None:
        half = len(self._said) // 2
        with suppress(OSError):
            for part in (self._said[:half], self._said[half:]):
                time.sleep(pause)
                os.write(fd, part)
        os.close(fd)
