"""Reads commands in the languages of programs: from options, ``+cmd`` words and standard input."""

from __future__ import annotations

from _collections_abc import Collection, Iterator

from execpolicy.flow.facts import Facts
from execpolicy.flow.streams import fed_texts
from execpolicy.programs.inner import Inner, run_text
from execpolicy.programs.options import every_option, option_table
from execpolicy.programs.text_runs import value_texts
from execpolicy.shell.script import Command


def commands_of(command: Command, facts: Facts, options: str, names: Collection[str], *, plus: bool) -> Iterator[str]:
    """Texts of command options, and of ``+cmd`` words."""
    words = command.words
    for seen in every_option(option_table(options), words, 1).seen:
        if seen.name in names:
            yield from value_texts(seen, facts)
    if plus:
        for word in words[1:]:
            text = word.prefix
            if text.startswith("+"):
                yield text.lstrip("+")


_LATER = frozenset(["au", "autocmd", "com", "command", "map", "nmap", "noremap", "nnoremap"])
"""Commands of ``ex`` that run the rest of the line when something happens."""


_PROGRAMS = ("prg=", "mp=", "gp=", "ep=", "fp=", "kp=", "shell=", " sh=")
"""How settings of vim end that name a program, ``makeprg`` and its kin, and their short forms."""


def bang(name: str, command: Command, text: str) -> list[Inner]:
    """``!cmd``, ``r !cmd``, ``%w !cmd``, ``silent! !cmd``, ``terminal cmd``."""
    stripped = text.strip().lstrip(":").strip()
    if text[:2] == "~|":  # mail pipes what is written so far
        return [run_text(name, command, text[2:])]
    first, _, rest = stripped.partition(" ")
    if first in ("terminal", "term", "te") and rest.strip():
        return [run_text(name, command, rest.strip())]
    for setting in _PROGRAMS:
        front, marked, value = text.partition(setting)
        if marked:  # a bar ends the value, unless it is escaped; in a line for vim of what is edited a colon, too
            if "vim:" in front or "vi:" in front or "ex:" in front:
                value = value.partition(":")[0]
            said = value.replace("\\|", "\0").partition("|")[0].replace("\0", "|").replace("\\", "").strip("\"' ")
            return [run_text(name, command, said, evidence=True)]
    at = text.find("!")
    while 0 <= at < len(text) - 1:
        before = text[:at].strip().replace('"', "").replace("'", "").lstrip(":0123456789.,$%'<>+-*~ ")
        later = before.partition(" ")[0] in _LATER
        if later or not before or before.replace("!", "").replace(" ", "").isalpha():
            after = text[at + 1 :].strip()
            if after and not after.startswith("="):
                return [run_text(name, command, after.lstrip("!").strip("\"'"))]
        at = text.find("!", at + 1)
    return []


def fed_lines(command: Command, facts: Facts) -> list[str]:
    return [line for text in fed_texts(command, facts)[0] for line in text.split("\n") if line.strip()]
