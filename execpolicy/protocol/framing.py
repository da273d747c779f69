"""Finds event lines in a child's output and passes on everything else byte by byte.

Without a prefix an event is a line that starts with ``{`` and is a JSON object whose ``type`` is an event of this
protocol; with one, a line that starts with it. Every other byte goes out as soon as it is here: at the start of a line
only what may still become an event is held back, and not for long (:meth:`EventScanner.release`). A line that looks
like an event and is none is reported and passed on too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from execpolicy.protocol.codec import MessageError, ParseProblem, parse_message, read_object
from execpolicy.protocol.message_fields import EVENT_TYPES
from execpolicy.protocol.messages import Event, PolicyPing, ToolProgress, ToolRequest, ToolResult

MAX_EVENT_BYTES = 1 << 20
"""The longest line that is looked at as an event."""

Bytes: TypeAlias = bytes | memoryview


@dataclass(frozen=True, slots=True)
class Found:
    """What a line was: an event, or an event that went wrong.

    Attributes:
        size: bytes of the line.
    """

    what: Event | MessageError
    size: int


class EventScanner:
    """The scanner of one stream. It keeps at most one line of :data:`MAX_EVENT_BYTES`.

    Args:
        prefix: what event lines start with; empty means that they start with ``{``.
    """

    def __init__(self, *, prefix: bytes = b"", max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._prefix = prefix
        self._start = prefix or b"{"
        self._marker = b"\n" + self._start
        self._limit = max_event_bytes
        self._held = bytearray()  # the beginning of a line that may become an event
        self._shown = 0  # how much of it went out already
        self._passing = False  # in the middle of a line that is none

    @property
    def holding(self) -> bool:
        """Whether bytes wait for the rest of their line."""
        return len(self._held) > self._shown

    def feed(self, chunk: bytes) -> tuple[list[Bytes], list[Found]]:
        """What ``chunk`` lets out, and the events that it completes."""
        out: list[Bytes] = []
        found: list[Found] = []
        if self._held:
            if len(self._held) < len(self._start):
                chunk = bytes(self._held[: len(self._held)]) + chunk
                shown, self._shown = self._shown, 0
                self._held.clear()
                if shown:  # part of a possible prefix was let out already: this line goes out as text
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
        """Let out what is held back; its line is still looked at when it is complete."""
        out: list[Bytes] = [bytes(self._held[self._shown :])] if self.holding else []
        self._shown = len(self._held)
        return out

    def finish(self) -> tuple[list[Bytes], list[Found]]:
        """The stream is over: what the last line was, though it has no newline."""
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
        """Where ``data`` ends in the beginning of a line that may become an event; else its length."""
        line = data.rfind(b"\n", max(at, len(data) - len(self._start))) + 1
        return line if line and line < len(data) and self._start.startswith(data[line:]) else len(data)

    def _overflow(self, out: list[Bytes], found: list[Found]) -> None:
        """A line that is too long for an event goes out as it comes."""
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
        """``_held`` is a whole line."""
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
    """A quick look that spares most output the JSON parser."""
    return b'"tool.' in body or b'"policy.ping"' in body


def classify(line: bytes, *, prefix: bytes = b"") -> Event | MessageError | None:
    """The event that ``line`` is, what is wrong with it, or ``None`` if it is ordinary output."""
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
