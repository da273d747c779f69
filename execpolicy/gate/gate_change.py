"""A change of the files of the gate: shown as a diff, applied atomically, and recorded so that it can be undone."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Iterator
from typing import NamedTuple

from execpolicy.approvals.patch import FileState, PatchPlan, apply_plan, read_state


class KeptFile(NamedTuple):
    """The record of a file that was changed.

    Attributes:
        before: its content before the first change; ``None`` if there was no file.
        digests: of the written and of the previous content; a killed process may have left either.
        folders: the folders that were created for it, outermost first.
    """

    before: bytes | None
    digests: tuple[str, str]
    folders: tuple[str, ...]


class Keeping:
    """The folder that stores the former contents of settings files."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @property
    def folders(self) -> tuple[str, str]:
        """The folder and its parent."""
        return self._folder, os.path.dirname(self._folder)

    def record(self, path: str) -> str:
        """The path of the record about the file at ``path``."""
        return f"{self._folder}/{os.path.basename(path)}-{_digest(os.fsencode(path))[:12]}.json"

    def backup(self, path: str) -> str:
        """The path of the former content of the file at ``path``."""
        return self.record(path).removesuffix(".json") + ".before"

    def find(self, path: str) -> KeptFile | None:
        """The record of ``path``; ``None`` if there is none."""
        try:
            noted = json.loads(read_state(self.record(path)).content or b"")
            before = read_state(self.backup(path)).content if noted["existed"] else None
            digests = (str(noted["digest"]), str(noted.get("previous", "")))
            return KeptFile(before, digests, tuple(map(str, noted["folders"])))
        except (ValueError, KeyError, TypeError):
            return None


class GateChange:
    """New contents of files, each with the current content.

    Attributes:
        notes: remarks for the person.
        formerly: path to the content before our hook, for each file whose current content is not that.
    """

    def __init__(self, keeping: Keeping) -> None:
        self.keeping = keeping
        self.notes: list[str] = []
        self.formerly: dict[str, bytes | None] = {}
        self._before: dict[str, FileState] = {}
        self._after: dict[str, FileState] = {}

    def content(self, path: str) -> bytes | None:
        """The content of ``path`` with the changes so far.

        Raises:
            PatchError: the file cannot be read, or is not a regular file.
        """
        real = os.path.realpath(path)
        if real not in self._after:
            self._before[real] = self._after[real] = read_state(real)
        return self._after[real].content

    def write(self, path: str, content: bytes | None, *, mode: int | None = None) -> None:
        """Sets the content of ``path`` to ``content``; a link stays a link.

        ``mode`` is the mode of a new file. An existing file keeps its mode, but becomes executable if necessary.
        """
        self.content(path)
        real = os.path.realpath(path)
        before = self._before[real]
        if before.mode is not None:
            mode = before.mode | ((mode or 0) & 0o111)
        self._after[real] = FileState(content=content, mode=None if content is None else mode)

    def changed(self) -> tuple[str, ...]:
        """The files that the change modifies."""
        return tuple([path for path, state in self._after.items() if state != self._before[path]])

    def diff(self) -> str:
        """The change as a unified diff."""
        return "".join([line for path in self.changed() for line in self._diff(path)])

    def _diff(self, path: str) -> Iterator[str]:
        before, after = self._before[path].content, self._after[path].content
        old, new = ((side or b"").decode("utf-8", "replace").splitlines(keepends=True) for side in (before, after))
        old_name, new_name = ("/dev/null" if side is None else path for side in (before, after))
        for line in difflib.unified_diff(old, new, old_name, new_name):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

    def install(self) -> None:
        """Applies the change atomically and records the former contents.

        The records are written first, so that a killed process loses nothing.

        Raises:
            PatchError: it could not be done; nothing has changed.
        """
        before = dict(self._before)
        after: dict[str, FileState] = {}
        for path in self.changed():
            kept = self.keeping.find(path)
            was = self._before[path].content
            if kept is None or was is None or not is_as_written(was, kept):
                kept = KeptFile(self.formerly.get(path, was), ("", ""), tuple(_missing(os.path.dirname(path))))
            noted = {
                "path": path,
                "existed": kept.before is not None,
                "digest": _digest(self._after[path].content or b""),
                "previous": "" if was is None else _digest(was),
                "folders": list(kept.folders),
            }
            record, backup = self.keeping.record(path), self.keeping.backup(path)
            after[backup] = FileState(content=kept.before, mode=None if kept.before is None else 0o600)
            after[record] = FileState(content=(json.dumps(noted, indent=1) + "\n").encode(), mode=0o600)
            before[record], before[backup] = read_state(record), read_state(backup)
        _apply(before, {**after, **self._after})

    def uninstall(self) -> None:
        """Applies the change atomically, deletes the records, and removes the folders created for it if they are empty.

        Raises:
            PatchError: it could not be done; nothing has changed.
        """
        before, after = dict(self._before), dict(self._after)
        folders: list[str] = []
        for path in self._after:
            kept = self.keeping.find(path)
            if kept is not None and self._after[path].content is None:
                folders += kept.folders
            for forgotten in (self.keeping.record(path), self.keeping.backup(path)):
                before[forgotten], after[forgotten] = read_state(forgotten), FileState(content=None)
        _apply(before, after)
        for folder in [*sorted(set(folders), key=len, reverse=True), *self.keeping.folders]:
            try:
                os.rmdir(folder)
            except OSError:  # the folder is not empty
                continue


def is_as_written(content: bytes, kept: KeptFile) -> bool:
    """True if a file was not changed since it was written."""
    return _digest(content) in kept.digests


def _apply(before: dict[str, FileState], after: dict[str, FileState]) -> None:
    changed = {path: state for path, state in after.items() if state != before[path]}
    apply_plan(PatchPlan(before={path: before[path] for path in changed}, after=changed, moved={}))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _missing(folder: str) -> list[str]:
    """The folders to create for ``folder``, outermost first."""
    found: list[str] = []
    while not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return found
