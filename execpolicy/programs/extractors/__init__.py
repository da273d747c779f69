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
    "archives": "tar",
    "build": "behind_subcommand cargo cmake go just make maven",
    "cloud": "aws gh salt",
    "containers": "image pod post_rendered",
    "databases": "client database",
    "documents": "postscript tex troff",
    "editors": "kakoune line_editor pager vim",
    "environments": "by_name hatch nix pip set_script shell_mode",
    "find": "entr fd find xargs",
    "fuzzy": "fuzzy",
    "git": "git with_git",
    "interpreters": "each_text",
    "packages": "flatpak homebrew password_store rpm",
    "parallel": "parallel",
    "powershell": "powershell",
    "privilege": "capability_shell switch_user",
    "remote": "media_player sftp socat ssh_settings websocat",
    "scheduling": "at_job",
    "sed_awk": "awk m4 sed",
    "shells": "alias callbacks declared evaluate jobs rehash shell source trap windows",
    "system": "removal",
    "terminals": "screen script terminal tmux window_manager",
    "tracing": "gdb hyperfine lldb",
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
