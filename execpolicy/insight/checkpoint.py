"""What a replay has counted and decided so far, in a file: a run that was stopped goes on from there.

Files are counted one by one, whatever the rules; commands are decided in pieces, under exactly these policies. Both are
kept under the hash of all that they depend on, so that what has changed since is counted anew, in a file where only the
user's own secret counts: a report says which rules to add, and nothing that somebody else could have written has a say
in that.

A file that grows by signed pieces, which one process at a time uses.

Nothing in it is looked at that the user's secret (:mod:`execpolicy.layers.cache_key`) did not sign, and no other file
has a say in what it holds: it may lie where others can write. A database would not do: beside it they could lay a
journal, and SQLite deletes the files that a journal names. A killed process leaves whole pieces and at most the
beginning of one.
"""

from __future__ import annotations

import fcntl
import hmac
import marshal
import os
import stat
import struct
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

from execpolicy.atomic_write import make_draft
from execpolicy.errors import UsageError
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.tally import Decided, History, Recorded
from execpolicy.layers.cache_key import make_key
from execpolicy.safe_open import open_file, open_named

_BEGINS = b"execpolicy replay --resume\n"
_HEAD = struct.Struct(">16s16sQ32s")
"""Scope, name, length of the body, and its hash; a signature of these follows, and then the body."""
_SIGNED = 32

Key = tuple[bytes, bytes]
"""Scope and name of a piece, 16 bytes each."""


class SignedFile:
    """The file, locked until :meth:`close`; of two pieces with one key the later counts.

    Args:
        path: the file, made if there is none.
        scopes: pieces of others are of no more use and are dropped.

    Raises:
        UsageError: it is damaged, of another kind, or in use; there is no home folder to keep a secret in.
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
        """Let others use the file."""
        os.close(self._fd)

    def names(self, scope: bytes) -> list[bytes]:
        """The names in ``scope``."""
        return [name for each, name in self._places if each == scope]

    def get(self, key: Key) -> bytes | None:
        """What was kept under ``key``.

        Raises:
            UsageError: it is not what was written.
        """
        place = self._places.get(key)
        if place is None:
            return None
        start, length, digest = place
        try:
            body = os.pread(self._fd, length, start)
            while piece := os.pread(self._fd, length - len(body), start + len(body)):
                body += piece
        except OSError as error:
            raise self._useless(error) from None
        if blake2b(body, digest_size=32).digest() != digest:
            raise self._damaged()
        return body

    def put(self, key: Key, body: bytes) -> None:
        """Keep ``body``.

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
        """The file that has the name now, locked."""
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
        """Find the pieces; what was left of an unfinished one goes, and what is of no use."""
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
        """Write a file beside this one with what is of use, and give it the name."""
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


_READ = 1 << 20
_FEW, _PIECE = 64, 5_000
"""Commands that are decided between two writes: few at first, so that a run that is soon killed has done something."""


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
        """What each of ``commands`` gets, in order: as kept, or by ``decide``, which tells of its own progress."""
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
