"""Reads rule files so that what another process is just writing is never seen by half."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False

LARGEST = 128 << 20
"""Bytes. More is not read at all; ``lang`` has a lower limit of its own, in characters."""

_PATIENCE = 0.25
"""Seconds to wait for a writer. A program that holds the lock for longer must not stop every check."""

_MORE_PATIENCE = 1.0
"""Seconds to wait when the text, read without the lock, ends inside a line."""

_FIRST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.005


def read_rule_file(path: str, *, only_regular: bool = True, patient: bool = True) -> str:
    """The text of ``path``, line endings as they are.

    Writers hold an exclusive ``flock`` on the file, so this takes a shared one. If it is not to be had in time, the
    file is read as it is: appends show at worst an unfinished last line, which is waited for some more.

    Args:
        only_regular: refuse links, as the search for rule files does, and pipes and devices, which could block.
        patient: wait for writers at all. Not for files of strangers, who could hold the lock to stop us.

    Raises:
        OSError: it cannot be read, or is not a regular file where one is required.
        UnicodeDecodeError: it is not UTF-8.
    """
    if not only_regular:
        with open(path, "rb") as file:
            return file.read(LARGEST + 1).decode("utf-8")
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(22, "not a regular file", path)
        if found.st_size > LARGEST:
            raise OSError(27, "file too large", path)
        locked = patient and _share(fd, _PATIENCE)
        data = _read_all(fd)
        if patient and not locked and data and not data.endswith(b"\n"):
            _share(fd, _MORE_PATIENCE)
            data = _read_all(fd)
        return data.decode("utf-8")
    finally:
        os.close(fd)


def _read_all(fd: int) -> bytes:
    os.lseek(fd, 0, os.SEEK_SET)
    chunks: list[bytes] = []
    while chunk := os.read(fd, 1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)


def _share(fd: int, patience: float) -> bool:
    """Take the shared lock, which closing ``fd`` gives back; ``False`` if a writer keeps it for too long."""
    try:
        import fcntl
    except ImportError:  # no flock on this system, so there is no writer that takes it
        return True
    from time import monotonic, sleep

    deadline, pause = monotonic() + patience, _FIRST_PAUSE
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= deadline:
                return False
            sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        except OSError:  # a file system without locks
            return False
        else:
            return True
