"""Parses the patch format.

*** Begin Patch
*** Add File: path          every following line starts with +
*** Delete File: path
*** Update File: path
*** Move to: path           optional
@@ a line to find first     optional; a bare @@ only separates
 context, -removed, +added
*** End of File             optional: the chunk is the last of the file
*** End Patch
"""

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
        new: the lines that replace them: context and added ones.
        at_end: the old lines are the last of the file.
        line: the line of the patch on which the chunk starts, 1-based.
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
    """Replace ``chunks`` in ``path``, in order, and move the file to ``move_to`` if that is given."""

    path: str
    chunks: tuple[Chunk, ...]
    move_to: str | None = None


Hunk: TypeAlias = AddFile | DeleteFile | UpdateFile


PATCH_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _DELETE, _UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
_MOVE, _END_OF_FILE = "*** Move to: ", "*** End of File"


def parse_patch(text: str) -> tuple[Hunk, ...]:
    """Parse ``text`` into hunks, at least one.

    Raises:
        PatchError: the patch is malformed; the message names the line (1-based).
    """
    lines = text.strip().split("\n")
    if lines[0].strip() != PATCH_BEGIN:
        raise PatchError(f"line 1: the first line of a patch must be `{PATCH_BEGIN}`")
    if lines[-1].strip() != _END:
        raise PatchError(f"line {len(lines)}: the last line of a patch must be `{_END}`")
    reader = _PatchReader(lines)
    hunks: list[Hunk] = []
    while not reader.done():
        hunks.append(reader.hunk())
    if not hunks:
        raise PatchError("the patch is empty: it changes no file")
    return tuple(hunks)


def patched_paths(text: str) -> tuple[str, ...]:
    """Every path that the patch ``text`` names: added, deleted and updated files, and new paths of moved ones.

    Raises:
        PatchError: the patch is malformed.
    """
    found: dict[str, None] = {}
    for hunk in parse_patch(text):
        found[hunk.path] = None
        if isinstance(hunk, UpdateFile) and hunk.move_to is not None:
            found[hunk.move_to] = None
    return tuple(found)


class _PatchReader:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 1
        self._end = len(lines) - 1

    def done(self) -> bool:
        return self._at >= self._end

    def hunk(self) -> Hunk:
        header = self._lines[self._at].strip()
        for marker, read in ((_ADD, self._add), (_DELETE, self._delete), (_UPDATE, self._update)):
            if header.startswith(marker):
                path = header.removeprefix(marker).strip()
                if not path or "\0" in path:
                    raise self._error("a file path is missing behind the marker")
                self._at += 1
                return read(path)
        raise self._error(f"`{header}` starts no file section: write `{_ADD}path`, `{_DELETE}path` or `{_UPDATE}path`")

    def _add(self, path: str) -> AddFile:
        content: list[str] = []
        while not self.done() and self._lines[self._at].startswith("+"):
            content.append(self._lines[self._at][1:] + "\n")
            self._at += 1
        self._between_sections()
        return AddFile(path=path, content="".join(content))

    def _delete(self, path: str) -> DeleteFile:
        self._between_sections()
        return DeleteFile(path=path)

    def _update(self, path: str) -> UpdateFile:
        move_to = None
        if not self.done() and self._lines[self._at].startswith(_MOVE):
            move_to = self._lines[self._at].removeprefix(_MOVE).strip()
            if not move_to or "\0" in move_to:
                raise self._error("a file path is missing behind the marker")
            self._at += 1
        chunks: list[Chunk] = []
        while not self.done() and not self._starts_section():
            if not self._lines[self._at].strip() and not self._more_in_section():
                self._at += 1
                continue
            chunks.append(self._chunk(first=not chunks))
        if not chunks and move_to is None:
            raise self._error(f"the update of `{path}` changes nothing", line=self._at)
        return UpdateFile(path=path, chunks=tuple(chunks), move_to=move_to)

    def _chunk(self, *, first: bool) -> Chunk:
        start = self._at
        contexts: list[str] = []
        while not self.done() and self._is_header(self._lines[self._at]):
            context = self._lines[self._at][3:]
            if context:
                contexts.append(context)
            self._at += 1
        if self._at == start and not first:
            raise self._error("expected `@@` or a line that starts with a blank, `+` or `-`")
        old: list[str] = []
        new: list[str] = []
        at_end = False
        body = self._at
        while not self.done():
            line = self._lines[self._at]
            if line.rstrip() == _END_OF_FILE:
                if self._at == body:
                    raise self._error("a chunk needs at least one line")
                at_end = True
                self._at += 1
                break
            if self._is_header(line) or self._starts_section():
                break
            if line[:1] in (" ", "-", ""):
                old.append(line[1:])
            if line[:1] in (" ", "+", ""):
                new.append(line[1:])
            elif line[:1] != "-":
                raise self._error(f"`{line}` must start with a blank (context), `+` (added) or `-` (removed)")
            self._at += 1
        if self._at == body:
            raise self._error("a chunk needs at least one line", line=start + 1)
        return Chunk(contexts=tuple(contexts), old=tuple(old), new=tuple(new), at_end=at_end, line=start + 1)

    def _is_header(self, line: str) -> bool:
        return line.rstrip() == "@@" or line.startswith("@@ ")

    def _starts_section(self) -> bool:
        return self._lines[self._at].startswith((_ADD, _DELETE, _UPDATE))

    def _more_in_section(self) -> bool:
        """True if the section has a line that is not blank after the current position."""
        for line in self._lines[self._at : self._end]:
            if line.startswith((_ADD, _DELETE, _UPDATE)):
                return False
            if line.strip():
                return True
        return False

    def _between_sections(self) -> None:
        while not self.done() and not self._lines[self._at].strip():
            self._at += 1

    def _error(self, message: str, *, line: int | None = None) -> PatchError:
        return PatchError(f"line {self._at + 1 if line is None else line}: {message}")
