"""What was appended by us and where, so that it can be undone exactly: one JSON object a line, append-only."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass

from execpolicy.amend.appending import Appended, append_lines
from execpolicy.amend.locking import reason
from execpolicy.errors import RuleStoreError


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One append.

    Attributes:
        path: the rule file.
        lines: what was asked for.
        text: exactly what was appended.
    """

    id: str
    path: str
    lines: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal in the file ``path``."""

    path: str

    def record(self, appended: Appended) -> JournalEntry | None:
        """Remember ``appended``; ``None`` if it added nothing, so that there is nothing to undo.

        Raises:
            RuleStoreError: the journal could not be written.
        """
        if not appended.text:
            return None
        entry = JournalEntry(
            id=uuid.uuid4().hex, path=os.path.abspath(appended.path), lines=appended.lines, text=appended.text
        )
        body: dict[str, object] = {"id": entry.id, "path": entry.path, "lines": list(entry.lines), "text": entry.text}
        self._write(body)
        return entry

    def forget(self, entry: JournalEntry) -> None:
        """Remember that ``entry`` was undone.

        Raises:
            RuleStoreError: the journal could not be written.
        """
        self._write({"undone": entry.id})

    def last(self, path: str) -> JournalEntry | None:
        """The newest append to ``path`` that was not undone.

        Raises:
            RuleStoreError: the journal could not be read.
        """
        path = os.path.abspath(path)
        entries: dict[str, JournalEntry] = {}
        for body in self._bodies():
            undone = body.get("undone")
            if isinstance(undone, str):
                entries.pop(undone, None)
                continue
            entry = _entry(body)
            if entry is not None and entry.path == path:
                entries[entry.id] = entry
        return next(reversed(entries.values()), None)

    def _write(self, body: dict[str, object]) -> None:
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        except OSError as error:
            raise RuleStoreError(f"failed to create the folder of the journal {self.path}: {reason(error)}") from error
        append_lines(self.path, (json.dumps(body, ensure_ascii=False),))

    def _bodies(self) -> list[dict[str, object]]:
        """The objects in the file; a line that was left unfinished is not one."""
        try:
            with open(self.path, encoding="utf-8", errors="replace", newline="\n") as file:
                lines = file.read().split("\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise RuleStoreError(f"failed to read the journal {self.path}: {reason(error)}") from error
        bodies: list[dict[str, object]] = []
        for line in lines:
            try:
                body = json.loads(line)
            except ValueError:
                continue
            if isinstance(body, dict):
                bodies.append(body)
        return bodies


def _entry(body: dict[str, object]) -> JournalEntry | None:
    id, path, lines, text = (body.get(key) for key in ("id", "path", "lines", "text"))
    if isinstance(id, str) and isinstance(path, str) and isinstance(text, str) and isinstance(lines, list):
        return JournalEntry(id=id, path=path, lines=tuple([str(line) for line in lines]), text=text)
    return None
