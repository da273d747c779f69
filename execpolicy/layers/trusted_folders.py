"""Which folders were meant when their paths were trusted: a record that whoever makes such a path again is not in.

A file of the user's own folder, a line for each path: the identity of the folder when its trust first counted, a blank,
the path. The first line of a path holds. To trust a folder that was made again, a person takes out its line.
"""

from __future__ import annotations

import os

from execpolicy.layers.identity import identity

FILE = "trusted-folders"


def record_path(own_home: str | None) -> str | None:
    """Where the record is."""
    return None if own_home is None else os.path.join(own_home, FILE)


class TrustedFolders:
    """The record in ``path``; without a path, or where nobody can write there, nothing is remembered."""

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
        """Whether it is recorded which folder was meant by this path."""
        return folder in self._known

    def is_same(self, folder: str) -> bool:
        """Whether the folder of this path is the one that is recorded."""
        return self._known.get(folder) == identity(folder)

    def record(self, folder: str) -> None:
        """From now on this path means the folder that it means now."""
        now = identity(folder)
        if self.path is None or now is None or "\n" in folder:
            return
        self._known[folder] = now
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                os.write(fd, f"{now} {folder}\n".encode("utf-8", "surrogateescape"))
            finally:
                os.close(fd)
        except OSError:
            return
