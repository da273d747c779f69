"""An audit log: one JSON object a line, secrets redacted, rotated by size."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from execpolicy.errors import RuleStoreError, UsageError
from execpolicy.given import count, function, text
from execpolicy.permissions.redaction import redact


class AuditSink(Protocol):
    """Keeps what was decided."""

    def write(self, entry: Mapping[str, Any], /) -> None:
        """Keep ``entry``. What it raises means that it was not kept."""


def now_rfc3339() -> str:
    """The time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class AuditLog:
    """Appends redacted entries to a file that only its owner can read.

    A line is one ``write`` to a file opened for appending, so lines of several processes do not mix. A full file is
    renamed to ``PATH.1``, that one to ``PATH.2``, and so on.

    Args:
        path: the file; its folder is created.
        max_bytes: a line that would make the file longer starts a new one.
        keep: how many old files are kept; 0 keeps none.
        clock: what ``ts`` is.
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
        """Append ``entry`` with the time in front.

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
        try:
            size = os.stat(self.path).st_size
        except FileNotFoundError:
            os.makedirs(os.path.dirname(os.path.abspath(self.path)), mode=0o700, exist_ok=True)
            size = 0
        if size and size + len(line) > self._max_bytes:
            self._rotate()
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        try:
            while line:  # a short write happens on a full disk only; the next attempt then raises
                line = line[os.write(file, line) :]
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


class MemoryAudit:
    """Keeps redacted entries in a list, for hosts that show them and for tests."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def write(self, entry: Mapping[str, Any], /) -> None:
        """Keep ``entry``."""
        self.entries.append(redact(entry))
