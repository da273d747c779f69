"""A record of the identities of trusted folders, so that a folder created later at a trusted path is not trusted.

The record is a file in the user's own folder, with one line for each path. A line holds the identity of the folder when
its trust was first used, a blank, and the path. The first line of a path is valid. To trust a new folder at the path, a
person deletes its line.
"""

from __future__ import annotations

import os

from execpolicy.layers.identity import identity

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
