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
_LISTING = names("ls gls dir gdir vdir exa eza lsd tree du gdu git rg grep ggrep egrep fgrep rgrep ag")
"""Programs that print names as well; they count where their output is handed on."""
_OF_NAMES = {
    "git": names("ls-files ls-tree"),
    "rg": names("--files -l --files-with-matches --files-without-match"),
}
"""With which of their words some of them print names alone; those of grep and ag, by letters, are ``l`` and ``L``."""
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
    if not any(facts.mentions(name) for name in (*_WALKING, *_LISTING)):
        return
    commands = facts.script.commands
    handing = {at for command in commands for at in command.piped_from}
    for at, command in enumerate(commands):
        words = command.words
        name = base_name(words[0].literal or "") if words else ""
        if name in _WALKING:
            walks = not _chooses(words)  # else what it prints is judged by the pattern
        elif name in _LISTING:
            walks = (at in handing or not _CAUGHT.isdisjoint(command.context)) and _lists_all(name, words)
        else:
            continue
        if walks:
            for word in words[1:]:
                yield command, word.literal if word.literal is not None else word.written


_CAUGHT = frozenset(("substitution", "process"))


def _lists_all(name: str, words: Sequence[Word]) -> bool:
    """Whether a program that can do more prints names, and leaves none out by a pattern for them."""
    texts = [word.literal or "" for word in words[1:]]
    if name in _BY_NAME and any(text.startswith(_BY_NAME[name]) for text in texts):
        return False
    if name in _OF_NAMES:
        return not _OF_NAMES[name].isdisjoint(texts) or (name == "rg" and _has_letter(texts, "l"))
    if "grep" in name or name == "ag":
        return _has_letter(texts, "lL") or any(text.startswith("--files-with") for text in texts)
    return True


def _has_letter(texts: Sequence[str], letters: str) -> bool:
    return any(text[:1] == "-" and text[:2] != "--" and not set(letters).isdisjoint(text) for text in texts)


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
