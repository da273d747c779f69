"""Reads rule files so that a line which another process is just appending is never seen by half."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False

LARGEST = 128 << 20
"""Bytes. More is not read at all; ``lang`` has a lower limit of its own, in characters."""

_PATIENCE = 1.0
_STEP = 0.005


def read_rule_file(path: str, *, only_regular: bool = True) -> str:
    """The text of ``path``, line endings as they are.

    Writers append whole lines under an exclusive ``flock``. A text that ends inside a line may be one of theirs in the
    making, so it is read again under a shared lock, for which this waits at most one second.

    Raises:
        OSError: it cannot be read, or is not a regular file where one is required.
        UnicodeDecodeError: it is not UTF-8.
    """
    if not only_regular:
        with open(path, "rb") as file:
            return file.read(LARGEST + 1).decode("utf-8")
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(22, "not a regular file", path)
        if found.st_size > LARGEST:
            raise OSError(27, "file too large", path)
        data = _read_all(fd)
        if data and not data.endswith(b"\n"):
            data = _read_under_lock(fd)
        return data.decode("utf-8")
    finally:
        os.close(fd)


def _read_all(fd: int) -> bytes:
    os.lseek(fd, 0, os.SEEK_SET)
    chunks: list[bytes] = []
    while chunk := os.read(fd, 1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)


def _read_under_lock(fd: int) -> bytes:
    """The content while nobody writes; if a writer holds the lock for too long, the content as it is."""
    try:
        import fcntl
    except ImportError:  # no flock on this system, so there is no writer that takes it
        return _read_all(fd)
    from time import monotonic, sleep

    deadline = monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if monotonic() >= deadline:
                break
            sleep(_STEP)
        except OSError:  # a file system without locks
            break
    return _read_all(fd)
