"""The identity of a folder: another user can create its path again, but not its inode generation or birth time."""

from __future__ import annotations

import os

_GET_VERSION = 0x80087601
"""``FS_IOC_GETVERSION``: the generation of an inode number, which changes each time the number is reused."""
_STATX_BTIME = 0x800
_STATX_SIZE = 256
_AT_BTIME = 80


def identity(folder: str) -> str | None:
    """A word that identifies ``folder`` and no other folder with its path; ``None`` if there is no folder.

    The inode number with its generation, or with its birth time if the file system has no generations. The device
    number is not used, because it changes at a reboot.
    """
    try:
        status = os.stat(folder)
        return f"{status.st_ino}.{_generation(folder) or born(folder)}"
    except OSError:
        return None


def born(path: str) -> int | None:
    """The birth time of the file or folder, in nanoseconds since 1970; ``None`` if the system does not provide it."""
    found = getattr(os.stat(path), "st_birthtime", None)  # macOS, BSD
    if found is not None:
        return int(found * 1e9)
    import ctypes  # takes 5 ms; Python has no function for this on Linux

    buffer = ctypes.create_string_buffer(_STATX_SIZE)
    try:
        if ctypes.CDLL(None).statx(-100, os.fsencode(path), 0, _STATX_BTIME, buffer) != 0:
            return None
    except (AttributeError, OSError):
        return None
    told = int.from_bytes(buffer.raw[:4], "little") & _STATX_BTIME
    seconds, nanoseconds = buffer.raw[_AT_BTIME : _AT_BTIME + 8], buffer.raw[_AT_BTIME + 8 : _AT_BTIME + 12]
    return int.from_bytes(seconds, "little") * 10**9 + int.from_bytes(nanoseconds, "little") if told else None


def _generation(folder: str) -> int | None:
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return int.from_bytes(fcntl.ioctl(fd, _GET_VERSION, bytes(8))[:4], "little")
    except OSError:
        return None
    finally:
        os.close(fd)
