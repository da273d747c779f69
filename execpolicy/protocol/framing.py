"""Finds event lines in a child's output and passes on everything else byte by byte.

Without a prefix, an event is a line that starts with ``{`` and is a JSON object whose ``type`` is an event of this
protocol. With a prefix, an event is a line that starts with the prefix.

Every other byte is passed on as soon as it arrives. At the start of a line, only bytes that may still become an event
are held back, and only for a short time (:meth:`EventScanner.release`). A line that looks like an event but is not
valid is reported and passed on too. Each output stream has its own thread (tasks A and B of the seed). So the
event loop never delays the output, and a slow reader slows down only the child.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from execpolicy.fd_io import write_all
from execpolicy.protocol.codec import EVENT_TYPES, MessageError, ParseProblem, parse_message, read_object
from execpolicy.protocol.messages import Event, PolicyPing, ToolProgress, ToolRequest, ToolResult


class Backlog:
    """A limit for bytes that wait between two threads.

    Args:
        limit: the maximum in bytes; one piece may exceed it, because it has already been read.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._waiting = 0
        self._closed = False
        self._room = threading.Condition()

    def bring(self, size: int) -> None:
        """Adds ``size`` bytes, and waits until there is room for more."""
        with self._room:
            self._waiting += size
            while self._waiting > self._limit and not self._closed:
                self._room.wait()

    def take(self, size: int) -> None:
        """Removes ``size`` bytes."""
        with self._room:
            self._waiting -= size
            self._room.notify_all()

    def close(self) -> None:
        """Releases the waiting producer for good."""
        with self._room:
            self._closed = True
            self._room.notify_all()


CHUNK = 1 << 20
HOLD_MS = 50
"""The time in milliseconds that the start of a possible event is held back before it is passed on."""
MAX_UNDELIVERED = 4 << 20
"""The maximum size in bytes of the events that wait for the event loop; above it, the stream is not read."""


class Pump(threading.Thread):
    """Moves bytes from ``source`` to ``sink`` until the stream ends or :meth:`stop`.

    Args:
        source: the read end of the child's pipe; closed when the pump ends.
        sink: the descriptor for the output; not closed. A write error is stored in :attr:`failure`.
        deliver: takes events, in this thread; must pass them on and call :meth:`delivered` with their sizes later.
        printed: receives the output that is passed on, in this thread.
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
        """Pumps until the end, then calls ``on_end``."""
        try:
            self._pump()
        finally:
            os.close(self._source)
            os.close(self._wake_read)
            self._on_end()

    def stop(self) -> None:
        """Stops waiting for more output; the current contents of the pipe are still moved."""
        self._stopping = True
        self._undelivered.close()
        with suppress(BrokenPipeError):  # the thread has already ended
            os.write(self._wake_write, b"x")

    def close(self) -> None:
        """Closes the descriptor that :meth:`stop` uses. Call it only after the thread has ended."""
        os.close(self._wake_write)

    def delivered(self, size: int) -> None:
        """Reports that ``size`` bytes of events have been processed."""
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
        """Writes all pieces; ``False`` if the output has no reader any more."""
        if pieces:
            self._printed(pieces)
        try:
            for piece in pieces:
                write_all(self._sink, piece)
        except OSError as error:
            self.failure = error
            return False
        return True


MAX_EVENT_BYTES = 1 << 20
"""The maximum size in bytes of a line that is parsed as an event."""

Bytes: TypeAlias = bytes | memoryview


@dataclass(frozen=True, slots=True)
class Found:
    """An event line of ``size`` bytes: a valid event, or the error in it."""

    what: Event | MessageError
    size: int


Deliver: TypeAlias = Callable[[list[Found]], None]


class EventScanner:
    """The scanner of one stream. It keeps at most one line of :data:`MAX_EVENT_BYTES`.

    Args:
        prefix: the start of event lines; if empty, they start with ``{``.
    """

    def __init__(self, *, prefix: bytes = b"", max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._prefix = prefix
        self._start = prefix or b"{"
        self._marker = b"\n" + self._start
        self._limit = max_event_bytes
        self._held = bytearray()  # the beginning of a line that may become an event
        self._shown = 0  # the number of its bytes that were already passed on
        self._passing = False  # in the middle of a line that is not an event

    @property
    def holding(self) -> bool:
        """True if bytes are held back until the rest of their line arrives."""
        return len(self._held) > self._shown

    def feed(self, chunk: bytes) -> tuple[list[Bytes], list[Found]]:
        """The output and the events that follow from ``chunk``."""
        out: list[Bytes] = []
        found: list[Found] = []
        if self._held:
            if len(self._held) < len(self._start):
                chunk = bytes(self._held) + chunk
                shown, self._shown = self._shown, 0
                self._held.clear()
                if shown:  # part of a possible prefix was already passed on: this line goes out as text
                    chunk, self._passing = chunk[shown:], True
            else:
                end = chunk.find(b"\n")
                self._held += chunk if end < 0 else chunk[: end + 1]
                if end < 0:
                    self._overflow(out, found)
                    return out, found
                chunk = chunk[end + 1 :]
                self._end_line(out, found)
        self._scan(chunk, out, found)
        return out, found

    def release(self) -> list[Bytes]:
        """Passes on the bytes that are held back; their line is still classified when it is complete."""
        out: list[Bytes] = [bytes(self._held[self._shown :])] if self.holding else []
        self._shown = len(self._held)
        return out

    def finish(self) -> tuple[list[Bytes], list[Found]]:
        """The remaining output and event at the end of the stream: the last line counts without a newline."""
        out: list[Bytes] = []
        found: list[Found] = []
        if self._held:
            self._end_line(out, found)
        return out, found

    def _scan(self, data: bytes, out: list[Bytes], found: list[Found]) -> None:
        view = memoryview(data)
        at, size, start = 0, len(data), self._start
        while at < size:
            if self._passing:
                line = data.find(self._marker, at)
                if line < 0:
                    end = self._line_end(data, at)
                    out.append(view[at:end])
                    self._held += view[end:]
                    self._passing = not data.endswith(b"\n", at) and not self._held
                    return
                out.append(view[at : line + 1])
                at, self._passing = line + 1, False
            elif data.startswith(start, at):
                end = data.find(b"\n", at)
                self._held += view[at:] if end < 0 else view[at : end + 1]
                if end < 0:
                    self._overflow(out, found)
                    return
                self._end_line(out, found)
                at = end + 1
            elif size - at < len(start) and start.startswith(data[at:]):
                self._held += view[at:]
                return
            else:
                self._passing = True

    def _line_end(self, data: bytes, at: int) -> int:
        """The index in ``data`` of a last line that may become an event; the length of ``data`` if there is none."""
        line = data.rfind(b"\n", max(at, len(data) - len(self._start))) + 1
        return line if line and line < len(data) and self._start.startswith(data[line:]) else len(data)

    def _overflow(self, out: list[Bytes], found: list[Found]) -> None:
        """Passes on a line that is too long for an event, as it arrives."""
        if len(self._held) > self._limit:
            self._too_long(out, found)
            self._passing = True

    def _too_long(self, out: list[Bytes], found: list[Found]) -> None:
        if self._prefix or _mentions_event(self._held[: min(self._limit, 4096)]):
            problem = MessageError(ParseProblem.TOO_LONG, f"the line is longer than {self._limit} bytes")
            found.append(Found(problem, len(self._held)))
        out += self.release()
        self._held.clear()
        self._shown = 0

    def _end_line(self, out: list[Bytes], found: list[Found]) -> None:
        """Classifies the whole line in ``_held``."""
        if len(self._held) - self._held.endswith(b"\n") > self._limit:
            self._too_long(out, found)
            return
        line = bytes(self._held)
        what = classify(line, prefix=self._prefix)
        if what is not None:
            found.append(Found(what, len(line)))
        if what is None or isinstance(what, MessageError) or self._shown:
            out += self.release()
        self._held.clear()
        self._shown = 0


def _mentions_event(body: bytes | bytearray) -> bool:
    """True if ``body`` may be an event. This quick test avoids JSON parsing of most output."""
    return b'"tool.' in body or b'"policy.ping"' in body


def classify(line: bytes, *, prefix: bytes = b"") -> Event | MessageError | None:
    """The event on ``line``, the error in it, or ``None`` if it is ordinary output."""
    if not line.startswith(prefix or b"{"):
        return None
    body = line[len(prefix) :]
    if not prefix and not _mentions_event(body):
        return None
    try:
        value = read_object(body)
    except MessageError as error:
        return error if prefix or b'"type"' in body else None
    kind = value.get("type")
    if not prefix and not (isinstance(kind, str) and (kind.startswith("tool.") or kind == PolicyPing.TYPE)):
        return None
    try:
        message = parse_message(value)
    except MessageError as error:
        return error
    if isinstance(message, ToolRequest | ToolResult | ToolProgress | PolicyPing):
        return message
    text = f"a child says {', '.join(sorted(EVENT_TYPES))}, not {message.TYPE}"
    return MessageError(ParseProblem.UNKNOWN_TYPE, text, field="type", value=value)
