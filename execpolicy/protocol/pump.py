"""Reads one output stream of a child, passes it on and hands over the events in it: task A and B of the seed.

Each stream has a thread of its own, so that nothing that the event loop does (a decision, a question) ever delays the
output, and a slow reader of the output slows the child down and nothing else.

How much may wait between two threads: whoever brings more waits until some of it is taken.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from execpolicy.protocol.framing import Bytes, EventScanner, Found


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


Deliver: TypeAlias = Callable[[list[Found]], None]

CHUNK = 1 << 20
HOLD_MS = 50
"""How long the beginning of a possible event waits for its end before it is passed on as well."""
MAX_UNDELIVERED = 4 << 20
"""Bytes of events that may wait for the event loop; then the stream is read no further."""


class Pump(threading.Thread):
    """Moves bytes from ``source`` to ``sink`` until the stream ends or :meth:`stop`.

    Args:
        source: read end of the child's pipe; closed when the pump ends.
        sink: where output goes; not closed. Why it took no more is :attr:`failure`.
        deliver: takes events, in this thread; must hand them over and call :meth:`delivered` with their sizes later.
        printed: shown what goes out, in this thread.
    """

    def __init__(
        self,
        source: int,
        sink: int,
        scanner: EventScanner,
        deliver: Deliver,
        on_end: Callable[[], None],
        *,
        printed: Callable[[list[Bytes]], None],
        name: str,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._source = source
        self._sink = sink
        self._scanner = scanner
        self._deliver = deliver
        self._on_end = on_end
        self._printed = printed
        self._wake_read, self._wake_write = os.pipe()
        self._stopping = False
        self._undelivered = Backlog(MAX_UNDELIVERED)
        self.bytes = 0
        self.failure: OSError | None = None

    def run(self) -> None:
        """Pump until the end, then report it."""
        try:
            self._pump()
        finally:
            os.close(self._source)
            os.close(self._wake_read)
            self._on_end()

    def stop(self) -> None:
        """Do not wait for more: what is in the pipe now is still moved."""
        self._stopping = True
        self._undelivered.close()
        with suppress(BrokenPipeError):  # it is over already
            os.write(self._wake_write, b"x")

    def close(self) -> None:
        """Free what :meth:`stop` needed. Only when the thread is over."""
        os.close(self._wake_write)

    def delivered(self, size: int) -> None:
        """So many bytes of events have been taken in."""
        self._undelivered.take(size)

    def _pump(self) -> None:
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        os.set_blocking(self._source, False)
        while True:
            ready = poll.poll(0 if self._stopping else HOLD_MS if self._scanner.holding else None)
            if not ready:
                if not self._put(self._scanner.release()) or self._stopping:
                    return
                continue
            try:
                chunk = os.read(self._source, CHUNK)
            except BlockingIOError:
                if self._stopping:
                    break
                continue
            except InterruptedError:
                continue
            if not chunk:
                break
            self.bytes += len(chunk)
            out, found = self._scanner.feed(chunk)
            if not self._put(out):
                return
            self._hand_over(found)
        out, found = self._scanner.finish()
        self._put(out)
        self._hand_over(found)

    def _hand_over(self, found: list[Found]) -> None:
        if found:
            self._deliver(found)
            self._undelivered.bring(sum(one.size for one in found))

    def _put(self, pieces: list[Bytes]) -> bool:
        """Write everything; ``False`` if nobody reads the output any more."""
        if pieces:
            self._printed(pieces)
        for piece in pieces:
            rest = memoryview(piece)
            while rest:
                try:
                    rest = rest[os.write(self._sink, rest) :]
                except BlockingIOError:  # somebody made the terminal non-blocking
                    writable = select.poll()
                    writable.register(self._sink, select.POLLOUT)
                    writable.poll()
                except OSError as error:
                    self.failure = error
                    return False
        return True
