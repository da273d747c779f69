"""Sets the trust of a project in Codex's ``config.toml``, or a workspace in ours: one entry changes, nothing else."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from execpolicy.errors import RuleStoreError

_HEADER = re.compile(r"^[ \t]*\[[^\[\r\n][^\r\n]*\][^\r\n]*(?=\r?$)|^[ \t]*\[\[[^\r\n]*(?=\r?$)", re.MULTILINE)
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def with_trust(text: str, project: str, level: str, *, path: str) -> str:
    """``text`` with ``projects.PROJECT.trust_level = LEVEL``; see :func:`with_workspace`."""
    return _with_entry(text, "projects", project, "trust_level", level, path)


def with_workspace(text: str, folder: str, word: str, *, path: str) -> str:
    """``text`` with ``workspaces.FOLDER.setting = WORD``.

    Args:
        path: the name of the file in messages.

    Raises:
        RuleStoreError: the text is not TOML, or the form of its table needs other changes too.
    """
    return _with_entry(text, "workspaces", folder, "setting", word, path)


def _with_entry(text: str, table: str, folder: str, key: str, word: str, path: str) -> str:
    before = _table(text, path)
    entries = before.get(table, {})
    entry = entries.get(folder, {}) if isinstance(entries, dict) else None
    if isinstance(entry, dict) and entry.get(key) == word:
        return text
    after = _edited(text, table, folder, key, word)
    try:
        ends_well = isinstance(entry, dict) and tomllib.loads(after) == {
            **before,
            table: {**entries, folder: {**entry, key: word}},
        }
    except tomllib.TOMLDecodeError:
        ends_well = False
    if not ends_well:
        line = f'{key} = "{word}" for {_quoted(folder)} under `{table}`'
        raise RuleStoreError(f"{path} writes its {table} in a way that is not changed here: put {line} by hand")
    return after


def _edited(text: str, table: str, folder: str, key: str, word: str) -> str:
    known = re.compile(rf"""^([ \t]*["']?{key}["']?[ \t]*=[ \t]*)("[^"\r\n]*"|'[^'\r\n]*')""", re.MULTILINE)
    newline = "\r\n" if "\r\n" in text else "\n"
    headers = list(_HEADER.finditer(text))
    for at, header in enumerate(headers):
        if not _opens(header.group(), table, folder):
            continue
        end = headers[at + 1].start() if at + 1 < len(headers) else len(text)
        found = known.search(text, header.end(), end)
        if found is not None:
            return f'{text[: found.start(2)]}"{word}"{text[found.end(2) :]}'
        return f'{text[: header.end()]}{newline}{key} = "{word}"{text[header.end() :]}'
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f'{text}{gap}[{table}.{_quoted(folder)}]{newline}{key} = "{word}"{newline}'


def _opens(header: str, table: str, folder: str) -> bool:
    """True if the line opens the table of ``folder`` in ``table``."""
    try:
        found = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return False
    return found == {table: {folder: {}}}


def _table(text: str, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RuleStoreError(f"failed to parse {path}: {error}; repair it first") from None


def _quoted(text: str) -> str:
    """``text`` as a TOML basic string."""
    shown = [_SHORT.get(char) or (char if char.isprintable() else f"\\U{ord(char):08X}") for char in text]
    return f'"{"".join(shown)}"'
