"""An audit log with one JSON object a line; secrets are redacted and files are rotated by size.

Redaction is a best effort for readers of logs, not a security boundary. A text becomes ``[redacted]`` if its name, its
form or the option in front of it indicates a secret.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import re
import stat
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from errno import ETIMEDOUT
from functools import lru_cache
from time import monotonic, sleep
from typing import Any, Protocol

from execpolicy.errors import RuleStoreError, UsageError
from execpolicy.safe_open import open_file
from execpolicy.validators import count, function, text

REDACTED = "[redacted]"
MAX_TEXT = 4_096
MAX_DEPTH = 24

_STRONG = (
    r"passw(?:or)?d|passphrase|secret|token(?!s|iz)|credential"
    r"|(?:api|access|private|signing|session|encryption)[-_.]?key"
)
"""Parts of names that always mean a secret."""
_WEAK = "pwd|pass|auth|authorization|cookie|bearer|otp|pin"
"""Parts of names that mean a secret only as whole words: `author` and `spinner` are not secrets."""
_DELIMITED = rf"(?:\A|[^a-z])(?:{_WEAK})s?(?:\Z|[^a-z])"
_SECRET_NAME = re.compile(rf"{_STRONG}|{_DELIMITED}", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# Bounded and anchored, so that no text makes the search slow.
_PART = r"[\w.-]{0,64}"
_NAME = rf"(?:{_PART}?(?:{_STRONG}){_PART}|(?:{_PART}?[._-])?(?:{_WEAK})(?:[._-]{_PART})?)"
_VALUE = r"('[^']*'|\"[^\"]*\"|[^\s'\"&|;,}]+)"
_PREFIXES = "gh[pousr]_|github_pat_|glpat-|npm_|pypi-|hf_|sk-|[srp]k_live_|xox[abeoprs]-|AIza|dckr_pat_|shpat_|ya29[.]"
_IN_TEXT: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}-----|\Z)", re.DOTALL), REDACTED),
    (re.compile(r"\b(Bearer|Basic|Token)(\s+)[\w.~+/=-]{8,}", re.IGNORECASE), rf"\1\2{REDACTED}"),
    (re.compile(r"(?<=://)([^\s/:@'\"]{0,256}):[^\s/@'\"]{1,512}@"), rf"\1:{REDACTED}@"),
    (re.compile(rf"((?<![\w.-])-{{0,2}}{_NAME}['\"]?\s?[=:]\s?){_VALUE}", re.IGNORECASE), rf"\1{REDACTED}"),
    (re.compile(rf"((?<!\S)--?(?=\w){_NAME}\s+)(?!-){_VALUE}", re.IGNORECASE), rf"\1{REDACTED}"),
    (re.compile(r"((?<!\S)(?:-u\s*|--user[=\s]\s*)[^\s:'\"]{1,256}):[^\s'\"]+"), rf"\1:{REDACTED}"),
    (re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"), REDACTED),
    (re.compile(rf"\b(?:{_PREFIXES})[\w-]{{8,}}"), REDACTED),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"), REDACTED),
)


@lru_cache(maxsize=1024)
def is_secret_name(name: str) -> bool:
    """True if a value called ``name`` is a secret (``apiKey``, ``DB_PASSWORD``, ``x-auth-token`` …)."""
    return _SECRET_NAME.search(_CAMEL.sub("_", name)) is not None


_SUSPECT = re.compile(r"[=:@._-]|AKIA|ASIA|AIza|(?:Bearer|Basic|Token)\s", re.IGNORECASE)
"""A necessary condition of every pattern above: most texts in a log do not match it and need no further search."""


def redact_text(text: str, *, limit: int = MAX_TEXT) -> str:
    """``text`` without probable secrets, truncated to ``limit`` characters."""
    if len(text) <= limit and _SUSPECT.search(text) is None:
        return text
    cut = text[: limit + MAX_TEXT]  # a secret that crosses the limit must still match as a whole
    for pattern, replacement in _IN_TEXT:
        cut = pattern.sub(replacement, cut)
    return cut if len(text) <= limit and len(cut) <= limit else cut[:limit] + "…"


def redact(value: Any, *, limit: int = MAX_TEXT) -> Any:
    """``value`` as JSON values without secrets, each text cut at ``limit``. Values without a JSON form become text."""
    return _redact(value, 0, limit)


def _redact(value: Any, depth: int, limit: int) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return redact_text(value, limit=limit)
    if depth >= MAX_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        return {
            str(name): REDACTED
            if is_secret_name(str(name)) and entry not in (None, "")
            else _redact(entry, depth + 1, limit)
            for name, entry in value.items()
        }
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return _redact_list(value, depth, limit)
    return redact_text(repr(value), limit=limit)


def _redact_list(values: Sequence[Any], depth: int, limit: int) -> list[Any]:
    """Redacts a list that may be an argv: the word after ``--password`` is a secret as well."""
    found: list[Any] = []
    secret_next = False
    for value in values:
        option = isinstance(value, str) and value.startswith("-") and "=" not in value and is_secret_name(value)
        if secret_next and isinstance(value, str) and not value.startswith("-"):
            found.append(REDACTED)
        else:
            found.append(_redact(value, depth + 1, limit))
        secret_next = option
    return found


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


def state_folder(environ: Mapping[str, str]) -> str | None:
    """``$XDG_STATE_HOME/execpolicy`` (``~/.local/state/execpolicy``); ``None`` without a home."""
    home = environ.get("HOME", "")
    base = environ.get("XDG_STATE_HOME") or (f"{home}/.local/state" if home else "")
    return f"{base}/execpolicy" if base.startswith("/") else None


def hook_log(environ: Mapping[str, str]) -> str | None:
    """The file in which ``execpolicy hook --log`` records decisions; ``None`` without a home."""
    folder = state_folder(environ)
    return None if folder is None else f"{folder}/hooks.jsonl"


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


def log_hook(entry: Mapping[str, Any], environ: Mapping[str, str]) -> None:
    """Appends ``entry`` to the log of the hook if that is possible: a full disk changes no decision."""
    path = hook_log(environ)
    if path is not None:
        with suppress(RuleStoreError):
            AuditLog(path).write(entry)


class MemoryAudit:
    """Keeps redacted entries in a list, for hosts that show them and for tests."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def write(self, entry: Mapping[str, Any], /) -> None:
        """Appends ``entry``."""
        self.entries.append(redact(entry))
