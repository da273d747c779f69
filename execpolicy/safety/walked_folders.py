"""Folders of which a script has all names printed: what only the run knows may be any file below them."""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.programs.names import base_name
from execpolicy.safety.listings import FD, FINDING, PRINTING, concerned, has_letter, has_option, kind_of_list, run_words
from execpolicy.shell.vocabulary import CAUGHT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_WALKING = FINDING | FD | names("locate")
"""Programs that print the names of all files below a folder; the others count where their output is handed on."""
_BY_NAME = {
    "rg": ("-g", "--glob", "--iglob", "-t", "--type"),
    "grep": ("--include",),
    "ggrep": ("--include",),
    "rgrep": ("--include",),
    "tree": ("-P",),
    "ag": ("-G",),
}
"""How options of theirs begin that leave out all but some names."""
_CHOOSING = names("-name -iname -path -ipath -wholename -regex -iregex -lname -e --extension -samefile")
"""Their options that leave out all but some names; a secret among those is found by its name."""

_OTHERWISE = names("! -not")
_OR = names("-o -or ,")
_ANYTHING = "*?.+^$[]()|\\/!"
"""Characters of which a pattern is made that takes any name."""


def walked_folders(facts: Facts) -> Iterator[tuple[Command, str]]:
    """The words that may name such a folder, as they are written, each with its command."""
    if not facts.once(concerned):
        return
    commands = facts.script.commands
    handing = {at for command in commands for at in command.piped_from}
    for at, (command, words) in enumerate(zip(commands, facts.once(run_words), strict=True)):
        name = base_name(words[0].literal or "") if words else ""
        if name in _WALKING:
            walks = not _chooses(words)  # else what it prints is judged by the pattern
        elif name in PRINTING:
            walks = (at in handing or not CAUGHT.isdisjoint(command.context)) and _lists_all(name, words)
        else:
            continue
        if walks:
            for word in words[1:]:
                yield command, word.literal if word.literal is not None else word.written


def _lists_all(name: str, words: Sequence[Word]) -> bool:
    """Whether a program that can do more prints names, and leaves none out by a pattern for them."""
    if has_option(words, *_BY_NAME.get(name, ())):
        return False
    if name == "rg":
        return has_letter(words, "l") or has_option(words, "--files")
    if name == "ag":
        return has_letter(words, "lL") or has_option(words, "--files-with")
    return kind_of_list(words) != ""


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
