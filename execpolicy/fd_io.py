"""Reading from and writing to descriptors that may be slow, non-blocking or endless."""

from __future__ import annotations

import os
from errno import EBADF, EFBIG
from io import BufferedReader, RawIOBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO, TextIO


def write_all(fd: int, data: bytes | memoryview) -> None:
    """Writes all of ``data``, waiting if the descriptor is non-blocking and full.

    Raises:
        OSError: it cannot be written.
    """
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            _wait(fd, writing=True)


def read_some(fd: int, size: int = 1 << 16) -> bytes:
    """The available data, at most ``size`` bytes; empty only at the end.

    Raises:
        OSError: it cannot be read.
    """
    while True:
        try:
            return os.read(fd, size)
        except BlockingIOError:
            _wait(fd, writing=False)


def read_to_end(read: Callable[[], bytes], largest: int) -> bytes:
    """All data that ``read`` returns up to the end.

    Raises:
        OSError: it cannot be read, or is larger than ``largest`` bytes.
    """
    chunks: list[bytes] = []
    size = 0
    while chunk := read():
        chunks.append(chunk)
        size += len(chunk)
        if size > largest:
            raise OSError(EFBIG, f"larger than {largest >> 20} MiB")
    return b"".join(chunks)


def blocks_of(stream: TextIO | None) -> Callable[[], bytes]:
    """A function that returns the next bytes of a standard stream, empty only at its end.

    Raises:
        OSError: the stream is closed.
    """
    if stream is None:
        raise OSError(EBADF, "standard input is closed")
    try:
        fd = stream.fileno()
    except (OSError, ValueError):  # an in-memory stream
        buffer = getattr(stream, "buffer", None)
        return (lambda: buffer.read1(1 << 16)) if buffer is not None else lambda: stream.read().encode()
    return lambda: read_some(fd)


def buffered(stream: TextIO | None, longest: int) -> BinaryIO:
    """A standard stream as a file of lines, none longer than ``longest`` bytes; reading a longer one is an ``OSError``.

    Raises:
        OSError: the stream is closed.
    """
    read = blocks_of(stream)

    class Blocks(RawIOBase):
        """A raw stream of the blocks that ``read`` returns."""

        rest = b""
        line = 0

        def readable(self) -> bool:
            return True

        def readinto(self, into: bytearray) -> int:  # type: ignore[override]  # any buffer
            block = self.rest or read()
            end = block.rfind(b"\n")
            self.line = len(block) - 1 - end if end >= 0 else self.line + len(block)
            if self.line > longest:
                raise OSError(EFBIG, f"a line is longer than {longest >> 20} MiB")
            size = min(len(block), len(into))
            into[:size] = block[:size]
            self.rest = block[size:]
            return size

    return BufferedReader(Blocks())  # type: ignore[type-var]  # its buffer is any, as the interpreter's own


def _wait(fd: int, *, writing: bool) -> None:
    import select

    poll = select.poll()
    poll.register(fd, select.POLLOUT if writing else select.POLLIN)
    poll.poll()


class LineReader:
    """Lines from a stream as they arrive, in bounded memory and linear time.

    Args:
        read: returns the next bytes, empty at the end.
        longest: bytes; a longer line is returned as ``None``.
    """

    __slots__ = ("_held", "_longest", "_read", "_skipping")

    def __init__(self, read: Callable[[], bytes], longest: int) -> None:
        self._read = read
        self._longest = longest
        self._held = bytearray()
        self._skipping = False

    def batch(self) -> list[bytes | None] | None:
        """The lines that the next block completes, without their line ends; ``None`` at the end of the stream.

        The text after the last line end is a line as well.

        Raises:
            OSError: it cannot be read.
        """
        block = self._read()
        if not block:
            return self._line() if self._held or self._skipping else None
        *whole, rest = block.split(b"\n")
        found: list[bytes | None] = []
        for line in whole:
            self._hold(line)
            found += self._line()
        self._hold(rest)
        return found

    def _line(self) -> list[bytes | None]:
        line = None if self._skipping else bytes(self._held)
        self._held.clear()
        self._skipping = False
        return [line]

    def _hold(self, part: bytes) -> None:
        if not self._skipping:
            self._held += part
            if len(self._held) > self._longest:
                self._held = bytearray()
                self._skipping = True
