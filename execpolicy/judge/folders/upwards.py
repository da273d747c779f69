"""A folder and those above it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def upwards(path: str) -> Iterator[str]:
    """``path``, which is absolute, and every folder above it without the slash at its end: the root is empty."""
    yield path.rstrip("/")
    while path not in ("", "/"):
        path = os.path.dirname(path)
        yield path.rstrip("/")
