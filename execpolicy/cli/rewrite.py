"""Replacing the text of a rule file in place, excluding every other writer, Codex included."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import BinaryIO

from execpolicy.amend.locking import locked
from execpolicy.errors import RuleStoreError

_MOST_LEFT = 100
"""Texts of interrupted runs that may lie beside a file before somebody has to look."""


def rewrite(path: str, change: Callable[[str], str]) -> bool:
    """Replace the text of ``path`` by ``change(text)``; whether it was different.

    The lock on the file is held from reading to writing. The file stays the same file (a rename would lose what another
    program, waiting for the lock, then appends to the old one), so the old text is kept beside it, as ``PATH.backup``,
    until the new one is on the disk. What a run that was killed left there stays, for a person to compare.

    Raises:
        RuleStoreError: it cannot be read, locked or written, or is not UTF-8; its text is then what it was.
    """
    with locked(path, create=False):
        try:
            with open(path, "r+b") as file:
                old = file.read()
                new = change(old.decode("utf-8")).encode("utf-8")
                if new == old:
                    return False
                backup = _keep(path, old, stat.S_IMODE(os.fstat(file.fileno()).st_mode))
                try:
                    _put(file, new)
                except BaseException:
                    _put(file, old)  # needs no more room than it had
                    os.unlink(backup)
                    raise
                os.unlink(backup)
        except UnicodeDecodeError as error:
            raise RuleStoreError(f"failed to read {path}: it is not UTF-8 at byte {error.start}; convert it") from error
        except OSError as error:
            raise RuleStoreError(f"failed to write {path}: {error.strerror}") from error
    return True


def _put(file: BinaryIO, text: bytes) -> None:
    file.seek(0)
    file.write(text)
    file.flush()
    file.truncate()
    os.fsync(file.fileno())


def _keep(path: str, text: bytes, mode: int) -> str:
    """Write ``text`` beside ``path``, readable to those who can read the file, and return where."""
    for number in range(_MOST_LEFT):
        backup = f"{path}.backup" + (f".{number}" if number else "")
        try:
            descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            continue  # of an interrupted run, and nobody can tell any more what it did: it stays
        try:
            with open(descriptor, "wb") as kept:
                kept.write(text)
                kept.flush()
                os.fchmod(kept.fileno(), mode)
                os.fsync(kept.fileno())
        except BaseException:
            os.unlink(backup)
            raise
        return backup
    raise RuleStoreError(
        f"failed to write {path}: many texts of interrupted runs lie beside it; compare and remove them"
    )
