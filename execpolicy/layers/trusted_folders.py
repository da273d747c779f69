"""A record of the identities of trusted folders, so that a folder created later at a trusted path is not trusted.

The record is a file in the user's own folder, with one line for each path. A line holds the identity of the folder when
its trust was first used, a blank, and the path. The first line of a path is valid. To trust a new folder at the path, a
person deletes its line.
"""

from __future__ import annotations

import os

FILE = "trusted-folders"


def record_path(own_home: str | None) -> str | None:
    """The path of the record; ``None`` without an own folder."""
    return None if own_home is None else os.path.join(own_home, FILE)


class TrustedFolders:
    """The record in ``path``; nothing is recorded without a path or if it is not writable."""

    __slots__ = ("_known", "path")

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._known: dict[str, str] = {}
        try:
            with open(path or os.devnull, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
                lines = file.read().split("\n")[:-1]
        except OSError:
            lines = []
        for line in lines:
            known, _, folder = line.partition(" ")
            self._known.setdefault(folder, known)

    def is_known(self, folder: str) -> bool:
        """True if this path has a record."""
        return folder in self._known

    def is_same(self, folder: str) -> bool:
        """True if the folder at this path is the recorded one."""
        return self._known.get(folder) == identity(folder)

    def record(self, folder: str) -> None:
        """Records the folder that is now at this path."""
        now = identity(folder)
        if self.path is None or now is None or "\n" in folder:
            return
        self._known[folder] = now
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            with open(fd, "wb", buffering=0) as file:
                file.write(f"{now} {folder}\n".encode("utf-8", "surrogateescape"))
        except OSError:
            return


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
