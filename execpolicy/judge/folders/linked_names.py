"""What words of a command name that lies behind a link: a clone may hold ``notes -> ~/.ssh/id_rsa``.

Of a word that is written out, its path is followed; of a pattern, or of a word that only the run knows, those names
count that lie on the disk and match it, folder by folder as the word names them; where a program walks folders and
follows links there (``grep -R``), each link in them. That restricts; it proves nothing.
"""

from __future__ import annotations

import os
from posixpath import normpath

from execpolicy.core.text import glob_matches, option_values
from execpolicy.programs.standing import root_of
from execpolicy.safety.secrets import secret_in
from execpolicy.shell.limits import COMMAND, STEP
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word


def stands_behind_link(facts: Facts, standing: Standing, situation: Situation) -> bool:
    """Whether what stands there may run behind a link."""
    return any(shape and facts.outermost.once(_linked, shape, "", True, situation) for shape in standing.shapes)


def linked_names(
    word: Word, folder: str, standing: Standing, facts: Facts, situation: Situation
) -> Sequence[tuple[str, str]]:
    """What ``word`` may name behind a link if it stands in ``folder``: the option that stands in front of the name in
    the word, if one does, and the name as it is called from there."""
    text = word.literal
    if text is not None:
        return [
            (text[:start], text[start:])
            for start in option_values(text)
            if facts.outermost.once(_linked, text[start:], folder, True, situation)
        ]
    root = root_of(word.pieces[0], standing, facts) if word.pieces else None
    shape = word.shape or "*"
    if root is not None:
        shape = root + changed(word, pieces=word.pieces[1:], prefix="").shape
    return [("", name) for name in facts.outermost.once(_linked, shape, folder, False, situation)]


def _linked(facts: Facts, name: str, folder: str, literal: bool, situation: Situation) -> tuple[str, ...]:
    """The names that ``name``, a pattern unless it is ``literal``, has on the disk and that lie behind a link."""
    if literal or not any(char in name for char in "*?["):
        around = facts.outermost.once(_followed, "/" if name[:1] == "/" else folder, situation)
        places = situation.places_of(_in(folder, name))
        return (name,) if places and normpath(places[-1]) != normpath(f"{around}/{name}") else ()
    found, behind = ["/" if name[:1] == "/" else ""], set[str]()
    for part in name.strip("/").split("/"):
        onward: list[str] = []
        for each in found:
            entries = _entries(_in(folder, each), part, facts, situation)
            if not entries and each.rstrip("/") in behind:
                return (each.rstrip("/"),)  # what comes to lie there is behind a link
            for entry, link in entries:
                onward.append(f"{each}{entry}")
                # what is called like a secret in the project is none of those that only a link makes one
                if each.rstrip("/") in behind or (link and secret_in(onward[-1]) is None):
                    behind.add(onward[-1])
        found = [f"{each}/" for each in onward]
    return tuple(sorted(behind.intersection([each.rstrip("/") for each in found])))


def walked_links(command: Command, facts: Facts, folder: str, situation: Situation) -> Sequence[str]:
    """The links below the folders that ``command``, which runs in ``folder``, walks."""
    operands = [word.literal for word in command.words[1:] if word.literal and word.literal[:1] != "-"]
    folders = operands if len(operands) > 1 else [*operands, "."]  # the one may be what is looked for
    return [link for each in folders for link in facts.outermost.once(_below, each, folder, situation)]


def _below(facts: Facts, name: str, folder: str, situation: Situation) -> list[str]:
    """The links below ``name``, as it is called from ``folder``."""
    found: list[str] = []
    todo = [name]
    for each in todo:
        listed = _listed(_in(folder, each), facts, situation)
        if not facts.budget.spend(STEP * len(listed)):
            break  # who has spent all is asked about
        found += [f"{each}/{entry.name}" for entry in listed if entry.is_symlink()]
        todo += [f"{each}/{entry.name}" for entry in listed if entry.is_dir(follow_symlinks=False)]
    return found


def _followed(facts: Facts, folder: str, situation: Situation) -> str:
    """Where ``folder`` is with its own links followed, which those behind it are told from."""
    return normpath((situation.places_of(folder or ".") or (folder,))[-1])


def _entries(folder: str, part: str, facts: Facts, situation: Situation) -> list[tuple[str, bool]]:
    """The names in ``folder`` that match ``part``, and whether each is a link."""
    places = situation.places_of(folder)
    if not places or not facts.budget.spend(COMMAND):
        return []
    if not any(char in part for char in "*?["):
        path = f"{places[-1]}/{part}"
        return [(part, os.path.islink(path))] if os.path.lexists(path) else []
    listed = _listed(folder, facts, situation)
    return [(entry.name, entry.is_symlink()) for entry in listed if glob_matches(part, entry.name)]


def _listed(folder: str, facts: Facts, situation: Situation) -> list[os.DirEntry[str]]:
    places = situation.places_of(folder)
    if not places or not facts.budget.spend(COMMAND):
        return []
    try:
        with os.scandir(places[-1]) as entries:
            listed = list(entries)
    except (OSError, ValueError):  # nobody can list it, the shell neither
        return []
    facts.budget.spend(len(listed))
    return listed


def _in(folder: str, name: str) -> str:
    return name if name[:1] in ("/", "~") else f"{folder or '.'}/{name}"
