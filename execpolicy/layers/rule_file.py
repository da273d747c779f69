"""Reads rule and settings files without ever returning a half-written text.

A reader waits for writers that use our lock. Other writers are detected by the last change (``ctime``, which no program
can set). A file that changed a moment ago may be in the middle of a rewrite, so it is read again after a quiet period.
The period is longer if a program still has the file open for writing.
"""

from __future__ import annotations

import os
import stat
from time import monotonic, sleep, time_ns

from execpolicy import atomic_write
from execpolicy.layers.folders import LONG_QUIET_NS, QUIET_NS
from execpolicy.safe_open import LARGEST, open_file, open_named, read_open

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import BinaryIO

_PATIENCE = 0.25
"""Seconds to wait for a writer. A program that holds the lock for longer must not block every check."""

_MORE_PATIENCE = 1.0
"""Seconds to wait when the text, read without the lock, ends inside a line or is still being written."""

_LONGEST_SLEEP = 1.0
"""Maximum number of seconds to wait for a quiet period."""

_POLITE_SLEEP = 3 * QUIET_NS / 1e9
"""Seconds of that wait without the lock, so that writers are not blocked. After that, writers that never pause are."""

_FIRST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.001
"""Seconds between attempts to take the lock: the gap that several writers in turn leave is not longer."""


def read_rule_file(path: str, *, only_regular: bool = True, patient: bool = True, quiet_ns: int = QUIET_NS) -> str:
    """The text of ``path``, with its line endings.

    Writers hold an exclusive ``flock`` on the file, so this takes a shared one. If it is not available in time, the
    file is read without it. An append then shows at worst an unfinished last line, for which the reader waits longer.

    Args:
        only_regular: true to refuse links, as the search for rule files does, and pipes. Devices and files larger than
            ``safe_open.LARGEST`` are always refused; ``lang`` has a lower limit in characters.
        patient: true to wait for writers. False for untrusted files, whose owner could hold the lock, or write without
            a pause, to block us.
        quiet_ns: the required period without a change, in nanoseconds.

    Raises:
        OSError: the file cannot be read, is not regular although required, or is written to without a pause.
        UnicodeDecodeError: the file is not UTF-8.
    """
    if not only_regular:
        return read_settled(path, quiet_ns, pipes=True).decode("utf-8")
    fd = open_file(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW, patience_s=1.0 if patient else 0.0)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(22, "not a regular file", path)
        return _settled(fd, path, quiet_ns, patient=patient, locks=patient).decode("utf-8")
    finally:
        os.close(fd)


def read_settled(path: str, quiet_ns: int = QUIET_NS, *, patient: bool = True, pipes: bool = False) -> bytes:
    """The content of ``path``, as :func:`~execpolicy.safe_open.read_named` returns it, after a quiet period.

    Args:
        patient: as for :func:`read_rule_file`, but never waits for a lock.

    Raises:
        OSError: the file cannot be read, or is written to without a pause.
    """
    with open_named(path, pipes=pipes) as file:
        fd = _descriptor(file)
        if fd is None or not stat.S_ISREG(os.fstat(fd).st_mode):
            return file.read()
        return _settled(fd, path, quiet_ns, patient=patient, locks=False)


def read_between_writes(path: str) -> bytes:
    """The content of ``path``, as :func:`~execpolicy.safe_open.read_named` returns it, pipes too; never half an append.

    For tools that show or replace the content of a file. They wait for the lock, but not for a quiet period.

    Raises:
        OSError: the file cannot be read.
    """
    with open_named(path, pipes=True) as file:
        fd = _descriptor(file)
        if fd is None:
            return file.read()
        if not _lock_shared(fd, _PATIENCE) and not _is_whole(_read_all(fd)):
            _lock_shared(fd, _MORE_PATIENCE)
        os.lseek(fd, 0, os.SEEK_SET)
        return read_open(file, path)


def _descriptor(file: BinaryIO) -> int | None:
    try:
        return file.fileno()
    except OSError:  # of a pipe that was read to its end
        return None


def _settled(fd: int, path: str, quiet_ns: int, *, patient: bool, locks: bool) -> bytes:
    """The content after ``quiet_ns`` without a change, measured when reading began, so that no clock tick is missed."""
    slept, seen = 0.0, None
    while True:
        locked = locks and _lock_shared(fd, _PATIENCE if slept < _POLITE_SLEEP else _MORE_PATIENCE)
        if _state(fd)[2] > LARGEST:
            raise OSError(27, "file too large", path)
        began, before, data = time_ns(), _state(fd), _read_all(fd)
        if locks and not locked and not _is_whole(data):
            locked = _lock_shared(fd, _MORE_PATIENCE)
            began, before, data = time_ns(), _state(fd), _read_all(fd)
        if locked and slept < _POLITE_SLEEP:
            _unlock(fd)  # a reader that waits with the lock blocks writers; it does so only if they do not pause
        quiet = quiet_ns
        if patient and before[0] + LONG_QUIET_NS > began and (not _is_whole(data) or atomic_write.is_being_written(fd)):
            quiet = max(quiet, LONG_QUIET_NS)
        left = before[0] + quiet - began
        is_ahead = left > quiet  # the file system's clock is ahead of ours
        if (left < 0 or (is_ahead and before == seen)) and _state(fd) == before:
            return data
        if slept > (_LONGEST_SLEEP if patient else 2 * QUIET_NS / 1e9):
            raise OSError(16, "written to without a pause", path)
        seen, pause = before, min(max(left, 0), quiet) / 1e9
        sleep(pause)
        slept += max(pause, _FIRST_PAUSE)


def _is_whole(data: bytes) -> bool:
    return data.endswith(b"\n")


def _state(fd: int) -> tuple[int, int, int]:
    status = os.fstat(fd)
    return (status.st_ctime_ns, status.st_mtime_ns, status.st_size)


def _read_all(fd: int) -> bytes:
    os.lseek(fd, 0, os.SEEK_SET)
    with open(fd, "rb", closefd=False) as file:
        return file.read()


def _lock_shared(fd: int, patience: float) -> bool:
    """Takes the shared lock, which closing ``fd`` releases; ``False`` if a writer holds it for too long."""
    fcntl = _fcntl()
    if fcntl is None:  # no writer takes the lock on this system
        return True
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


def _unlock(fd: int) -> None:
    fcntl = _fcntl()
    if fcntl is not None:
        fcntl.flock(fd, fcntl.LOCK_UN)


def _fcntl() -> ModuleType | None:
    """The module ``fcntl``; ``None`` on a system without locks on files."""
    try:
        import fcntl
    except ImportError:
        return None
    return fcntl
