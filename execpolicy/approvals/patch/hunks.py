"""A patch as written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from execpolicy.errors import ExecPolicyError


class PatchError(ExecPolicyError):
    """The patch is malformed or does not fit the files; the message names the line or the file and the place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One replacement inside a file.

    Attributes:
        contexts: lines to find first, in order (``@@ line``); the replacement follows the last one.
        old: the lines to find: context and removed ones.
        new: what stands there afterwards: context and added ones.
        at_end: the old lines are the last of the file.
        line: where the chunk starts in the patch, 1-based.
    """

    contexts: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    at_end: bool
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AddFile:
    """Create ``path`` with ``content``."""

    path: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteFile:
    """Remove ``path``."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateFile:
    """Replace ``chunks`` in ``path``, in order, and move it to ``move_to`` if that is given."""

    path: str
    chunks: tuple[Chunk, ...]
    move_to: str | None = None


Hunk: TypeAlias = AddFile | DeleteFile | UpdateFile
