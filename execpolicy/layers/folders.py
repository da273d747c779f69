"""Finds the folders above a working directory, and the rule files in a folder (Codex 0.169 to 0.171)."""

from __future__ import annotations

import os
from time import sleep, time_ns

from execpolicy.layers.layer import IgnoredFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


QUIET_NS = 20_000_000
"""Nanoseconds without a change after which a file, or the list of entries of a folder, counts as complete.

File system clocks tick every 1 to 10 ms.
"""

LONG_QUIET_NS = 10 * QUIET_NS
"""The same for a text that looks unfinished: empty, broken, ending inside a line, or still open for writing."""

_MOST_LOOKS = 10
"""Maximum number of listings of a folder whose entries keep changing."""


def project_folders(cwd: str, markers: Sequence[str]) -> tuple[str, ...]:
    """The folders from the project root down to ``cwd``.

    The root is the nearest folder that contains one of ``markers``, or ``cwd`` if there is none.
    """
    chain = ancestors(cwd)
    for at, folder in enumerate(chain):
        if any(os.path.exists(os.path.join(folder, marker)) for marker in markers):
            return tuple(reversed(chain[: at + 1]))
    return (cwd,)


def ancestors(folder: str) -> list[str]:
    """``folder`` and the folders above it, nearest first."""
    found = [folder]
    while (parent := os.path.dirname(folder)) != folder:
        found.append(parent)
        folder = parent
    return found


def collect_rule_files(folder: str) -> tuple[tuple[str, ...], tuple[IgnoredFile, ...]]:
    """The paths of the rule files in ``folder``, sorted byte-wise, and the ignored entries that look like rule files.

    A rule file has exactly the extension ``rules`` and is a regular file by its directory entry, so not a link.
    Subfolders are not searched. A missing folder has no files. While entries change the folder is listed again, because
    an editor that replaces a file leaves a gap.

    Raises:
        OSError: the folder cannot be read.
    """
    files: list[str] = []
    ignored: list[IgnoredFile] = []
    try:
        entries = _settled_entries(folder)
    except FileNotFoundError:
        return (), ()
    for entry in entries:
        reason = _why_ignored(entry)
        if reason is None:
            files.append(entry.path)
        elif reason:
            ignored.append(IgnoredFile(entry.path, reason, looks_meant=".rule" in entry.name))
    files.sort(key=os.fsencode)
    ignored.sort(key=lambda found: os.fsencode(found.path))
    return tuple(files), tuple(ignored)


def _settled_entries(folder: str) -> list[os.DirEntry[str]]:
    seen = None
    for _ in range(_MOST_LOOKS):
        began = time_ns()
        entries = list(os.scandir(folder))
        changed = os.stat(folder).st_ctime_ns
        left = changed + QUIET_NS - began
        is_ahead = left > QUIET_NS  # the file system's clock is ahead of ours
        if left < 0 or (is_ahead and changed == seen):
            break
        seen = changed
        sleep(min(left, QUIET_NS) / 1e9)
    return entries


def _why_ignored(entry: os.DirEntry[str]) -> str | None:
    """``None`` for a rule file, the reason to ignore an entry that looks like one, or ``""`` for any other entry."""
    name = entry.name
    stem, dot, extension = name.rpartition(".")
    if not dot or not stem or extension != "rules":
        if name == ".rules":
            return "a file name needs something in front of `.rules`"
        if extension.lower() == "rules" and dot:
            return f"the extension is `.{extension}`; only `.rules` in lower case is read"
        # extensions that editors and browsers add; those that a user adds to disable a file are not reported
        added = stem.endswith(".rules") and extension in ("txt", "star", "bzl", "py", "json")
        if added or extension in ("rule", "ruls", "rulse", "codexrules", "rules~"):
            meant = stem if added else f"{stem}.rules"
            if not os.path.exists(os.path.join(os.path.dirname(entry.path), meant)):  # otherwise it is a copy
                return f"only files whose name ends in `.rules` are read; rename it to `{meant}` if it is one"
        return ""
    if entry.is_symlink():
        return "it is a symbolic link; only regular files are read"
    if entry.is_dir(follow_symlinks=False):
        return "it is a folder; only regular files are read, and folders inside are not searched"
    if not entry.is_file(follow_symlinks=False):
        return "it is not a regular file"
    return None
