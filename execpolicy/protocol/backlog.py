"""How much may wait between two threads: whoever brings more waits until some of it is taken."""

from __future__ import annotations

import threading


class Backlog:
    """Bytes that wait to be taken.

    Args:
        limit: bytes; one piece may go beyond it, since it is here already.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._waiting = 0
        self._closed = False
        self._room = threading.Condition()

    def bring(self, size: int) -> None:
        """Note what was handed over, and wait until there is room for more."""
        with self._room:
            self._waiting += size
            while self._waiting > self._limit and not self._closed:
                self._room.wait()

    def take(self, size: int) -> None:
        """So much of it is taken."""
        with self._room:
            self._waiting -= size
            self._room.notify_all()

    def close(self) -> None:
        """Nobody waits any more."""
        with self._room:
            self._closed = True
            self._room.notify_all()
