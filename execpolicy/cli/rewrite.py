"""Replacing the text of a rule file in place, excluding every other writer, Codex included."""

from __future__ import annotations

import os
from collections.abc import Callable

from execpolicy.amend.locking import locked
from execpolicy.errors import RuleStoreError


def rewrite(path: str, change: Callable[[str], str]) -> bool:
    """Replace the text of ``path`` by ``change(text)``; whether it was different.

    The lock on the file is held from reading to writing. The file stays the same file (a rename would lose what another
    program, waiting for the lock, then appends to the old one), so the old text is kept beside it, as ``PATH.backup``,
    until the new one is on the disk.

    Raises:
        RuleStoreError: it cannot be read, locked or written, or is not UTF-8.
    """
    with locked(path, create=False):
        try:
            with open(path, "r+b") as file:
                old = file.read()
                new = change(old.decode("utf-8")).encode("utf-8")
                if new == old:
                    return False
                backup = f"{path}.backup"
                with open(backup, "xb") as kept:
                    kept.write(old)
                    kept.flush()
                    os.fsync(kept.fileno())
                file.seek(0)
                file.write(new)
                file.truncate()
                file.flush()
                os.fsync(file.fileno())
                os.unlink(backup)
        except FileExistsError as error:
            raise RuleStoreError(
                f"failed to write {path}: {error.filename} is left from an interrupted run; compare, then remove it"
            ) from error
        except UnicodeDecodeError as error:
            raise RuleStoreError(f"failed to read {path}: it is not UTF-8 at byte {error.start}; convert it") from error
        except OSError as error:
            raise RuleStoreError(f"failed to write {path}: {error.strerror}") from error
    return True
