"""Recognises bare repositories that came with the project, whose settings git would obey.

A clone cannot hold ``.git``, but it can hold a folder with ``HEAD``, ``objects`` and ``refs``, and git obeys what it
finds first on the way up (``safe.bareRepository`` says otherwise, if it is set).
"""

from __future__ import annotations

from itertools import pairwise

from execpolicy.judge.folders.repository_around import repository_above
from execpolicy.programs.standing import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing
    from execpolicy.shell.script import Command

_VALUED = frozenset(("-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--attr-source"))
"""Other options in front of git's sub-command whose value is a word of its own."""


def embedded_repository(
    command: Command, facts: Facts, standing: Standing, situation: Situation, *, ruled: bool
) -> str | None:
    """Returns why ``command``, which is git, may find such a repository; ``None`` if none is seen.

    Where it is ``ruled``, an allow rule covers what it says of folders itself, even of unknown ones.
    """
    folders = of_git(command, facts, standing).folders
    holding = of_git(command, facts, standing, "--git-dir").folders
    if not standing.folders or not (ruled or (folders and holding)):
        return "it runs git in a folder that is not known, whose settings can name programs"
    trusting = holding != folders or any((word.literal or "").startswith("safe.directory=") for word in command.words)
    for folder in dict.fromkeys(folders + holding):
        for path in situation.places_of(folder):
            if trusting and not f"{path}/".startswith((f"{situation.cwd}/", f"{situation.root}/")):
                return within(path)  # even if another user owns it
            found = repository_above(path) if folder in folders else ""
            if found:
                return within(found)
    return None


def within(place: str) -> str:
    """Returns why git needs a person if it may find the repository ``place``."""
    return f"`{place}` is a repository inside another, and git obeys its settings, which can name programs"


def of_git(command: Command, facts: Facts, standing: Standing, also: str = "-C") -> Standing:
    """Where ``command`` looks that is there: git where ``-C`` and ``also`` say, each relative to the one before."""
    if (command.words[0].literal or "").endswith("git"):
        for option, word in pairwise(command.words):
            if option.literal in ("-C", also):
                standing = inside(word, standing, facts)
            elif word.prefix.startswith(also + "="):
                standing = inside(word.behind(len(also) + 1), standing, facts)
            elif (word.literal or "-")[0] != "-" and option.literal not in _VALUED:
                break  # the sub-command
    return standing
