"""What a replay has counted and decided so far, in a file: a run that was stopped goes on from there.

Files are counted one by one, whatever the rules; commands are decided in pieces, under exactly these policies. Both are
kept under the hash of all that they depend on, so that what has changed since is counted anew, and signed with the
user's secret (:mod:`execpolicy.layers.cache_key`): a report says which rules to add, and no file that somebody else
could have written has a say in that. SQLite sees to it that a killed run leaves all of a piece or nothing.
"""

from __future__ import annotations

import marshal
import os
import sqlite3
import stat
from hashlib import blake2b
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from execpolicy.errors import UsageError
from execpolicy.insight.counted import History
from execpolicy.layers.cache_key import make_key
from execpolicy.named_files import open_named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.insight.decided import Decided, Recorded
    from execpolicy.insight.portable import PortablePolicy

    Work = TypeVar("Work")

_KIND = 0x65787072
"""Tells a database of ours from others (``application_id``)."""
_READ = 1 << 20
_FEW, _PIECE = 64, 5_000
"""Commands that are decided between two writes: few at first, so that a run that is soon killed has done something."""
_LEAST = 512
"""Bytes of a page of SQLite."""
_PAUSE_S = 1.0
"""Between two commits, each of which waits for the disk; so much work a killed run may lose, and no more than half."""


class Checkpoint:
    """The file of one run. A context manager; while it is open no other run can use the file."""

    def __init__(
        self,
        path: str,
        policies: Sequence[PortablePolicy],
        *,
        shell: str = "bash",
        form: str = "auto",
        column: str | None = None,
    ) -> None:
        """Open or make the file; arguments as of ``replay`` and ``read_history``.

        Raises:
            UsageError: it is damaged, of another kind, or in use; there is no home folder to keep a secret in.
        """
        self.path = path
        self._counted = _hash(policies[0].maker, form, column)
        self._decided = _hash(policies[0].maker, shell, *[policy.key for policy in policies])
        secret = make_key()
        if secret is None:
            raise UsageError("there is no home folder to keep a secret in: set HOME or EXECPOLICY_HOME")
        self._secret = secret
        self._begun = self._written = monotonic()
        self._database = self._guarded(self._opened)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._guarded(self._database.commit)
        finally:
            self._database.close()

    def history_of(
        self, path: str, read: Callable[[str], History], progress: Callable[[int], None] | None = None
    ) -> History:
        """What was counted of a file with this name and content, or else what ``read`` gives.

        Args:
            progress: told the size of a file that need not be read; ``read`` tells of its own progress.

        Raises:
            OSError: the file cannot be read.
        """
        if not os.path.isfile(path):
            return read(path)  # a pipe says everything only once
        digest = blake2b(digest_size=32)
        size = 0
        with open_named(path) as file:
            while chunk := file.read(_READ):
                digest.update(chunk)
                size += len(chunk)
        content = digest.digest()
        name = os.fsencode(path)
        kept = self._get(self._counted, name)
        if isinstance(kept, tuple) and kept[0] == content:
            if progress is not None:
                progress(size)
            return History.from_plain(kept[1])
        history = read(path)
        self._put(self._counted, name, (content, history.plain()))
        return history

    def decisions_of(
        self,
        commands: Sequence[Recorded],
        decide: Callable[[Sequence[Recorded]], list[tuple[Decided, ...]]],
        progress: Callable[[int], None] | None = None,
    ) -> list[tuple[Decided, ...]]:
        """What each of ``commands`` gets, in order: as kept, or by ``decide``, which tells of its own progress."""
        found: dict[Recorded, tuple[Decided, ...]] = {}
        rows = self._guarded(self._database.execute("SELECT name FROM kept WHERE scope = ?", [self._decided]).fetchall)
        for (name,) in rows:
            piece = self._get(self._decided, name)
            if isinstance(piece, list):
                found.update(piece)
        missing = [command for command in commands if command not in found]
        if progress is not None:
            progress(len(commands) - len(missing))
        start, size = 0, min(_FEW, _PIECE)
        while piece := missing[start : start + size]:
            results = list(zip(piece, decide(piece), strict=True))
            self._put(self._decided, _hash(*piece), results)
            found.update(results)
            start, size = start + size, min(2 * size, _PIECE)
        return [found[command] for command in commands]

    def _opened(self) -> sqlite3.Connection:
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        except OSError as error:
            raise UsageError(f"cannot write `{self.path}`: {error.strerror}") from None
        try:
            status = os.fstat(fd)
        finally:
            os.close(fd)
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"`{self.path}` is no regular file")
        if 0 < status.st_size < _LEAST:
            raise self._foreign()  # SQLite would take a file of one byte for a new one
        database = sqlite3.connect(self.path, timeout=0, isolation_level="IMMEDIATE")
        try:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("BEGIN EXCLUSIVE")
            (kind,) = database.execute("PRAGMA application_id").fetchone()
            (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if tables and kind != _KIND:  # killed in its first moment it is there, and empty
                raise self._foreign()
            database.execute(f"PRAGMA application_id = {_KIND}")
            database.execute(
                "CREATE TABLE IF NOT EXISTS kept (scope BLOB, name BLOB, body BLOB, signature BLOB,"
                " PRIMARY KEY (scope, name))"
            )
            database.execute("DELETE FROM kept WHERE scope NOT IN (?, ?)", [self._counted, self._decided])
            database.commit()
        except BaseException:
            database.close()
            raise
        return database

    def _get(self, scope: bytes, name: bytes) -> object:
        query = "SELECT body, signature FROM kept WHERE scope = ? AND name = ?"
        row = self._guarded(lambda: self._database.execute(query, [scope, name]).fetchone())
        if row is None:
            return None
        body, signature = row
        if not isinstance(body, bytes) or signature != self._signature(scope, name, body):
            raise self._damaged()
        return marshal.loads(body)

    def _put(self, scope: bytes, name: bytes, value: Any) -> None:
        body = marshal.dumps(value)
        row = [scope, name, body, self._signature(scope, name, body)]
        self._guarded(lambda: self._database.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", row))
        if monotonic() - self._written >= min(_PAUSE_S, self._written - self._begun):
            self._guarded(self._database.commit)
            self._written = monotonic()

    def _signature(self, scope: bytes, name: bytes, body: bytes) -> bytes:
        return blake2b(marshal.dumps((scope, name)) + body, key=self._secret, digest_size=32).digest()

    def _guarded(self, work: Callable[[], Work]) -> Work:
        """``work`` with the database, whose errors are told with its name."""
        try:
            return work()
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", None)
            if code == sqlite3.SQLITE_NOTADB:
                raise self._foreign() from None
            if code == sqlite3.SQLITE_CORRUPT:
                raise self._damaged() from None
            busy = code == sqlite3.SQLITE_BUSY
            raise UsageError(f"cannot use `{self.path}`: {'another run does' if busy else error}") from None

    def _foreign(self) -> UsageError:
        return UsageError(f"`{self.path}` is no file of `replay --resume`: name another one")

    def _damaged(self) -> UsageError:
        return UsageError(
            f"`{self.path}` is damaged, or was not written by you: nothing in it is used; remove it to count anew"
        )


def _hash(*parts: object) -> bytes:
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
