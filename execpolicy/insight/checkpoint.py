"""What a replay has counted and decided so far, in a file: a run that was stopped goes on from there.

Files are counted one by one, whatever the rules; commands are decided in pieces, under exactly these policies. Both are
kept under the hash of all that they depend on, so that what has changed since is counted anew, in a file where only the
user's own secret counts: a report says which rules to add, and nothing that somebody else could have written has a say
in that.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

from execpolicy.insight.counts import History
from execpolicy.insight.decisions import Decided, Recorded
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.signed_file import SignedFile
from execpolicy.safe_open import open_named

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
