"""A file of which only the parts that are asked for are read."""

from __future__ import annotations

import os


class FileInParts:
    """An open file. It stays open: what an upgrade puts in its place is another one."""

    __slots__ = ("_fd",)

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def __call__(self, start: int, end: int) -> bytes:
        """The bytes from ``start`` up to ``end``.

        Raises:
            OSError: they cannot be read.
        """
        return os.pread(self._fd, end - start, start)

    def whole(self) -> bytes:
        """All of it."""
        return self(0, os.fstat(self._fd).st_size)

    def __del__(self) -> None:
        os.close(self._fd)
