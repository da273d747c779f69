"""Sets the trust of a project in the text of Codex's ``config.toml``: one entry changes, every other byte is kept."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from execpolicy.errors import RuleStoreError

_HEADER = re.compile(r"^[ \t]*\[[^\[\r\n][^\r\n]*\][^\r\n]*(?=\r?$)|^[ \t]*\[\[[^\r\n]*(?=\r?$)", re.MULTILINE)
_LEVEL = re.compile(
    r"""^([ \t]*(?:trust_level|"trust_level"|'trust_level')[ \t]*=[ \t]*)("[^"\r\n]*"|'[^'\r\n]*')""", re.MULTILINE
)
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def with_trust(text: str, project: str, level: str, *, path: str) -> str:
    """``text`` with ``projects.PROJECT.trust_level = LEVEL``.

    Args:
        path: the name of the file in messages.

    Raises:
        RuleStoreError: the text is not TOML, or the form of its projects table needs other changes too.
    """
    before = _table(text, path)
    projects = before.get("projects", {})
    entry = projects.get(project, {}) if isinstance(projects, dict) else None
    if isinstance(entry, dict) and entry.get("trust_level") == level:
        return text
    after = _edited(text, project, level)
    try:
        ends_well = isinstance(entry, dict) and tomllib.loads(after) == {
            **before,
            "projects": {**projects, project: {**entry, "trust_level": level}},
        }
    except tomllib.TOMLDecodeError:
        ends_well = False
    if not ends_well:
        line = f'trust_level = "{level}" for {_quoted(project)} under `projects`'
        raise RuleStoreError(f"{path} writes its projects in a way that is not changed here: put {line} by hand")
    return after


def _edited(text: str, project: str, level: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    headers = list(_HEADER.finditer(text))
    for at, header in enumerate(headers):
        if not _opens(header.group(), project):
            continue
        end = headers[at + 1].start() if at + 1 < len(headers) else len(text)
        found = _LEVEL.search(text, header.end(), end)
        if found is not None:
            return f'{text[: found.start(2)]}"{level}"{text[found.end(2) :]}'
        return f'{text[: header.end()]}{newline}trust_level = "{level}"{text[header.end() :]}'
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f'{text}{gap}[projects.{_quoted(project)}]{newline}trust_level = "{level}"{newline}'


def _opens(header: str, project: str) -> bool:
    """True if the line opens the table of ``project``."""
    try:
        table = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return False
    return table == {"projects": {project: {}}}


def _table(text: str, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RuleStoreError(f"failed to parse {path}: {error}; repair it first") from None


def _quoted(text: str) -> str:
    """``text`` as a TOML basic string."""
    shown = [_SHORT.get(char) or (char if char.isprintable() else f"\\U{ord(char):08X}") for char in text]
    return f'"{"".join(shown)}"'
