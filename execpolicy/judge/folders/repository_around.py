"""Whether git would take a folder, or one above it, for a bare repository that came with the project."""

from __future__ import annotations

import os

from execpolicy.judge.folders.upwards import upwards


def repository_around(folder: str) -> str:
    """The repository that git may find from the absolute path ``folder`` on its way up; empty if there is none."""
    if os.path.lexists(f"{folder}/.git"):
        return ""
    return repository_above(os.path.realpath(folder))


def repository_above(folder: str) -> str:
    """The same for a path without links."""
    for place in upwards(folder):
        if not place or os.path.lexists(f"{place}/.git"):
            break
        if _is_repository(place):
            return place
    return ""


def _is_repository(place: str) -> bool:
    """Whether git might take ``place`` for a repository: rather too often, since each version looks in its own way.

    ``HEAD`` may be a link to nothing, ``objects`` and ``refs`` files that may be executed, or both be elsewhere, where
    a file ``commondir`` says (git 2.39, ``setup.c`` and ``path.c``).
    """
    if not os.path.lexists(f"{place}/HEAD"):
        return False
    beside = all(os.path.lexists(f"{place}/{name}") for name in ("objects", "refs"))
    return beside or os.path.lexists(f"{place}/commondir")
