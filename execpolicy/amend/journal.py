"""The journal of our appends to rule files, so that exactly these can be undone. JSON lines, append-only.

Every change of a rule file is announced before and confirmed after it. If a process is killed in between, its record
remains, and the next process finds out from the file if the change happened.
"""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass, field

from execpolicy.amend.append import Appended, FileState, append_lines, append_record
from execpolicy.errors import RuleStoreError, os_reason
from execpolicy.safe_open import open_named

_WINDOW = 1 << 20
"""Number of bytes read from the end of the journal: about four thousand appends in a history of any length.

A process that waits for the lock while more appends come first can no longer undo its own.
"""


@dataclass(slots=True, kw_only=True)
class JournalEntry:
    """One append.

    Attributes:
        pieces: the lines that it added and that we did not remove since, each with its byte offset unless another
            program moved it.
        completes: true if its text began with the missing line ending of the line before.
        saved: true if it was confirmed.
    """

    id: str
    lines: tuple[str, ...]
    pieces: list[tuple[int, bytes]]
    completes: bool
    saved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Taking:
    """An announced removal of lines.

    Attributes:
        at: the byte offset of the lines.
        shift: the number of bytes by which the text after them moves up.
        of: the id of the append that is being undone, or ``None``.
        older: the appends whose offsets the shift changes.
    """

    at: int
    text: bytes
    shift: int
    of: str | None
    older: tuple[JournalEntry, ...]


@dataclass(slots=True)
class FileHistory:
    """The journal of one rule file.

    Attributes:
        entries: id to append, for the appends with remaining lines, oldest first.
        state: the state of the file after our last change; ``None`` if unknown.
        taking: id to removal, for those that were announced but never confirmed, because the process was killed.
    """

    entries: dict[str, JournalEntry] = field(default_factory=dict)
    state: FileState | None = None
    taking: dict[str, Taking] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal in the file ``path``. Its methods raise ``RuleStoreError`` if it cannot be written or read."""

    path: str

    def announce(self, path: str, lines: tuple[str, ...], text: str, at: int) -> str:
        """Announces that ``text`` is to be appended to ``path`` at the byte ``at``; returns the id of the entry."""
        id = uuid.uuid4().hex
        self._write({"id": id, "path": os.path.abspath(path), "lines": list(lines), "text": text, "at": at})
        return id

    def confirm(self, id: str, state: FileState) -> None:
        """Records that the append was done and left the file in ``state``."""
        self._write({"saved": id, "file": state})

    def append(self, path: str, lines: tuple[str, ...], *, timeout: float) -> tuple[Appended, str | None]:
        """Appends ``lines`` to ``path``; returns the change, and a warning if it cannot be undone.

        Raises:
            RuleStoreError: the lines could not be appended.
        """
        announced: list[str] = []
        warning: str | None = None

        def announce(text: str, at: int) -> None:
            nonlocal warning
            try:
                announced.append(self.announce(path, lines, text, at))
            except RuleStoreError as error:
                warning = f"the rule is saved, but `undo` will not know of it: {error}"

        def confirm(state: FileState) -> None:
            nonlocal warning
            try:
                if announced:
                    self.confirm(announced[-1], state)
            except RuleStoreError as error:
                warning = f"the rule is saved, but `undo` may not know of it: {error}"

        return append_lines(path, lines, timeout=timeout, announce=announce, confirm=confirm), warning

    def announce_taking(self, path: str, at: int, text: str, *, shift: int, of: str | None) -> str:
        """Announces a :class:`Taking`; returns its id."""
        id = uuid.uuid4().hex
        self._write({"taking": id, "path": os.path.abspath(path), "at": at, "text": text, "shift": shift, "of": of})
        return id

    def confirm_taking(self, id: str, *, happened: bool, state: FileState) -> None:
        """Records if the removal was done, and that the file was left in ``state``."""
        self._write({"taken": id, "happened": happened, "file": state})

    def forget(self, id: str) -> None:
        """Records that the append can no longer be undone."""
        self._write({"forgotten": id})

    def history(self, path: str) -> FileHistory:
        """The history of ``path``."""
        return _history(self._bodies(), os.path.abspath(path))

    def files(self) -> list[str]:
        """The files with an append that can be undone, most recent append first."""
        bodies = self._bodies()
        appends = [body for body in bodies if "id" in body]
        order = {str(body["id"]): at for at, body in enumerate(appends)}
        entries = {path: _history(bodies, path).entries for path in {str(body.get("path")) for body in appends}}
        return sorted(
            [path for path in entries if entries[path]], key=lambda path: -order[next(reversed(entries[path]))]
        )

    def _write(self, body: dict[str, object]) -> None:
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        except OSError as error:
            raise RuleStoreError(f"failed to create the folder of {self.path}: {os_reason(error)}") from error
        append_record(self.path, json.dumps(body))

    def _bodies(self) -> list[dict[str, object]]:
        """The objects in the file, without an unfinished line and a line that begins before the window."""
        try:
            with open_named(self.path) as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _WINDOW))
                lines = file.read().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise RuleStoreError(f"failed to read the journal {self.path}: {os_reason(error)}") from error
        bodies: list[dict[str, object]] = []
        for line in lines:
            try:
                body = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(body, dict):
                bodies.append(body)
        return bodies


def _history(bodies: list[dict[str, object]], path: str) -> FileHistory:
    found = FileHistory()
    for body in bodies:
        _follow(found, body, path)
    return found


def _follow(found: FileHistory, body: dict[str, object], path: str) -> None:
    """Applies one record to the history, if it is about ``path``."""
    match body:
        case {"id": str(id), "path": where, "lines": list(lines), "text": str(text), "at": int(at)} if where == path:
            found.entries[id] = JournalEntry(
                id=id, lines=tuple(map(str, lines)), pieces=_pieces(text, at), completes=text.startswith("\n")
            )
        case {"saved": str(id)} if id in found.entries:
            found.entries[id].saved = True
            _leave(found, body)
        case {"taking": str(id), "path": where, "at": int(at), "text": str(text), "shift": int(shift), "of": of} if (
            where == path
        ):
            older = tuple(found.entries.values())
            undone = of if isinstance(of, str) else None
            found.taking[id] = Taking(at=at, text=text.encode("utf-8"), shift=shift, of=undone, older=older)
        case {"taken": str(id), "happened": bool(happened)} if id in found.taking:
            taking = found.taking.pop(id)
            if happened:
                _take(found, taking)
            _leave(found, body)
        case {"forgotten": str(id)}:
            found.entries.pop(id, None)


def _pieces(text: str, at: int) -> list[tuple[int, bytes]]:
    """The lines of ``text``, which begins at the byte ``at``, each with its own offset and line ending."""
    found: list[tuple[int, bytes]] = []
    for line in text.encode("utf-8").split(b"\n")[:-1]:
        if line:
            found.append((at, line + b"\n"))
        at += len(line) + 1
    return found


def _take(found: FileHistory, taking: Taking) -> None:
    end = taking.at + len(taking.text)
    for entry in taking.older:
        if entry.pieces and (entry.pieces[-1][0] < taking.at or not (taking.shift or entry.pieces[0][0] < end)):
            continue  # nothing of it was removed or moved, as for most entries: keeps a long journal fast
        left = [(at, line) for at, line in entry.pieces if not taking.at <= at < end]
        entry.pieces = [(at - taking.shift if at >= end else at, line) for at, line in left]
        if not left:
            found.entries.pop(entry.id, None)


def _leave(found: FileHistory, body: dict[str, object]) -> None:
    match body.get("file"):
        case [int(inode), int(size), int(time)]:
            found.state = (inode, size, time)
