"""Whether what the words of a command name lies where an entry accepts it: in the project, below a folder."""

from __future__ import annotations

import os
from itertools import islice

from execpolicy.judge.folders.upwards import project_around, upwards
from execpolicy.safety.locations import PROJECT, is_below, is_in, joined
from execpolicy.safety.protected import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.judge.situation import Situation
    from execpolicy.safety.locations import Location

_MOST = 1_000
"""Files that a pattern finds and that are looked at."""


def misplaced(
    locations: Sequence[Location], starts: Sequence[str], situation: Situation, *, in_project: bool
) -> str | None:
    """Why a command does not lie where its entry accepts it, or ``None``.

    Args:
        starts: the folders that the command may start in; none if that is not known.
        in_project: it must start in the project.
    """
    places = [situation.places_of(start) for start in starts]
    if not places or not all(places):
        return "the folder that it starts in is not known"
    project = project_around(situation.cwd, situation.home)
    situation.looks += 1
    if project is None:
        if in_project or any(PROJECT in one.folders for one in locations):
            return f"`{situation.cwd}` is no project: it is the home folder or the root"
    elif in_project:
        inside = situation.places_of(project)
        for path in [path for paths in places for path in paths]:
            if not any(is_in(path, each) for each in inside):
                return f"it starts in `{path}`, outside of the project `{project}`"
    for one in locations:
        for start in places:
            if not _holds(one, start, project or "", situation):
                return f"`{one.text}` {one.wanted}"
            guarded = _guarded(one, start, project or "", situation)
            if guarded is not None:
                return guarded
    return None


def strays(folders: Sequence[str], situation: Situation) -> bool:
    """True if one of ``folders`` lies outside of the project, or none is known."""
    here = situation.cwd
    inside = {here, situation.root, project_around(here, situation.home) or here}
    known = [path for folder in inside for path in situation.places_of(folder)]
    found = [path for folder in folders for path in situation.places_of(folder)]
    return not found or not all(any(is_in(path, each) for each in known) for path in found)


def _guarded(one: Location, start: Sequence[str], project: str, situation: Situation) -> str | None:
    """Why a file of the project that ``one`` names needs a person: an agent or a tool obeys it."""
    names = (_found(one.text, start[0]) if one.found else () if one.installed else (one.text,)) or ()
    paths = [path for name in names for path in situation.places_of(joined(start[0], name))]
    return next(filter(None, [protected(path.removeprefix(project)) for path in paths]), None)


def _holds(one: Location, start: Sequence[str], project: str, situation: Situation) -> bool:
    """Whether ``one`` is true of a command that starts in ``start``: a folder, and the same with its links followed."""
    if one.installed:
        return any(_is_installed(one.text, folder, start[0], project, situation) for folder in one.folders)
    if one.found:
        found = _found(one.text, start[0])
        return found is not None and all(_lies(name, one.folders, start, project, situation) for name in found)
    return _lies(one.text, one.folders, start, project, situation)


def _lies(name: str, folders: Sequence[str], start: Sequence[str], project: str, situation: Situation) -> bool:
    """Whether ``name`` lies in one of ``folders`` as it is written and with its links followed.

    A link that stands for one of the folders leads out of it.
    """
    paths = situation.places_of(name if name[:1] == "/" else f"{start[0]}/{name}")
    inside = situation.places_of(project) if PROJECT in folders else ()
    below = [path for folder in folders if folder != PROJECT for path in _folder(folder, start, situation)]
    return bool(paths) and all(
        any(is_in(path, each) for each in inside) or any(is_below(path, each) for each in below) for path in paths
    )


def _folder(folder: str, start: Sequence[str], situation: Situation) -> Sequence[str]:
    return situation.places_of(folder) if folder[:1] == "/" else [joined(each, folder) for each in start]


def _found(pattern: str, start: str) -> list[str] | None:
    """The names that the shell may find by ``pattern``, hidden ones too; ``None`` if they are too many."""
    from glob import iglob

    try:
        found = list(islice(iglob(pattern, root_dir=start, include_hidden=True), _MOST + 1))
    except OSError:
        return None
    return found + [pattern] if len(found) <= _MOST else None


def _is_installed(name: str, folder: str, start: str, project: str, situation: Situation) -> bool:
    """Whether ``folder``, here or above up to the project, holds the program ``name``."""
    situation.looks += 1
    for here in upwards(start):
        if not is_in(here, project):
            return False
        if os.path.isfile(f"{here}/{folder}/{name}"):
            return True
    return False
