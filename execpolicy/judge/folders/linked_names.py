"""What words of a command name that lies behind a link: a clone may hold ``notes -> ~/.ssh/id_rsa``.

Of a word that is written out, its path is followed. Of a pattern those names count that lie on the disk and match it,
folder by folder as the word names them. A word of which only the run knows what it names may be any link below, and so
are those that a program meets which walks folders and follows links there (``grep -R``). That restricts; it proves
nothing.
"""

from __future__ import annotations

import os
from posixpath import normpath

from execpolicy.core.text import option_values
from execpolicy.programs.standing import root_of
from execpolicy.safety.secrets import behind_process, secret_in
from execpolicy.shell.limits import COMMAND
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_ENTRY = 4
"""Work that one name in a folder costs that is walked."""
_WILD = frozenset("*?[")
_NUMBER = "[-0-9]*"
"""How a file is called that a number names."""


def stands_behind_link(facts: Facts, standing: Standing, situation: Situation) -> bool:
    """Whether what stands there may run behind a link."""
    outer = facts.outermost
    return any(
        outer.once(_linked_by_pattern, shape, "", situation)
        if _is_wild(shape)
        else outer.once(_linked, shape, "", situation)
        for shape in standing.shapes
        if shape
    )


def linked_names(
    word: Word, folder: str, standing: Standing, facts: Facts, situation: Situation, *, whole: bool = False
) -> Iterator[tuple[str, str]]:
    """What ``word`` may name behind a link if it stands in ``folder``: the option that stands in front of the name in
    the word, if one does, and the name from the root.

    Args:
        whole: the word is a name, also if it begins like an option.
    """
    outer = facts.outermost
    if word.literal is not None or word.kind == "tilde":  # nobody may be called so: then it is a name
        text = word.written if word.literal is None else word.literal
        for start in (0,) if whole or word.literal is None else option_values(text):
            for place in outer.once(_linked, text[start:], folder, situation):
                yield text[:start], place
    if word.literal is not None:
        return
    root = root_of(word.pieces[0], standing, facts) if word.pieces else None
    pattern = word.pattern if word.kind == "glob" and word.pattern else word.shape or "*"
    if word.number:
        yield from [("", place) for place in outer.once(_linked_by_pattern, _NUMBER, folder, situation)]
        return
    if root is not None:
        pattern = root + changed(word, pieces=word.pieces[1:], prefix="").shape
    known = pattern[: min([pattern.find(char) for char in _WILD if char in pattern], default=len(pattern))]
    found = outer.once(_linked_by_pattern, pattern, folder, situation)
    if _is_wild(pattern) and (word.kind != "glob" or "**" in pattern):
        walked = known.rpartition("/")[0] or ("/" if known[:1] == "/" else ".")
        # below the home folder and above, whatever is found counts as a secret
        if walked not in ("/", "~") and not (walked == "." and folder in ("/", "~")) and not _is_wild(folder):
            found = (*found, *outer.once(_below, walked, folder, situation))
    for place in found:
        yield "", place


def walked_links(command: Command, facts: Facts, folder: str, situation: Situation) -> Sequence[str]:
    """The links below the folders that ``command``, which runs in ``folder``, walks."""
    operands = [word.literal for word in command.words[1:] if word.literal and word.literal[:1] != "-"]
    known = len(operands) > 1 and all(word.literal is not None for word in command.words)
    folders = operands if known else [*operands, "."]  # one alone may be what is looked for
    return [link for each in folders for link in facts.outermost.once(_below, each, folder, situation)]


def _linked(facts: Facts, name: str, folder: str, situation: Situation) -> tuple[str, ...]:
    """What ``name`` is from the root, if it lies behind a link."""
    if _is_wild(folder):
        return facts.outermost.once(_linked_by_pattern, _escaped(name), folder, situation)
    around = facts.outermost.once(_followed, "/" if name[:1] == "/" else folder, situation)
    places = situation.places_of(name if name[:1] == "/" else f"{folder or '.'}/{name}")
    return places[-1:] if places and normpath(places[-1]) != normpath(f"{around}/{name}") else ()


def _linked_by_pattern(facts: Facts, pattern: str, folder: str, situation: Situation) -> tuple[str, ...]:
    """The same of the names that are on the disk and match ``pattern``."""
    if pattern[:1] not in ("/", "~"):
        pattern, folder = (f"{folder}/{pattern}", "") if _is_wild(folder) else (pattern, folder)
    begin, pattern = _begin(pattern)
    found, behind = [begin], set[str]()
    for part in pattern.strip("/").split("/"):
        onward: list[str] = []
        for each in found:
            inside = each.rstrip("/") in behind
            entries = _entries(each if begin else f"{folder or '.'}/{each}", part, facts, situation)
            if not entries and inside:
                entries = [("", False)]  # what comes to lie there is behind a link
            for name, link in entries:
                onward.append(f"{each}{name}".rstrip("/"))
                # what is called like a secret in the project is none of those that only a link makes one
                if inside or (link and secret_in(onward[-1]) is None):
                    behind.add(onward[-1])
        found = [f"{each}/" for each in onward]
    names = behind.intersection([each.rstrip("/") for each in found])
    return tuple(
        [
            place
            for name in sorted(names)
            for place in situation.places_of(name if begin else f"{folder or '.'}/{name}")[-1:]
        ]
    )


def _begin(pattern: str) -> tuple[str, str]:
    """Where a pattern begins that is no name in the folder, and the rest."""
    if pattern[:1] == "/":
        return "/", pattern[1:]
    return ("~/", pattern[2:]) if pattern[:2] in ("~", "~/") else ("", pattern)


def _below(facts: Facts, name: str, folder: str, situation: Situation) -> tuple[str, ...]:
    """What the links below ``name``, as it is called from ``folder``, lead to."""
    found: list[str] = []
    todo = list((situation.places_of(name if name[:1] in ("/", "~") else f"{folder or '.'}/{name}"))[-1:])
    for each in todo:
        entries = listed(each, facts)
        if not facts.budget.spend(_ENTRY * len(entries)):
            break  # who has spent all is asked about
        for entry in entries:
            if entry.is_symlink():
                found += situation.places_of(entry.path)[-1:] if secret_in(entry.name) is None else ()
            elif entry.is_dir(follow_symlinks=False):
                todo.append(entry.path)
    return tuple(dict.fromkeys(found))


def _followed(facts: Facts, folder: str, situation: Situation) -> str:
    """Where ``folder`` is with its own links followed, which those behind it are told from."""
    return normpath((situation.places_of(folder or ".") or (folder,))[-1])


def _entries(folder: str, part: str, facts: Facts, situation: Situation) -> list[tuple[str, bool]]:
    """The names in ``folder`` that match ``part``, and whether each is a link."""
    places = situation.places_of(folder)
    if not places or not facts.budget.spend(COMMAND):
        return []
    if part == "..":
        return [(part, False)]
    if not _is_wild(part):
        name = part.replace("\\", "")
        path = f"{places[-1]}/{name}"
        return [(name, os.path.islink(path))] if os.path.lexists(path) else []
    from fnmatch import fnmatchcase

    from execpolicy.programs.names import fnmatch_pattern

    glob = fnmatch_pattern(part)
    return [(each.name, each.is_symlink()) for each in listed(places[-1], facts) if fnmatchcase(each.name, glob)]


def listed(place: str, facts: Facts) -> list[os.DirEntry[str]]:
    """What lies in the folder ``place``, as far as there is work left; nothing if it is none."""
    if not facts.budget.spend(COMMAND):
        return []
    try:
        with os.scandir(place) as entries:
            listed = list(entries)
    except (OSError, ValueError):  # nobody can list it, the shell neither
        return []
    facts.budget.spend(len(listed))
    return listed


def _is_wild(text: str) -> bool:
    return not _WILD.isdisjoint(text)


def _escaped(name: str) -> str:
    return "".join([f"\\{char}" if char in _WILD else char for char in name])


def from_home(path: str, facts: Facts, situation: Situation) -> str:
    """``path`` from the root, or from ``~`` where it lies in the home folder."""
    if path.startswith("~"):
        return normpath(path)
    whole = normpath(behind_process(f"{situation.cwd}/{path}" if path[:1] != "/" else path))
    for home in facts.once(_homes, situation):
        if f"{whole}/".startswith(f"{home}/"):
            return "~" + whole[len(home) :]
    return whole


def _homes(facts: Facts, situation: Situation) -> tuple[str, ...]:
    return situation.places_of("~")
