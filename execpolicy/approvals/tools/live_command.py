"""The two ends of a command that stays open: text goes in, and what it printed is fetched now and then."""

from __future__ import annotations

import asyncio
import os
import threading

from execpolicy.approvals.orchestrator import Attempt
from execpolicy.approvals.tools.process import Streams

MAX_INPUT = 4096
"""So many bytes go through a pipe whole or not at all."""
_KEPT = 1 << 20


class LiveCommand:
    """Use it from one event loop.

    Attributes:
        streams: what the command is started with.
        started: set when it is about to run.
        attempt: how it runs; ``None`` before that.
    """

    def __init__(self) -> None:
        read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self.streams = Streams(stdin=read, forward=self._take)
        self.started = asyncio.Event()
        self.attempt: Attempt | None = None
        self._said = bytearray()
        self._omitted = 0
        self._lock = threading.Lock()
        self._closed = False

    def begins(self, attempt: Attempt) -> None:
        """It is about to run so."""
        self.attempt = attempt
        self.started.set()

    def send(self, text: str) -> None:
        """Send ``text``, whole or not at all.

        Raises:
            OSError: it is too long, or the command does not read what was sent before, or is over.
        """
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > MAX_INPUT:
            raise OSError(f"more than {MAX_INPUT} bytes at once")
        if self._closed:
            raise BrokenPipeError("the command is over")
        os.write(self._write, data)

    def fetch(self) -> str:
        """What it printed since the last time; of very much only the end."""
        with self._lock:
            said, omitted = bytes(self._said), self._omitted
            self._said.clear()
            self._omitted = 0
        text = said.decode("utf-8", "replace")
        return f"[… {omitted} bytes omitted …]\n{text}" if omitted else text

    def close(self) -> None:
        """It is over."""
        if not self._closed:
            self._closed = True
            os.close(self._write)
            os.close(self.streams.stdin)

    def _take(self, number: int, block: bytes) -> None:
        with self._lock:
            self._said += block
            surplus = len(self._said) - _KEPT
            if surplus > 0:
                del self._said[:surplus]
                self._omitted += surplus
