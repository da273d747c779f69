"""Programs that run a command as somebody else, or with other rights."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_argv
from execpolicy.programs.record import Program
from execpolicy.programs.wrapped import wrapped
from execpolicy.shell.script import Command


def switch_user(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``su USER SCRIPT WORD…``: what is not given with ``-c`` goes to the user's shell."""
    for inner in wrapped(name, record.wraps[0], "", command, facts):
        if inner.command is not None and inner.words[0].literal != "sh":
            yield run_argv(name, command, ["sh"], inner.words)


def capability_shell(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``capsh … -- ARGUMENT…``: the arguments of a bash, or of the program that ``--shell`` names."""
    words = command.words
    shell = "bash"
    for at in range(1, len(words)):
        text = words[at].literal or ""
        if text.startswith("--shell="):
            shell = text[8:]
        elif text in ("--", "=="):
            return [run_argv(name, command, [shell], words[at + 1 :])]
    return []
