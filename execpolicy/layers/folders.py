"""Folders: those around a working folder, and the rule files in one (Codex 0.169.0, reference sections 3.4 and 3.5)."""

from __future__ import annotations

import os

from execpolicy.layers.layer import IgnoredFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def project_root(cwd: str, markers: Sequence[str]) -> str:
    """The nearest folder at or above ``cwd`` that holds one of ``markers``, or ``cwd`` if there is none."""
    for folder in ancestors(cwd):
        for marker in markers:
            if os.path.exists(os.path.join(folder, marker)):
                return folder
    return cwd


def ancestors(folder: str) -> list[str]:
    """``folder`` and the folders above it, nearest first."""
    found = [folder]
    while (parent := os.path.dirname(folder)) != folder:
        found.append(parent)
        folder = parent
    return found


def collect_rule_files(folder: str) -> tuple[tuple[str, ...], tuple[IgnoredFile, ...]]:
    """The paths of the rule files in ``folder``, sorted byte-wise, and the entries that somebody may miss among them.

    A rule file is a regular file, by its directory entry and so not through a link, whose extension is exactly
    ``rules``. Folders inside are not searched. A missing folder has no files.

    Raises:
        OSError: the folder cannot be read.
    """
    files: list[str] = []
    ignored: list[IgnoredFile] = []
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return (), ()
    for entry in entries:
        reason = _why_ignored(entry)
        if reason is None:
            files.append(entry.path)
        elif reason:
            ignored.append(IgnoredFile(entry.path, reason, looks_meant=entry.name.endswith(".rules")))
    files.sort(key=os.fsencode)
    ignored.sort(key=lambda found: os.fsencode(found.path))
    return tuple(files), tuple(ignored)


def _why_ignored(entry: os.DirEntry[str]) -> str | None:
    """``None`` for a rule file, a reason for what looks like one, ``""`` for what does not."""
    name = entry.name
    stem, dot, extension = name.rpartition(".")
    if not dot or not stem or extension != "rules":
        if name == ".rules":
            return "a file name needs something in front of `.rules`"
        if extension.lower() == "rules" and dot:
            return f"the extension is `.{extension}`; only `.rules` in lower case is read"
        return ""
    if entry.is_symlink():
        return "it is a symbolic link; only regular files are read"
    if entry.is_dir(follow_symlinks=False):
        return "it is a folder; only regular files are read, and folders inside are not searched"
    if not entry.is_file(follow_symlinks=False):
        return "it is not a regular file"
    return None
