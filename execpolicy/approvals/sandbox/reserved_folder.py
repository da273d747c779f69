"""Placeholders that keep a command from creating protected paths: empty folders, which Git ignores.

``.env`` is an empty file, since programs that read an optional ``.env`` (a ``Makefile``) would fail on a folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator, Sequence

from execpolicy.approvals.orchestrator import SandboxUnavailableError
from execpolicy.processes.warden import give_back

_FILES = (".env",)


@contextlib.contextmanager
def reserved(path: str) -> Iterator[None]:
    """Create ``path`` if it is missing, so that it can be mounted read-only and no command can create it.

    It is removed at the end if this function created it (marked by its sticky bit), it is still empty and no other
    command needs it. Each command, of this or another process, holds a shared lock on it.
    """
    descriptor = _open_reserved(path)
    try:
        yield
    finally:
        if descriptor is not None:
            give_back(path, descriptor)
            os.close(descriptor)


def _open_reserved(path: str) -> int | None:
    """A descriptor of ``path`` that holds the lock; ``None`` if the path cannot be locked or created."""
    is_file = os.path.basename(path) in _FILES
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | (0 if is_file else os.O_DIRECTORY)
    while True:
        made = False
        try:
            if is_file:
                os.mknod(path, stat.S_IFREG | stat.S_ISVTX | 0o644)
            else:
                os.mkdir(path, 0o755 | stat.S_ISVTX)
            made = True
        except FileExistsError:
            pass
        except OSError:  # a command cannot write to this folder either
            return None
        try:
            descriptor = os.open(path, flags)
        except OSError as error:
            if made and not isinstance(error, FileNotFoundError):  # another command may remove it at once
                os.unlink(path) if is_file else os.rmdir(path)
                raise SandboxUnavailableError(f"`{path}` cannot be kept as it is: {error.strerror}") from None
            if os.path.lexists(path):
                return None
            continue
        with contextlib.suppress(BlockingIOError):  # an exclusive lock of another process also prevents the removal
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if os.path.exists(path) and os.path.samestat(os.fstat(descriptor), os.stat(path)):
            return descriptor
        os.close(descriptor)  # another command removed it before it was locked


def first_missing(path: str, roots: Sequence[str]) -> str:
    """The outermost folder of ``path`` that is missing or was created by :func:`reserved`; ``path`` if none is."""
    found = path
    while (path := os.path.dirname(path)) not in ("/", "", *roots):
        if not os.path.lexists(path) or _is_reserved(path):
            found = path
    return found


def _is_reserved(folder: str) -> bool:
    """True if ``folder`` is a placeholder of a command that still runs, or was killed."""
    try:
        mode = os.lstat(folder).st_mode
        return stat.S_ISDIR(mode) and mode & (stat.S_ISVTX | 0o022) == stat.S_ISVTX and not os.listdir(folder)
    except OSError:
        return False
