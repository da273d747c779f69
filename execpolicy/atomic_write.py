"""Writes files atomically: a temporary file in the same directory replaces the target in one step.

The temporary file (draft) is named after the process that writes it. The drafts of a killed process are recognised by
that name, and deleted with the next draft in the same directory.

Detects other users of an open file through kernel leases: a lease is only granted if no conflicting open exists.

Linux only, and only for the owner of the file. A lease is released immediately. A process that opens the file in
between waits that long (``safe_open.open_file``, which must not wait, tries again), and this process gets a signal; the
module selects a signal that is ignored by default.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from itertools import count

_PREFIX = ".execpolicy-draft-"


def write_whole(path: str, content: bytes) -> None:
    """Replaces the content of the file ``path``, following links; on an error the file stays unchanged.

    A pipe, a device, or an open descriptor (``/dev/stdout``) is written to directly.

    Raises:
        OSError: it could not be written.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        mode = usual_mode()
    else:
        if not stat.S_ISREG(status.st_mode) or path.startswith(("/dev/", "/proc/")):
            fd = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC | os.O_NONBLOCK)
            with open(fd, "wb") as file:  # non-blocking: a pipe without a reader is an error
                file.write(content)
            return
        mode = stat.S_IMODE(status.st_mode)
    path = os.path.realpath(path)
    draft = make_draft(path, content, mode)
    try:
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


def make_draft(path: str, content: bytes, mode: int) -> str:
    """The path of a new synced draft with ``content`` next to ``path``, with the owner of the file there.

    Raises:
        OSError: it could not be written, and there is no draft.
    """
    folder = os.path.dirname(path)
    _sweep(folder)
    for number in count():
        draft = os.path.join(folder, f"{_PREFIX}{number}.{os.getpid()}")
        try:
            fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            continue
        break
    try:
        with open(fd, "wb") as file:
            file.write(content)
            file.flush()
            with contextlib.suppress(OSError):  # only the superuser can change an owner
                status = os.lstat(path)
                os.fchown(fd, status.st_uid, status.st_gid)
            os.fchmod(fd, mode)
            os.fsync(fd)
    except BaseException:
        os.unlink(draft)
        raise
    return draft


def usual_mode() -> int:
    """The mode of a new file."""
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask


def is_abandoned(name: str) -> bool:
    """True if the process whose id ends the name of a draft no longer exists.

    A process on another machine that shares the directory may lose its draft: its write then fails and changes nothing.
    """
    process = name.rpartition(".")[2]
    if not (process.isascii() and process.isdecimal()):
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _sweep(folder: str) -> None:
    for name in os.listdir(folder or "."):
        if name.startswith(_PREFIX) and is_abandoned(name):
            os.unlink(os.path.join(folder, name))


def only_opened_here(fd: int) -> bool | None:
    """True if no other process has the file open; ``None`` if the system does not report it."""
    return _is_granted(fd, "F_WRLCK")


def is_being_written(fd: int) -> bool:
    """True if the system reports a writer of the file, which is open here for reading."""
    return _is_granted(fd, "F_RDLCK") is False


def _is_granted(fd: int, lease: str) -> bool | None:
    try:
        import fcntl
        from signal import SIGURG
    except ImportError:
        return None
    if not hasattr(fcntl, "F_SETLEASE"):
        return None
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, SIGURG)  # the default, SIGIO, ends a process
        fcntl.fcntl(fd, fcntl.F_SETLEASE, getattr(fcntl, lease))
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return False if error.errno == errno.EAGAIN else None
    return True
