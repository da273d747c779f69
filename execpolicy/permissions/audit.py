"""An audit log with one JSON object a line; secrets are redacted and files are rotated by size."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from errno import ETIMEDOUT
from time import monotonic, sleep
from typing import Any, Protocol

from execpolicy.errors import RuleStoreError, UsageError
from execpolicy.permissions.redaction import redact
from execpolicy.safe_open import open_file
from execpolicy.validators import count, function, text

_PATIENCE_S = 5.0
"""The longest wait for the lock, in seconds. Any process that may read the file can hold the lock."""
_PAUSE_S = 0.005


class AuditSink(Protocol):
    """A destination for decisions."""

    def write(self, entry: Mapping[str, Any], /) -> None:
        """Stores ``entry``. An exception means that the entry was not stored."""


def now_rfc3339() -> str:
    """The time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class AuditLog:
    """Appends redacted entries to a file that only its owner can read.

    Several processes may write to the file: each line is written whole or not at all. A full file is renamed to
    ``PATH.1``, that one to ``PATH.2``, and so on.

    Args:
        path: the file; its directory is created.
        max_bytes: the maximum size of the file; a line that would exceed it starts a new file.
        keep: the number of old files that are kept; 0 keeps none.
        clock: returns the value of ``ts``.

    Raises:
        UsageError: a limit is too small.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        max_bytes: int = 10_000_000,
        keep: int = 5,
        clock: Callable[[], str] = now_rfc3339,
    ) -> None:
        if count(max_bytes, "AuditLog: `max_bytes`") < 1 or count(keep, "AuditLog: `keep`") < 0:
            raise UsageError("an audit log needs max_bytes of at least 1 and keep of at least 0")
        self.path = text(os.fspath(path) if isinstance(path, os.PathLike) else path, "AuditLog: `path`")
        self._max_bytes = max_bytes
        self._keep = keep
        self._clock = function(clock, "AuditLog: `clock`")
        self._lock = threading.Lock()

    def write(self, entry: Mapping[str, Any], /) -> None:
        """Appends ``entry`` with the time in front.

        Raises:
            RuleStoreError: the file could not be written.
        """
        line = (json.dumps({"ts": self._clock(), **redact(entry)}, ensure_ascii=True) + "\n").encode("ascii")
        try:
            with self._lock:
                self._append(line)
        except OSError as error:
            raise RuleStoreError(f"cannot write the audit log `{self.path}`: {error.strerror or error}") from error

    def _append(self, line: bytes) -> None:
        """Appends ``line`` under a lock, so that concurrent writers and rotations lose no line."""
        os.makedirs(os.path.dirname(os.path.abspath(self.path)), mode=0o700, exist_ok=True)
        deadline = monotonic() + _PATIENCE_S
        while True:
            file = open_file(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                _lock(file, deadline)
                status = os.fstat(file)
                if not _has_name(status, self.path):
                    continue  # another process rotated it in the meantime
                if status.st_size and status.st_size + len(line) > self._max_bytes:
                    self._rotate()
                    continue
                _write(file, line, status)
                return
            finally:
                os.close(file)

    def _rotate(self) -> None:
        if self._keep == 0:
            os.unlink(self.path)
            return
        for number in range(self._keep - 1, 0, -1):
            if os.path.exists(f"{self.path}.{number}"):
                os.replace(f"{self.path}.{number}", f"{self.path}.{number + 1}")
        os.replace(self.path, f"{self.path}.1")


def _lock(file: int, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if monotonic() > deadline:
                raise TimeoutError(ETIMEDOUT, "another program keeps it locked") from None
            sleep(_PAUSE_S)


def _has_name(status: os.stat_result, path: str) -> bool:
    try:
        return os.path.samestat(status, os.stat(path))
    except FileNotFoundError:
        return False


def _write(file: int, line: bytes, status: os.stat_result) -> None:
    """Writes the whole line or nothing. A short write happens on a full disk only, and the next attempt then raises."""
    try:
        while line:
            line = line[os.write(file, line) :]
    except OSError:
        if stat.S_ISREG(status.st_mode):
            os.ftruncate(file, status.st_size)
        raise


class MemoryAudit:
    """Keeps redacted entries in a list, for hosts that show them and for tests."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def write(self, entry: Mapping[str, Any], /) -> None:
        """Appends ``entry``."""
        self.entries.append(redact(entry))
