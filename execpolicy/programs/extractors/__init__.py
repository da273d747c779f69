"""The functions that find what a program runs where no table can describe it, by the word that its record uses."""

from __future__ import annotations

from _collections_abc import Callable, Iterable

from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner
from execpolicy.programs.record import Program
from execpolicy.shell.script import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Extractor: TypeAlias = Callable[[Command, Facts, str, Program], Iterable[Inner]]

EXTRACTORS = {
    "build": "behind_subcommand cargo cmake flatpak homebrew make maven password_store rpm tar",
    "environments": "at_job by_name capability_shell gh image nix pod post_rendered removal shell_mode switch_user",
    "find": "entr fd find xargs",
    "git": "git with_git",
    "languages": "awk line_editor sed vim",
    "parallel": "parallel",
    "shells": "alias callbacks declared each_text evaluate powershell rehash shell source trap",
    "terminals": "gdb hyperfine lldb screen script tmux",
}
"""Module to its functions, each of which is called with the command, the facts, the program's name and its record."""

_found: dict[str, Extractor] = {}


def extractor(word: str) -> Extractor:
    """The function that a record calls ``word``. Its module is imported when it is first needed.

    Raises:
        KeyError: there is none.
    """
    if word not in _found:
        module = next((module for module, words in EXTRACTORS.items() if word in words.split()), None)
        if module is None:
            raise KeyError(word)
        _found[word] = getattr(__import__(f"{__name__}.{module}", fromlist=("",)), word)
    return _found[word]
