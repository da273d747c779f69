"""A file that grows by signed pieces, which one process at a time uses.

Nothing in it is looked at that the user's secret (:mod:`execpolicy.layers.cache_key`) did not sign, and no other file
has a say in what it holds: it may lie where others can write. A database would not do: beside it they could lay a
journal, and SQLite deletes the files that a journal names. A killed process leaves whole pieces and at most the
beginning of one.
"""

from __future__ import annotations

import fcntl
import hmac
import os
import stat
import struct
from hashlib import blake2b

from execpolicy.atomic_write import make_draft
from execpolicy.errors import UsageError
from execpolicy.layers.cache_key import make_key
from execpolicy.safe_open import open_file

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
