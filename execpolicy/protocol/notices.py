"""Lines for the person, written by a thread of its own: a standard error that nobody reads delays no decision."""

from __future__ import annotations

import os
import queue
import threading
from contextlib import suppress

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
