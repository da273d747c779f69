"""The ``apply_patch`` format: parses a patch, finds one in a command, plans every new file, then writes all or none.

The format::

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

import contextlib
import difflib
import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from execpolicy.approvals.events import FileChange
from execpolicy.atomic_write import make_draft, usual_mode
from execpolicy.errors import ExecPolicyError
from execpolicy.programs.launcher import launched_script


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


_SECTIONS = (_ADD, _DELETE, _UPDATE)


def _is_blank(line: str) -> bool:
    return not line.strip()


def _is_header(line: str) -> bool:
    return line.rstrip() == "@@" or line.startswith("@@ ")


class _PatchReader:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 1
        self._end = len(lines) - 1

    def done(self) -> bool:
        return self._at >= self._end

    def hunk(self) -> Hunk:
        header = self._lines[self._at].strip()
        if header.startswith(_ADD):
            path = self._path(header, _ADD)
            content = "".join([line[1:] + "\n" for line in self._taken(lambda line: line.startswith("+"))])
            self._taken(_is_blank)
            return AddFile(path=path, content=content)
        if header.startswith(_DELETE):
            path = self._path(header, _DELETE)
            self._taken(_is_blank)
            return DeleteFile(path=path)
        if header.startswith(_UPDATE):
            return self._update(self._path(header, _UPDATE))
        raise self._error(f"`{header}` starts no file section: write `{_ADD}path`, `{_DELETE}path` or `{_UPDATE}path`")

    def _update(self, path: str) -> UpdateFile:
        moves = not self.done() and self._lines[self._at].startswith(_MOVE)
        move_to = self._path(self._lines[self._at], _MOVE) if moves else None
        chunks: list[Chunk] = []
        while not self.done() and not self._lines[self._at].startswith(_SECTIONS):
            at = self._at
            self._taken(_is_blank)
            if not self.done() and not self._lines[self._at].startswith(_SECTIONS):
                self._at = at  # blank lines in front of others are part of the text
                chunks.append(self._chunk(first=not chunks))
        if not chunks and move_to is None:
            raise self._error(f"the update of `{path}` changes nothing", line=self._at)
        return UpdateFile(path=path, chunks=tuple(chunks), move_to=move_to)

    def _chunk(self, *, first: bool) -> Chunk:
        start = self._at
        contexts = [line[3:] for line in self._taken(_is_header)]
        if self._at == start and not first:
            raise self._error("expected `@@` or a line that starts with a blank, `+` or `-`")
        body = self._taken(
            lambda line: not (line.rstrip() == _END_OF_FILE or _is_header(line) or line.startswith(_SECTIONS))
        )
        at_end = not self.done() and self._lines[self._at].rstrip() == _END_OF_FILE
        if not body:
            raise self._error("a chunk needs at least one line", line=None if at_end else start + 1)
        for at, line in enumerate(body, self._at - len(body) + 1):
            if line[:1] not in (" ", "+", "-", ""):
                raise self._error(f"`{line}` must start with a blank (context), `+` (added) or `-` (removed)", line=at)
        self._at += at_end
        return Chunk(
            contexts=tuple([context for context in contexts if context]),
            old=tuple([line[1:] for line in body if line[:1] != "+"]),
            new=tuple([line[1:] for line in body if line[:1] != "-"]),
            at_end=at_end,
            line=start + 1,
        )

    def _taken(self, fits: Callable[[str], bool]) -> list[str]:
        """The next lines that fit."""
        start = self._at
        while not self.done() and fits(self._lines[self._at]):
            self._at += 1
        return self._lines[start : self._at]

    def _path(self, line: str, marker: str) -> str:
        """The path behind the marker of the current line, which is read."""
        path = line.removeprefix(marker).strip()
        if not path or "\0" in path:
            raise self._error("a file path is missing behind the marker")
        self._at += 1
        return path

    def _error(self, message: str, *, line: int | None = None) -> PatchError:
        return PatchError(f"line {self._at + 1 if line is None else line}: {message}")


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


def apply_plan(plan: PatchPlan) -> None:
    """Write the files of ``plan`` in the order of ``plan.after``, all of them or none.

    Raises:
        PatchError: a file changed since the plan was made, or could not be written. Nothing has changed then, unless
            the message names a file for which undoing failed.
    """
    for path, before in plan.before.items():
        if os.path.realpath(path) != path or read_state(path) != before:
            raise PatchError(f"{path}: it changed since the patch was checked; read it again and make a new patch")
    folders: list[str] = []
    staged: dict[str, str] = {}
    done: list[str] = []
    try:
        for path, after in plan.after.items():
            if after.content is not None:
                _make_folders(os.path.dirname(path), folders)
                staged[path] = _stage(path, after)
        for path in plan.after:
            done.append(path)
            if path in staged:
                os.replace(staged[path], path)
                del staged[path]
            else:
                os.unlink(path)
    except OSError as error:
        for temporary in staged.values():
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        lost = [path for path in reversed(done) if not _restore(path, plan.before[path])]
        for folder in reversed(folders):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        undone = f"; undoing failed for {', '.join(lost)}" if lost else ""
        raise PatchError(f"{error.filename or 'a file'}: cannot write it: {error.strerror}{undone}") from error


def _make_folders(folder: str, made: list[str]) -> None:
    missing: list[str] = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        os.mkdir(path)
        made.append(path)


def _stage(path: str, state: FileState) -> str:
    return make_draft(path, state.content or b"", usual_mode() if state.mode is None else state.mode)


def _restore(path: str, before: FileState) -> bool:
    """Restore the file to ``before``. True if that succeeded."""
    try:
        if before.content is None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        else:
            os.replace(_stage(path, before), path)
    except OSError:
        return False
    return True


_NAMES = frozenset({"apply_patch", "applypatch"})

_CALL = re.compile(
    r"""[ \t\n]*
    (?: cd [ \t]+ (?: '(?P<single>[^']+)' | "(?P<double>[^"\\$`]+)" | (?P<bare>[^\s'"\\*?\[\]{}~$`=;&|<>()\#]+) )
        [ \t]* && [ \t\n]* )?
    (?: apply_patch | applypatch ) [ \t]* << [ \t]*
    (?: '(?P<quoted>[^'\n]+)' | "(?P<in_double>[^"\\$`\n]+)" | (?P<word>\w[\w.-]*) ) [ \t]* \n""",
    re.VERBOSE,
)
"""``[cd FOLDER &&] apply_patch <<DELIMITER`` up to the end of its line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchCall:
    """A patch that a command contains.

    Attributes:
        patch: the text of the patch, not yet parsed.
        cwd: the absolute folder that its paths are relative to.
        explicit: false for a bare patch in place of a command, which is reported as a mistake.
    """

    patch: str
    cwd: str
    explicit: bool = True


def intercept_apply_patch(command: Sequence[str], *, cwd: str) -> PatchCall | None:
    """The patch that ``command`` would apply; ``None`` for any other command.

    Accepted are ``[apply_patch, PATCH]`` and the scripts ``apply_patch <<'EOF'…`` and
    ``cd DIR && apply_patch <<'EOF'…`` without anything before or after. The here-document is taken literally, even if
    its delimiter is not quoted.
    """
    if len(command) == 2 and command[0] in _NAMES:
        return PatchCall(patch=command[1], cwd=cwd)
    launched = launched_script(tuple(command))
    if launched is None:
        if len(command) == 1 and command[0].lstrip().startswith("*** Begin Patch"):
            return PatchCall(patch=command[0], cwd=cwd, explicit=False)
        return None
    if launched.positional or launched.odd:
        return None
    if launched.script.lstrip().startswith("*** Begin Patch"):
        return PatchCall(patch=launched.script, cwd=cwd, explicit=False)
    return _in_script(launched.script, cwd)


def _in_script(script: str, cwd: str) -> PatchCall | None:
    call = _CALL.match(script)
    if call is None:
        return None
    lines = script[call.end() :].split("\n")
    delimiter = call["quoted"] or call["in_double"] or call["word"]
    if delimiter not in lines:
        return None
    last = lines.index(delimiter)
    if any(line.strip(" \t") for line in lines[last + 1 :]):
        return None
    folder = call["single"] or call["double"] or call["bare"]
    if folder is not None:
        if folder.startswith("-"):
            return None
        cwd = os.path.normpath(os.path.join(cwd, folder))
    return PatchCall(patch="".join([line + "\n" for line in lines[:last]]), cwd=cwd)
