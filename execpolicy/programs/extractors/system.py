"""Programs that change the system or its files."""

from __future__ import annotations

from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_argv
from execpolicy.programs.record import Program
from execpolicy.shell.script import Command


def removal(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``unlink FILE`` and ``shred -u FILE``: the same as ``rm``."""

    words = command.words
    texts = [word.literal or "" for word in words[1:]]
    if name == "shred" and not any(
        text.startswith(("--remove", "--rem")) or (text[:1] == "-" and text[1:2] != "-" and "u" in text)
        for text in texts
    ):
        return []
    operands = [word for word in words[1:] if word.literal is None or not word.literal.startswith("-")]
    return [run_argv(name, command, ["rm"], operands, stdin=False, evidence=True)]
