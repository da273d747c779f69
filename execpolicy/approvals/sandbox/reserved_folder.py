"""A folder that stands where there is none as long as a command runs, so that the command cannot make it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from typing import TYPE_CHECKING

from execpolicy.approvals.outcomes import SandboxUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@contextlib.contextmanager
def reserved(folder: str) -> Iterator[None]:
    """Make ``folder`` if it is missing, so that it can be mounted read-only and no command can create it.

    It is removed at the end if it was made by this function (its sticky bit says so), is still empty, and no other
    command, of this process or another, needs it: each holds a shared lock on it meanwhile.
    """
    descriptor = _open_reserved(folder)
    try:
        yield
    finally:
        if descriptor is not None:
            with contextlib.suppress(OSError):
                if os.fstat(descriptor).st_mode & stat.S_ISVTX:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.rmdir(folder)
            os.close(descriptor)


def _open_reserved(folder: str) -> int | None:
    """A descriptor of ``folder`` that holds the lock; ``None`` if there is no such folder and none can be made."""
    while True:
        made = False
        try:
            os.mkdir(folder, 0o755 | stat.S_ISVTX)
            made = True
        except FileExistsError:
            pass
        except OSError:  # a folder that we cannot write to either
            return None
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            if made and not isinstance(error, FileNotFoundError):  # another command may remove it at once
                os.rmdir(folder)
                raise SandboxUnavailableError(f"`{folder}` cannot be kept as it is: {error.strerror}") from None
            if os.path.lexists(folder):
                return None
            continue
        with contextlib.suppress(BlockingIOError):  # whoever locks it alone also keeps it from being removed
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if os.path.exists(folder) and os.path.samestat(os.fstat(descriptor), os.stat(folder)):
            return descriptor
        os.close(descriptor)  # another command removed it before we held the lock


def first_missing(path: str, roots: Sequence[str]) -> str:
    """The outermost folder of ``path`` that does not exist, or that :func:`reserved` made; ``path`` if all do."""
    found = path
    while (path := os.path.dirname(path)) not in ("/", "", *roots):
        if not os.path.lexists(path) or _is_reserved(path):
            found = path
    return found


def _is_reserved(folder: str) -> bool:
    """Whether it was made for a command that still runs, or was killed."""
    try:
        mode = os.lstat(folder).st_mode
        return stat.S_ISDIR(mode) and mode & (stat.S_ISVTX | 0o022) == stat.S_ISVTX and not os.listdir(folder)
    except OSError:
        return False
