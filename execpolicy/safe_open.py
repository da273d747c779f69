"""Opens every file that a user or program names: no such file can block this process for ever or fill its memory.

A name may refer to anything: a pipe without a writer, a link to an endless device, a socket, an unreadable directory. A
name that does not refer to a file raises an error that says so.
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
"""The largest size in bytes of a file that is read at once."""

_PIECE = 1 << 20
_PATIENCE_S = 5.0
"""The longest wait in seconds between two pieces of data from a pipe."""
_PAUSE_S = 0.01
_LEASE_PAUSE_S = 0.0005
_KINDS = (
    (stat.S_ISFIFO, "it is a pipe"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
    (stat.S_ISSOCK, "it is a socket"),
)


def open_file(path: str, flags: int, mode: int = 0o666, *, patience_s: float = 1.0) -> int:
    """As ``os.open``, but never waits for a pipe, and only briefly for a lease that another process holds on the file.

    With ``O_NONBLOCK``, an open fails at once while there is a lease. :mod:`~execpolicy.atomic_write` takes leases to
    detect writers, and file servers take them too.

    Args:
        patience_s: seconds to wait for the lease; zero for untrusted files, whose owner could hold one to block this
            process.

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
        pipes: a pipe with a writer is first read to its end (``<(…)`` of a shell is one).

    Raises:
        OSError: it cannot be opened, or is not a regular file; ``strerror`` gives its kind.
    """
    kind = os.stat(path).st_mode
    if stat.S_ISSOCK(kind):  # a socket cannot be opened at all
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
    """The content of a regular file, opened as by :func:`open_named`.

    Raises:
        OSError: it cannot be read, is not a file, or is larger than ``largest`` bytes.
    """
    with open_named(path, pipes=pipes) as file:
        return read_open(file, path, largest)


def read_open(file: BinaryIO, path: str, largest: int = LARGEST) -> bytes:
    """The remaining content of a file that :func:`open_named` has opened.

    Raises:
        OSError: as for :func:`read_named`.
    """
    pieces: list[bytes] = []
    size = 0
    while piece := file.read(_PIECE):  # a larger read would allocate its whole size first
        pieces.append(piece)
        size += len(piece)
        if size > largest:
            raise _too_large(largest, path)
    if piece is None:  # a kernel file that looks regular and has no data yet
        raise OSError(EAGAIN, "it gives nothing to read", path)
    return b"".join(pieces)


def is_there(path: str) -> bool:
    """True if ``path`` exists. Unlike ``os.path.exists``, a path that cannot be examined is an error.

    Raises:
        OSError: the answer is unknown; for example, a directory in the path cannot be searched.
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def out_of_reach(path: str) -> str | None:
    """The reason why ``path`` cannot be examined (``Permission denied``), or ``None``."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        return error.strerror or str(error)
    return None


def files_below(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    """The files below ``folder`` whose names have one of ``endings``, sorted, directory by directory.

    Raises:
        OSError: a directory in it cannot be read.
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
    """All data that is written to a pipe, with a limited wait."""
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
            raise OSError(ETIMEDOUT, "it is a pipe, and no program writes to it", path)
        sleep(_PAUSE_S)
