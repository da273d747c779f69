"""Removes secrets from text that is shown to people or written to logs.

This is a best effort for readers of logs, not a security boundary. A text becomes ``[redacted]`` if its name, its form
or the option in front of it indicates a secret.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

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


def printable(text: str) -> str:
    """``text`` as one safe line: characters that could move the cursor, hide text or reverse it are escaped."""
    return "".join([char if char.isprintable() else _escaped(char) for char in text])


def _escaped(char: str) -> str:
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char) or (
        f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{{{ord(char):x}}}"
    )
