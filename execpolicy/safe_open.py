"""The one door to files that somebody names: none of them can make us wait for ever or fill memory.

A name may stand for anything: a pipe that nobody writes to, a link to a device without an end, a socket, a folder that
may not be looked into. What is no file is an error that says so.
"""

from __future__ import annotations

import os
import stat
from errno import EAGAIN, EFBIG, EINVAL, EISDIR, ETIMEDOUT
from io import BytesIO
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

LARGEST = 128 << 20
"""Bytes of a file that is read at once."""

_PIECE = 1 << 20
_PATIENCE_S = 5.0
"""For a pipe, between two pieces of what is written to it."""
_PAUSE_S = 0.01
_LEASE_PAUSE_S = 0.0005
_KINDS = (
    (stat.S_ISFIFO, "it is a pipe"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
    (stat.S_ISSOCK, "it is a socket"),
)


def open_file(path: str, flags: int, mode: int = 0o666, *, patience_s: float = 1.0) -> int:
    """As ``os.open``, but no pipe is waited for, and a lease that somebody holds on the file not for long.

    ``O_NONBLOCK`` makes an open fail at once while there is a lease; :mod:`~execpolicy.file_leases` takes one to ask
    who writes, and file servers do.

    Args:
        patience_s: seconds to wait for the lease; none for files of strangers, who could hold one to stop us.

    Raises:
        OSError: it cannot be opened, ``BlockingIOError`` if the lease is not given back.
    """
    waited = 0.0
    while True:
        try:
            return os.open(path, flags | os.O_NONBLOCK, mode)
        except BlockingIOError:
            if waited >= patience_s:
                raise
        sleep(_LEASE_PAUSE_S)
        waited += _LEASE_PAUSE_S


def open_named(path: str, *, pipes: bool = False) -> BinaryIO:
    """A regular file, links followed, for reading; the null device counts as an empty one.

    Args:
        pipes: a pipe is read to its end first (``<(…)`` of a shell is one), if somebody writes to it.

    Raises:
        OSError: it cannot be opened, or is anything else; ``strerror`` says what.
    """
    kind = os.stat(path).st_mode
    if stat.S_ISSOCK(kind):  # cannot be opened at all
        raise _not_a_file(kind, path)
    fd = open_file(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        found = os.fstat(fd)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
        if pipes and stat.S_ISFIFO(found.st_mode):
            data = _read_pipe(fd, path)
            os.close(fd)
            return BytesIO(data)
        if not stat.S_ISREG(found.st_mode) and found.st_rdev != os.stat(os.devnull).st_rdev:
            raise _not_a_file(found.st_mode, path)
        return open(fd, "rb")
    except BaseException:
        os.close(fd)
        raise


def read_named(path: str, *, pipes: bool = False, largest: int = LARGEST) -> bytes:
    """All of a regular file, as :func:`open_named` has it.

    Raises:
        OSError: it cannot be read, is no file, or is larger than ``largest`` bytes.
    """
    with open_named(path, pipes=pipes) as file:
        return read_open(file, path, largest)


def read_open(file: BinaryIO, path: str, largest: int = LARGEST) -> bytes:
    """The rest of what :func:`open_named` has opened.

    Raises:
        OSError: as for :func:`read_named`.
    """
    pieces: list[bytes] = []
    size = 0
    while piece := file.read(_PIECE):  # of more, room for all of it would be made first
        pieces.append(piece)
        size += len(piece)
        if size > largest:
            raise _too_large(largest, path)
    if piece is None:  # of the kernel, that looks like a file and has nothing to say yet
        raise OSError(EAGAIN, "it gives nothing to read", path)
    return b"".join(pieces)


def is_there(path: str) -> bool:
    """Whether something has this name. Unlike for ``os.path.exists``, what may not be looked at is not nothing.

    Raises:
        OSError: nobody can tell; a folder on the way may not be searched, say.
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def out_of_reach(path: str) -> str | None:
    """Why nobody can tell what ``path`` is, if so: ``Permission denied``."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        return error.strerror or str(error)
    return None


def files_below(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    """The files below ``folder`` whose names end so, sorted, folder by folder.

    Raises:
        OSError: a folder in it cannot be looked into.
    """
    for parent, folders, names in os.walk(folder, onerror=_raise):
        folders.sort()
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.join(parent, name)


def _raise(error: OSError) -> None:
    raise error


def _too_large(largest: int, path: str) -> OSError:
    return OSError(EFBIG, f"it is larger than {largest >> 20} MiB", path)


def _not_a_file(mode: int, path: str) -> OSError:
    what = next((words for is_so, words in _KINDS if is_so(mode)), "it is no file")
    return OSError(EINVAL, f"{what}, and no regular file", path)


def _read_pipe(fd: int, path: str) -> bytes:
    """Everything that is written to a pipe, which is not waited for without an end."""
    chunks: list[bytes] = []
    size = 0
    deadline = monotonic() + _PATIENCE_S
    while True:
        try:
            chunk = os.read(fd, 1 << 16)
        except BlockingIOError:
            chunk = None
        if chunk:
            chunks.append(chunk)
            size += len(chunk)
            deadline = monotonic() + _PATIENCE_S
            if size > LARGEST:
                raise _too_large(LARGEST, path)
            continue
        if chunk == b"" and chunks:
            return b"".join(chunks)
        if monotonic() > deadline:
            raise OSError(ETIMEDOUT, "it is a pipe, and nobody writes to it", path)
        sleep(_PAUSE_S)
