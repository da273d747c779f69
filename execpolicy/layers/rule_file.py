"""Reads files that decide so that what another process is just writing is never seen by half.

Writers that know our lock are waited for. Of the others only the traces show: a file whose last change (``ctime``,
which nobody can set) is younger than a moment may be in the middle of being rewritten, so it is read again until it
has been left alone for that long; and for longer where a program still has it open for writing.
"""

from __future__ import annotations

import os
import stat
from time import monotonic, sleep, time_ns

from execpolicy import file_leases
from execpolicy.layers.folders import LONG_QUIET_NS, QUIET_NS
from execpolicy.safe_open import LARGEST, open_file, open_named, read_open

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

_PATIENCE = 0.25
"""Seconds to wait for a writer. A program that holds the lock for longer must not stop every check."""

_MORE_PATIENCE = 1.0
"""Seconds to wait when the text, read without the lock, ends inside a line, or has been written to all the while."""

_LONGEST_SLEEP = 1.0
"""Seconds to wait for a file to be left alone."""

_POLITE_SLEEP = 3 * QUIET_NS / 1e9
"""Seconds to wait for it without the lock, so that writers are not stopped. Those who never pause are, after that."""

_FIRST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.001
"""Between looks at the lock: of many writers that take it in turn the next one leaves no more than that."""


def read_rule_file(path: str, *, only_regular: bool = True, patient: bool = True, quiet_ns: int = QUIET_NS) -> str:
    """The text of ``path``, line endings as they are.

    Writers hold an exclusive ``flock`` on the file, so this takes a shared one. If it is not to be had in time, the
    file is read as it is: appends show at worst an unfinished last line, which is waited for some more.

    Args:
        only_regular: refuse links, as the search for rule files does, and pipes. Devices and larger files than
            ``safe_open.LARGEST`` are always refused; ``lang`` has a lower limit of its own, in characters.
        patient: wait for writers. Not for files of strangers, who could hold the lock, or never pause, to stop us.
        quiet_ns: how long the file must have been left alone, in nanoseconds.

    Raises:
        OSError: it cannot be read, or is not a regular file where one is required, or is written to without a pause.
        UnicodeDecodeError: it is not UTF-8.
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
    """What is in ``path``, as :func:`~execpolicy.safe_open.read_named` has it; not what somebody is just writing.

    Args:
        patient: as for :func:`read_rule_file`; no lock is waited for in any case.

    Raises:
        OSError: it cannot be read, or is written to without a pause.
    """
    with open_named(path, pipes=pipes) as file:
        try:
            fd = file.fileno()
        except OSError:  # of a pipe that was read to its end
            return file.read()
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return _settled(fd, path, quiet_ns, patient=patient, locks=False)
        return file.read()


def read_between_writes(path: str) -> bytes:
    """What is in ``path``, as :func:`~execpolicy.safe_open.read_named` has it, pipes too; not half of an append.

    For tools that show or replace what stands in a file. They wait for whoever holds the lock, but not for a pause.

    Raises:
        OSError: it cannot be read.
    """
    with open_named(path, pipes=True) as file:
        try:
            fd = file.fileno()
        except OSError:  # of a pipe that was read to its end
            return file.read()
        if not _share(fd, _PATIENCE) and not _is_whole(_read_all(fd)):
            _share(fd, _MORE_PATIENCE)
        os.lseek(fd, 0, os.SEEK_SET)
        return read_open(file, path)


def _settled(fd: int, path: str, quiet_ns: int, *, patient: bool, locks: bool) -> bytes:
    """What the file held when it had been left alone for ``quiet_ns`` as reading began, so that no tick is missed."""
    slept, seen = 0.0, None
    while True:
        locked = locks and _share(fd, _PATIENCE if slept < _POLITE_SLEEP else _MORE_PATIENCE)
        if _state(fd)[2] > LARGEST:
            raise OSError(27, "file too large", path)
        began, before, data = time_ns(), _state(fd), _read_all(fd)
        if locks and not locked and not _is_whole(data):
            locked = _share(fd, _MORE_PATIENCE)
            began, before, data = time_ns(), _state(fd), _read_all(fd)
        if locked and slept < _POLITE_SLEEP:
            _let_go(fd)  # a reader that waited with the lock would stop writers; only one that sees no pause does
        quiet = quiet_ns
        if patient and before[0] + LONG_QUIET_NS > began and (not _is_whole(data) or _is_being_written(fd)):
            quiet = max(quiet, LONG_QUIET_NS)
        left = before[0] + quiet - began
        is_ahead = left > quiet  # the clock of the file system is
        if (left < 0 or (is_ahead and before == seen)) and _state(fd) == before:
            return data
        if slept > (_LONGEST_SLEEP if patient else 2 * QUIET_NS / 1e9):
            raise OSError(16, "written to without a pause", path)
        seen, pause = before, min(max(left, 0), quiet) / 1e9
        sleep(pause)
        slept += max(pause, _FIRST_PAUSE)


def _is_being_written(fd: int) -> bool:
    return file_leases.is_being_written(fd)


def _is_whole(data: bytes) -> bool:
    return data.endswith(b"\n")


def _state(fd: int) -> tuple[int, int, int]:
    status = os.fstat(fd)
    return (status.st_ctime_ns, status.st_mtime_ns, status.st_size)


def _read_all(fd: int) -> bytes:
    os.lseek(fd, 0, os.SEEK_SET)
    chunks: list[bytes] = []
    while chunk := os.read(fd, 1 << 16):
        chunks.append(chunk)
    return b"".join(chunks)


def _share(fd: int, patience: float) -> bool:
    """Take the shared lock, which closing ``fd`` gives back; ``False`` if a writer keeps it for too long."""
    fcntl = _locks()
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


def _let_go(fd: int) -> None:
    fcntl = _locks()
    if fcntl is not None:
        fcntl.flock(fd, fcntl.LOCK_UN)


def _locks() -> ModuleType | None:
    """The module ``fcntl``; ``None`` on a system without locks on files."""
    try:
        import fcntl
    except ImportError:
        return None
    return fcntl
