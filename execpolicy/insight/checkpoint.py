"""The counts and decisions of a replay in a file, so that a stopped run can continue.

Files are counted one by one, independently of the rules. Commands are decided in pieces, under exactly these policies.
Both are stored under the hash of everything that they depend on, so changed inputs are counted again.

The file grows by signed pieces and is used by one process at a time. A report recommends rules, so the file accepts
only pieces signed with the user's secret (:mod:`execpolicy.layers.compiled`). No other file influences its content, so
it may be in a directory that others can write. A database is unsuitable: another user could place a journal beside it,
and SQLite deletes the files that a journal names. A killed process leaves whole pieces and at most the beginning of
one.
"""

from __future__ import annotations

import fcntl
import hmac
import marshal
import os
import stat
import struct
from collections.abc import Callable, Sequence
from hashlib import blake2b, file_digest
from typing import Any

from execpolicy.atomic_write import make_draft
from execpolicy.errors import UsageError
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.tally import Decided, History, Recorded
from execpolicy.layers.compiled import make_key
from execpolicy.safe_open import open_file, open_named

_BEGINS = b"execpolicy replay --resume\n"
_HEAD = struct.Struct(">16s16sQ32s")
"""The head of a piece: scope, name, length of the body, and its hash. A signature of these follows, then the body."""
_SIGNED = 32

Key = tuple[bytes, bytes]
"""Scope and name of a piece, 16 bytes each."""


class SignedFile:
    """The file, locked until :meth:`close`; of two pieces with one key the later counts.

    Args:
        path: the file, created if missing.
        scopes: the scopes to keep; pieces of other scopes are dropped.

    Raises:
        UsageError: it is damaged, of another kind, or in use; there is no home directory to keep a secret in.
    """

    def __init__(self, path: str, scopes: tuple[bytes, ...]) -> None:
        self._path = path
        secret = make_key()
        if secret is None:
            raise UsageError("there is no home folder to keep a secret in: set HOME or EXECPOLICY_HOME")
        self._secret = secret
        self._places: dict[Key, tuple[int, int, bytes]] = {}
        self._end = len(_BEGINS)
        try:
            self._fd = self._opened()
            try:
                self._read(scopes)
            except BaseException:
                os.close(self._fd)
                raise
        except OSError as error:
            raise self._useless(error) from None

    def close(self) -> None:
        """Closes and unlocks the file."""
        os.close(self._fd)

    def names(self, scope: bytes) -> list[bytes]:
        """The names in ``scope``."""
        return [name for each, name in self._places if each == scope]

    def get(self, key: Key) -> bytes | None:
        """The body stored under ``key``.

        Raises:
            UsageError: it differs from what was written.
        """
        place = self._places.get(key)
        if place is None:
            return None
        start, length, digest = place
        try:
            with open(self._fd, "rb", closefd=False) as file:
                file.seek(start)
                body = file.read(length)
        except OSError as error:
            raise self._useless(error) from None
        if blake2b(body, digest_size=32).digest() != digest:
            raise self._damaged()
        return body

    def put(self, key: Key, body: bytes) -> None:
        """Stores ``body`` under ``key``.

        Raises:
            UsageError: it cannot be written.
        """
        digest = blake2b(body, digest_size=32).digest()
        head = _HEAD.pack(*key, len(body), digest)
        piece = memoryview(head + self._signature(head) + body)
        at = self._end
        try:
            while piece:
                written = os.pwrite(self._fd, piece, at)
                at += written
                piece = piece[written:]
        except OSError as error:
            os.ftruncate(self._fd, self._end)
            raise self._useless(error) from None
        self._places[key] = (at - len(body), len(body), digest)
        self._end = at

    def _opened(self) -> int:
        """Opens and locks the file that has the name now."""
        while True:
            fd = open_file(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOCTTY, 0o600)
            try:
                status = os.fstat(fd)
                if not stat.S_ISREG(status.st_mode):
                    raise UsageError(f"`{self._path}` is no regular file")
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise UsageError(f"cannot use `{self._path}`: another run does") from None
                if os.path.samestat(status, os.stat(self._path)):
                    return fd
            except FileNotFoundError:
                pass
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)

    def _read(self, scopes: tuple[bytes, ...]) -> None:
        """Indexes the pieces; removes an unfinished piece at the end, superseded pieces, and those of other scopes."""
        size = os.fstat(self._fd).st_size
        begins = os.pread(self._fd, len(_BEGINS), 0)
        if not _BEGINS.startswith(begins):
            raise UsageError(f"`{self._path}` is no file of `replay --resume`: name another one")
        if begins != _BEGINS:
            os.pwrite(self._fd, _BEGINS, 0)
        needless = False
        while len(head := os.pread(self._fd, _HEAD.size + _SIGNED, self._end)) == _HEAD.size + _SIGNED:
            scope, name, length, digest = _HEAD.unpack_from(head)
            if not hmac.compare_digest(head[_HEAD.size :], self._signature(head[: _HEAD.size])):
                raise self._damaged()
            start = self._end + len(head)
            if start + length > size:
                break
            needless = needless or scope not in scopes or (scope, name) in self._places
            self._places[scope, name] = (start, length, digest)
            self._end = start + length
        os.ftruncate(self._fd, self._end)
        if needless:
            self._shrink(scopes)

    def _shrink(self, scopes: tuple[bytes, ...]) -> None:
        """Writes the pieces still in use to a new file beside this one and renames it to this name."""
        useful = [(key, self.get(key)) for key in self._places if key[0] in scopes]
        path = os.path.realpath(self._path)
        draft = make_draft(path, _BEGINS, 0o600)
        fd = os.open(draft, os.O_RDWR | os.O_CLOEXEC)
        old, self._fd = self._fd, fd
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            self._places, self._end = {}, len(_BEGINS)
            for key, body in useful:
                self.put(key, body or b"")
            os.rename(draft, path)
        except BaseException:
            os.unlink(draft)
            raise
        finally:
            os.close(old)

    def _signature(self, head: bytes) -> bytes:
        return blake2b(head, key=self._secret, digest_size=_SIGNED).digest()

    def _useless(self, error: OSError) -> UsageError:
        return UsageError(f"cannot use `{self._path}`: {error.strerror or error}")

    def _damaged(self) -> UsageError:
        return UsageError(
            f"`{self._path}` is damaged, or was not written by you: nothing in it is used; remove it to count anew"
        )


_FEW, _PIECE = 64, 5_000
"""Commands decided between two writes: few at first, so that a run killed early still has a result."""


class Checkpoint:
    """The checkpoint file of one run. A context manager; while it is open no other run can use the file."""

    def __init__(
        self,
        path: str,
        policies: Sequence[PortablePolicy],
        *,
        shell: str = "bash",
        form: str = "auto",
        column: str | None = None,
    ) -> None:
        """Opens or creates the file; arguments are those of ``replay`` and ``read_history``.

        Raises:
            UsageError: it is damaged, of another kind, or in use; there is no home directory to keep a secret in.
        """
        self._counted = _hash(policies[0].maker, form, column)
        self._decided = _hash(policies[0].maker, shell, *[policy.key for policy in policies])
        self._file = SignedFile(path, (self._counted, self._decided))

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def history_of(
        self, path: str, read: Callable[[str], History], progress: Callable[[int], None] | None = None
    ) -> History:
        """The stored counts of a file with this name and content, or else the result of ``read``.

        Args:
            progress: called with the size of a file that need not be read; ``read`` reports its own progress.

        Raises:
            OSError: the file cannot be read.
        """
        if not os.path.isfile(path):
            return read(path)  # a pipe can be read only once
        with open_named(path) as file:
            content = file_digest(file, lambda: blake2b(digest_size=32)).digest()  # type: ignore[arg-type]  # buffered
            size = file.tell()
        name = _hash(os.fsencode(path))
        kept = self._get(self._counted, name)
        if kept is not None and kept[0] == content:
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
        """The stored decisions for ``commands``, in order, or those of ``decide``, which reports its own progress."""
        found: dict[Recorded, tuple[Decided, ...]] = {}
        for name in self._file.names(self._decided):
            found.update(self._get(self._decided, name))
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

    def _get(self, scope: bytes, name: bytes) -> Any:
        body = self._file.get((scope, name))
        return None if body is None else marshal.loads(body)

    def _put(self, scope: bytes, name: bytes, value: Any) -> None:
        self._file.put((scope, name), marshal.dumps(value))


def _hash(*parts: object) -> bytes:
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
