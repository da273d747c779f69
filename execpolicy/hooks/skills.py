"""The commands that a skill runs when it is loaded: Claude Code's ``!`command``` in the text of ``SKILL.md``."""

from __future__ import annotations

import os
from collections.abc import Iterator

from execpolicy.safe_open import read_named

_LONGEST = 1 << 20
"""Bytes of a skill that are read."""


def commands_of_skill(name: str, cwd: str | None, home: str | None) -> tuple[str, ...] | None:
    """The commands in every file that ``name`` may mean; ``None`` if there is no such file, or one cannot be read."""
    found: list[str] = []
    seen = False
    for path in _files_of(name, cwd, home):
        try:
            text = read_named(path, largest=_LONGEST).decode("utf-8", "replace")
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return None
        seen = True
        found += _commands_in(text)
    return tuple(found) if seen else None


def _files_of(name: str, cwd: str | None, home: str | None) -> Iterator[str]:
    plain = name.lstrip("/").rpartition(":")[2].split()
    if not plain or "/" in plain[0] or plain[0] in (".", ".."):
        return
    folders = []
    folder = cwd
    while folder:
        folders.append(folder)
        folder = os.path.dirname(folder) if folder != "/" else ""
    for base in [*folders, *([home] if home else [])]:
        yield f"{base}/.claude/skills/{plain[0]}/SKILL.md"
        yield f"{base}/.claude/commands/{plain[0]}.md"


def _commands_in(text: str) -> Iterator[str]:
    at = text.find("!`")
    while at >= 0:
        end = text.find("`", at + 2)
        if end < 0:
            return
        yield text[at + 2 : end]
        at = text.find("!`", end + 1)
    for block in text.split("```!")[1:]:
        yield block.partition("```")[0]
