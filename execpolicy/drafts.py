"""Files that are written beside their place before they take its name, so that they are there as a whole or not at all.

A draft is named after the process that writes it: what a killed process left behind is known by that, and goes with the
next draft in the same folder.
"""

from __future__ import annotations

import os
from itertools import count

_PREFIX = ".execpolicy-draft-"


def make_draft(path: str, content: bytes, mode: int) -> str:
    """A file beside ``path`` with ``content``, on the disk; where it is.

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
