"""A folder and those above it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def upwards(path: str) -> Iterator[str]:
    """``path``, which is absolute, and every folder above it without the slash at its end: the root is empty."""
    yield path.rstrip("/")
    while path.strip("/"):  # the root may be written `//`
        path = os.path.dirname(path)
        yield path.rstrip("/")


def project_around(cwd: str, home: str | None) -> str | None:
    """The nearest folder with ``.git`` or ``.codex`` at or above ``cwd``, else ``cwd``; never ``home`` or the root."""
    for folder in upwards(cwd):
        if not folder or folder == home:
            break
        if os.path.lexists(f"{folder}/.git") or os.path.lexists(f"{folder}/.codex"):
            return folder
    return None if cwd in ("/", home) else cwd
