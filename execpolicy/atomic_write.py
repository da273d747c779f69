"""Files that are written beside their place before they take its name, so that they are there as a whole or not at all.

A draft is named after the process that writes it: what a killed process left behind is known by that, and goes with the
next draft in the same folder.
"""

from __future__ import annotations

import contextlib
import os
import stat
from itertools import count

_PREFIX = ".execpolicy-draft-"


def write_whole(path: str, content: bytes) -> None:
    """Let the file of this name, links followed, hold ``content``; or else it stays as it is.

    A pipe, a device, or a descriptor that is open (``/dev/stdout``) is written to.

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
            with open(fd, "wb") as file:  # not blocking: a pipe that nobody reads is an error
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
    """A file beside ``path`` with ``content``, on the disk, of whoever the file there belongs to; where it is.

    Raises:
        OSError: it could not be written, and there is none.
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
            with contextlib.suppress(OSError):  # only the administrator gives files away, and others' are theirs
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
    """Whether the process whose number ends the name of a draft is no more.

    A process elsewhere, that shares only the folder, may lose its draft by that: it fails, and changes nothing.
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
