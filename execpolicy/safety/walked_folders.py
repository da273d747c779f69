"""Folders of which a script has all names printed: what only the run knows may be any file below them."""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.programs.names import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_WALKING = frozenset(("find", "gfind", "bfs", "fd", "fdfind", "locate"))
"""Programs that print the names of all files below a folder."""
_CHOOSING = names("-name -iname -path -ipath -wholename -regex -iregex -lname -e --extension -samefile")
"""Their options that leave out all but some names; a secret among those is found by its name."""

_OTHERWISE = names("! -not")
_OR = names("-o -or ,")
_ANYTHING = "*?.+^$[]()|\\/!"
"""Characters of which a pattern is made that takes any name."""


def walked_folders(facts: Facts) -> Iterator[tuple[Command, str]]:
    """The words that may name such a folder, as they are written, each with its command."""
    if not (facts.mentions("find") or facts.mentions("fd") or facts.mentions("locate")):
        return
    for command in facts.script.commands:
        words = command.words
        if not words or base_name(words[0].literal or "") not in _WALKING:
            continue
        if not _chooses(words):  # else what it prints is judged by the pattern
            for word in words[1:]:
                yield command, word.literal if word.literal is not None else word.written


def _chooses(words: Sequence[Word]) -> bool:
    """Whether every alternative that is found must have a name by a pattern that says something of it."""
    chosen = False
    for at, word in enumerate(words[1:-1], 1):
        if word.literal in _OTHERWISE:
            return False
        if word.literal in _OR:
            if not chosen:
                return False
            chosen = False
        value = words[at + 1].literal
        if word.literal in _CHOOSING and (value is None or value.strip(_ANYTHING)):
            chosen = True
    return chosen
