"""Who else has a file open, asked of the kernel: a lease on it is only granted where nobody is in its way.

Linux only, and only for the owner of the file. A lease is held for no longer than it takes to give it back; who opens
the file in between waits for that long (``safe_open.open_file``, which may not wait, tries again), and we get a
signal, for which one is chosen that does nothing.
"""

from __future__ import annotations

import errno


def only_opened_here(fd: int) -> bool | None:
    """Whether nobody else has the file open; ``None`` where the system does not tell."""
    return _is_granted(fd, "F_WRLCK")


def is_being_written(fd: int) -> bool:
    """Whether somebody has the file, which is open here for reading, open for writing, as far as the system tells."""
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
        fcntl.fcntl(fd, fcntl.F_SETSIG, SIGURG)  # the usual one, SIGIO, ends a process
        fcntl.fcntl(fd, fcntl.F_SETLEASE, getattr(fcntl, lease))
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return False if error.errno == errno.EAGAIN else None
    return True
