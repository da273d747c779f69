"""Plans the changes of a patch to the existing files, in memory; nothing is written."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from execpolicy.approvals.events import FileChange
from execpolicy.approvals.patch.patch_text import AddFile, Chunk, DeleteFile, Hunk, PatchError

_PUNCTUATION = str.maketrans({
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("‘’‚‛", "'"),
    **dict.fromkeys("“”„‟", '"'),
    **dict.fromkeys(
        "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    ),
})  # fmt: skip
"""Typographic characters that agents confuse with the plain ones."""


def _plain(line: str) -> str:
    return line.strip().translate(_PUNCTUATION)


_VIEWS: tuple[Callable[[str], str], ...] = (str, str.rstrip, str.strip, _plain)
"""Ways to compare lines, strictest first. A looser one is used only if no place fits the stricter one."""


def find(lines: Sequence[str], wanted: Sequence[str], start: int, *, at_end: bool = False) -> int | None:
    """The first index from ``start`` at which ``wanted`` occurs in ``lines``, or ``None``.

    Args:
        at_end: try the end of the file first, then earlier places.
    """
    last = len(lines) - len(wanted)
    if last < start:
        return None
    order = [last, *range(start, last)] if at_end else range(start, last + 1)
    for view in _VIEWS:
        target = [view(line) for line in wanted]
        seen = [view(line) for line in lines]
        for index in order:
            if seen[index : index + len(target)] == target:
                return index
    return None


def replace(path: str, text: str, chunks: Sequence[Chunk]) -> str:
    """``text`` with every chunk applied, in order. The result ends with a newline and keeps the line ends of ``text``.

    Raises:
        PatchError: a chunk does not fit; the message names the file, the chunk's line in the patch and what is missing.
    """
    returns = "\r\n" in text and "\n" not in text.replace("\r\n", "")
    lines = (text.replace("\r\n", "\n") if returns else text).split("\n")
    if lines[-1] == "":
        lines.pop()
    edits: list[tuple[int, int, tuple[str, ...]]] = []
    at = 0
    for chunk in chunks:
        begin, length, new = _place(path, lines, chunk, at)
        edits.append((begin, length, new))
        at = begin + length
    for begin, length, new in reversed(edits):
        lines[begin : begin + length] = [line.removesuffix("\r") for line in new] if returns else new
    end = "\r\n" if returns else "\n"
    return "".join([line + end for line in lines])


def _place(path: str, lines: list[str], chunk: Chunk, at: int) -> tuple[int, int, tuple[str, ...]]:
    """The place of ``chunk``: the index of the first replaced line, the number of replaced lines, the new lines."""
    for context in chunk.contexts:
        found = find(lines, [context], at)
        if found is None:
            raise PatchError(f"{path}: cannot find the line `{context}` (patch line {chunk.line})")
        at = found + 1
    old, new = chunk.old, chunk.new
    if not old:
        return (at if chunk.contexts else len(lines)), 0, new
    begin = find(lines, old, at, at_end=chunk.at_end)
    if begin is None and old[-1] == "" and len(old) > 1:  # a blank line that only belongs to the patch's layout
        old = old[:-1]
        new = new[:-1] if new and new[-1] == "" else new
        begin = find(lines, old, at, at_end=chunk.at_end)
    if begin is None:
        missing = "\n".join(chunk.old)
        raise PatchError(f"{path}: cannot find these lines (patch line {chunk.line}):\n{missing}")
    return begin, len(old), new


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """A file before or after the patch, with the permission bits to keep; ``content`` is ``None`` if it is missing."""

    content: bytes | None
    mode: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchPlan:
    """Every file that a patch changes, by absolute path.

    Attributes:
        before: the state that was found; checked again when the plan is applied.
        after: the state to write.
        moved: old path to new path.
    """

    before: Mapping[str, FileState]
    after: Mapping[str, FileState]
    moved: Mapping[str, str]

    def paths(self) -> tuple[str, ...]:
        """All paths that change, sorted."""
        return tuple(sorted(self.after))

    def summary(self) -> str:
        """``A``, ``M`` and ``D`` lines in the form of ``git status``, with absolute paths."""
        lines = ["Success. Updated the following files:"]
        for letter, wanted in (("A", (False, True)), ("M", (True, True)), ("D", (True, False))):
            for path in self.paths():
                if (self.before[path].content is not None, self.after[path].content is not None) == wanted:
                    lines.append(f"{letter} {path}")
        return "\n".join(lines) + "\n"

    def changes(self) -> dict[str, FileChange]:
        """The changes in the form that is shown to a person."""
        shown: dict[str, FileChange] = {}
        targets = set(self.moved.values())
        for path in self.paths():
            before, after = self.before[path].content, self.after[path].content
            if path in self.moved:
                new = self.after[self.moved[path]].content or b""
                diff = _diff(before or b"", new)
                shown[path] = FileChange(kind="update", unified_diff=diff, move_path=self.moved[path])
            elif path in targets and before is None:
                continue
            elif before is None:
                shown[path] = FileChange(kind="add", content=(after or b"").decode())
            elif after is None:
                shown[path] = FileChange(kind="delete", content=before.decode("utf-8", "replace"))
            else:
                shown[path] = FileChange(kind="update", unified_diff=_diff(before, after))
        return shown


def _diff(before: bytes, after: bytes) -> str:
    old, new = (side.decode("utf-8", "replace").splitlines(keepends=True) for side in (before, after))
    return "".join(list(difflib.unified_diff(old, new))[2:])


def plan_patch(hunks: Sequence[Hunk], *, cwd: str) -> PatchPlan:
    """The plan of ``hunks`` for the files under ``cwd`` (absolute). Each hunk sees the changes of earlier ones.

    Raises:
        PatchError: a file is missing, exists already or is not a text file, or a chunk does not fit.
    """
    files = _Files(cwd)
    moved: dict[str, str] = {}
    for hunk in hunks:
        path = files.resolve(hunk.path)
        if isinstance(hunk, AddFile):
            if files.state(path).content is not None:
                raise PatchError(f"{hunk.path}: cannot add a file that exists already; update it or delete it first")
            files.write(path, hunk.content.encode())
            continue
        content = files.state(path).content
        if content is None:
            verb = "delete" if isinstance(hunk, DeleteFile) else "update"
            raise PatchError(f"{hunk.path}: cannot {verb} a file that does not exist")
        if isinstance(hunk, DeleteFile):
            files.write(path, None)
            continue
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            raise PatchError(f"{hunk.path}: not a UTF-8 text file (byte {error.start})") from None
        new = replace(hunk.path, text, hunk.chunks).encode() if hunk.chunks else content
        target = path if hunk.move_to is None else files.resolve(hunk.move_to)
        if target != path:
            if files.state(target).content is not None:
                raise PatchError(f"{hunk.path}: cannot move to `{hunk.move_to}`, a file of that name exists")
            files.write(target, new, mode=files.state(path).mode)
            files.write(path, None)
            moved[path] = target
        else:
            files.write(path, new)
    return files.plan(moved)


class _Files:
    """The files with the hunks applied so far."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._before: dict[str, FileState] = {}
        self._after: dict[str, FileState] = {}

    def resolve(self, path: str) -> str:
        """The absolute path that would be written, with all symbolic links resolved."""
        return os.path.realpath(os.path.join(self._cwd, path))

    def state(self, path: str) -> FileState:
        if path not in self._after:
            self._before[path] = self._after[path] = read_state(path)
        return self._after[path]

    def write(self, path: str, content: bytes | None, *, mode: int | None = None) -> None:
        before = self.state(path)
        self._after[path] = FileState(content=content, mode=before.mode if mode is None else mode)

    def plan(self, moved: Mapping[str, str]) -> PatchPlan:
        changed = [path for path, after in self._after.items() if after != self._before[path]]
        return PatchPlan(
            before={path: self._before[path] for path in changed},
            after={path: self._after[path] for path in changed},
            moved={old: new for old, new in moved.items() if old in changed and new in changed},
        )


def read_state(path: str) -> FileState:
    """The current state of the file at ``path``.

    Raises:
        PatchError: it cannot be read, or is not a regular file.
    """
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise PatchError(f"{path}: not a regular file")
        with open(path, "rb") as file:
            return FileState(content=file.read(), mode=stat.S_IMODE(found.st_mode))
    except FileNotFoundError:
        return FileState(content=None)
    except OSError as error:
        raise PatchError(f"{path}: cannot read it: {error.strerror}") from None
