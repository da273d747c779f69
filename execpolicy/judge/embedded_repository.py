"""Whether git would take a folder for a bare repository that came with the project: its settings name programs.

A clone cannot hold ``.git``, but it can hold a folder with ``HEAD``, ``objects`` and ``refs``, and git obeys what it
finds first on the way up (``safe.bareRepository`` says otherwise, where somebody set it).
"""

from __future__ import annotations

import os
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing
    from execpolicy.shell.script import Command


def embedded_repository(command: Command, facts: Facts, standing: Standing, situation: Situation) -> str | None:
    """The folder with such a repository that ``command``, which is git, would find; ``None`` if none is seen.

    Only folders that the script names are looked at: the one that it starts in is the caller's own.
    """
    trusting = any((word.literal or "").startswith("safe.directory=") for word in command.words)
    for folder in _folders(command, facts, standing):
        for path in _paths(folder, situation):
            if trusting and not f"{path}/".startswith((f"{situation.cwd}/", f"{situation.root}/")):
                return path  # whoever owns it
            for place in _upwards(path, situation):
                if os.path.lexists(f"{place}/.git"):
                    break
                if os.path.isfile(f"{place}/HEAD") and all(map(os.path.isdir, (f"{place}/objects", f"{place}/refs"))):
                    return place
    return None


def _folders(command: Command, facts: Facts, standing: Standing) -> list[str]:
    """Where git looks: each ``-C`` is relative to the one before it."""
    folders = list(standing.folders)
    for option, word in pairwise(command.words):
        if option.literal == "-C":
            values = [word.literal] if word.literal is not None else [value[0] for value in facts.values(word) if value]
            folders = [os.path.join(folder, value) for folder in folders for value in values]
    return folders


def _paths(folder: str, situation: Situation) -> tuple[str, ...]:
    if folder.startswith("~"):
        folder = (situation.home or "") + folder[1:]
    try:
        return situation.paths_of(folder or ".")
    except ValueError:  # a name that the system cannot have
        return ()


def _upwards(path: str, situation: Situation) -> Iterator[str]:
    own = {"/", "", situation.cwd, situation.root}
    while path not in own:
        yield path
        path = os.path.dirname(path)
