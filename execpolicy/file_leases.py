"""Detects other users of an open file through kernel leases: a lease is only granted if no conflicting open exists.

Linux only, and only for the owner of the file. A lease is released immediately. A process that opens the file in
between waits that long (``safe_open.open_file``, which must not wait, tries again), and this process gets a signal; the
module selects a signal that is ignored by default.
"""

from __future__ import annotations

import errno


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
