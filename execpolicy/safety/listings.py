"""Programs that print names of files, and those that let some of them through: what is known of lists of names."""

from __future__ import annotations

import re

from execpolicy.core.text import names
from execpolicy.programs.names import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

FINDING = names("find gfind bfs")
FD = names("fd fdfind")
OF_FOLDER = names("ls gls dir gdir vdir eza exa lsd")
_GNU = names("ls gls dir gdir vdir")
"""Those of them whose ``-f`` shows hidden names as well."""
SELECTING = names("grep egrep fgrep ggrep rgrep zgrep ugrep rg ag ack")
"""Programs that let through what a pattern finds; with some of their options they print names themselves."""
EDITING = names("sed gsed awk gawk mawk nawk")
_WITH_HIDDEN = names("find gfind bfs locate plocate mlocate du gdu tar gtar bsdtar unzip zipinfo jar cpio pax 7z")
"""Programs that name hidden files unasked: in trees and in archives."""
_ON_REQUEST = names("fd fdfind tree rg ag")
_SEARCHING = SELECTING - _ON_REQUEST
"""Programs that print names by an option alone."""
READING = names("xargs gxargs parallel mapfile readarray read")
"""Programs that take names from what they read."""
PRINTING = OF_FOLDER | _WITH_HIDDEN | _ON_REQUEST | SELECTING | names("git")
_ANSWERS = PRINTING | READING
_HIDDEN = names("--all --almost-all --hidden --unrestricted --no-ignore-dot")
_HIDDEN_LETTERS = {**dict.fromkeys(OF_FOLDER, "aA"), **dict.fromkeys(_GNU, "aAf"), "tree": "a", "ag": "ua"}
"""With which letters of short options; with ``Hu.`` where a program is not named here."""
_GIT = names("ls-files ls-tree --name-only --name-status --stat --numstat --raw --summary --files-with-matches")
"""With which of its words git prints names."""
UNQUOTED = dict.fromkeys(map(ord, "'\"\\"))
_MENTIONED = re.compile(rf"\b(?:{'|'.join(sorted(PRINTING - _SEARCHING))})\b")
_BY_OPTION = re.compile(r"(?<!\S)-(?:\w*[lL]|-files-with)")
_DEEPEST = 4
"""Programs that only run another one, one in another."""


def concerned(facts: Facts) -> bool:
    """Whether the script mentions a program that prints names; the others are not looked through."""
    text = facts.script.text.translate(UNQUOTED)
    if _MENTIONED.search(text) is not None:
        return True
    return any(name in text for name in _SEARCHING) and _BY_OPTION.search(text) is not None


def run_words(facts: Facts) -> list[Sequence[Word]]:
    """Of each command the words of the program that it runs in the end: ``env timeout 5 ls -A`` lists a folder.

    What ``xargs`` runs gets words that it reads, and is not what prints or filters.
    """
    return [_run_in_the_end(command, facts) for command in facts.script.commands]


def _run_in_the_end(command: Command, facts: Facts) -> Sequence[Word]:
    for _ in range(_DEEPEST):
        words = command.words
        if not words or words[0].literal is None or base_name(words[0].literal) in _ANSWERS:
            return words
        if not any(base_name(word.literal or "") in _ANSWERS for word in words[1:]):
            return words
        from execpolicy.programs.unwrap import unwrap

        inner = next((each for each in unwrap(command, facts) if each.command is not None), None)
        if inner is None or inner.command is None or inner.evidence:
            return words
        command = inner.command
    return command.words


def kind_of_list(words: Sequence[Word]) -> str:
    """What is listed: one ``folder``, a ``tree``, or nothing."""
    name = base_name(words[0].literal or "") if words else ""
    if name in OF_FOLDER:
        return "folder"
    if name == "git":
        texts = [word.literal for word in words[1:]]
        return "tree" if not _GIT.isdisjoint(texts) or ("grep" in texts and has_letter(words, "lL")) else ""
    if name in _SEARCHING:
        return "tree" if has_letter(words, "lL") or has_option(words, "--files-with") else ""
    return "tree" if name in PRINTING else ""


def shows_hidden(words: Sequence[Word]) -> bool:
    """Whether hidden names are among those that a list of such a program holds."""
    name = base_name(words[0].literal or "")
    if name in _WITH_HIDDEN or name == "git" or name in _SEARCHING:
        return True
    return has_letter(words, _HIDDEN_LETTERS.get(name, "Hu.")) or any(word.literal in _HIDDEN for word in words[1:])


def has_letter(words: Sequence[Word], letters: str) -> bool:
    """Whether one of ``letters`` stands among the short options of a program."""
    return any(not set(letters).isdisjoint(short_letters(word)) for word in words[1:])


def has_option(words: Sequence[Word], *starts: str) -> bool:
    """Whether a word begins as one of ``starts`` does."""
    return any((word.literal or "").startswith(starts) for word in words[1:])


def short_letters(word: Word) -> str:
    """The letters of a cluster of short options."""
    text = word.literal or ""
    return text[1:] if text[:1] == "-" and text[:2] != "--" else ""
