"""Whether a repository tracks a link of some name: what a clone brings, read from git's index without a walk.

Sources: git's `gitformat-index`: an entry holds its mode 24 bytes from its beginning, and its name behind an object's
name of 20 or 32 bytes and two or four bytes of flags. Names are whole in versions 2 and 3.
"""

from __future__ import annotations

import os

from execpolicy.judge.folders.repository_around import git_folder

_LINK = b"\x00\x00\xa0\x00"
"""The mode of a link, 120000."""
_NAMES_AT = (38, 40, 50, 52)
"""How far behind its mode the name of an entry may begin."""
_WHOLE = (2, 3)
"""Versions of the index in which names stand whole."""


def tracks_link(folder: str, ending: bytes) -> bool:
    """Whether the repository around ``folder`` tracks, or may track, a link whose name ends with ``ending``.

    It may where submodules have an index of their own, or the index is split or of a version that shortens names.
    """
    toplevel, git = git_folder(folder)
    if not git:
        return False
    if os.path.lexists(f"{toplevel}/.gitmodules"):
        return True
    try:
        with open(f"{git}/index", "rb") as file:
            index = file.read()
        shared = any(name.startswith("sharedindex.") for name in os.listdir(git))
    except (OSError, ValueError):  # nothing is tracked
        return False
    at = index.find(_LINK)
    if at >= 0 and (shared or int.from_bytes(index[4:8], "big") not in _WHOLE):
        return True
    while at >= 0:
        if any(index[at + name : index.find(b"\0", at + name)].endswith(ending) for name in _NAMES_AT):
            return True
        at = index.find(_LINK, at + 1)
    return shared
