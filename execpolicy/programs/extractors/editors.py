"""Editors, pagers and choosers, which reach a shell from inside."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.flow.facts import Facts
from execpolicy.flow.tokens import tokens
from execpolicy.programs.inner import Inner, run_argv, run_text
from execpolicy.programs.input_text import bang, commands_of, fed_lines
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.shell.script import Command


def vim(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``vim -c ':!cmd'``, ``+'!cmd'``, ``--cmd``, and ``ex`` commands on standard input."""
    lines = [*commands_of(command, facts, record.options, ("-c", "--cmd"), plus=True)]
    texts = [word.literal or "" for word in command.words[1:]]
    if name == "ex" or any(text[:1] == "-" and text[1:2] != "-" and ("s" in text or "e" in text) for text in texts):
        lines += fed_lines(command, facts)
    lines += [line.replace("%", text) for line in lines if "%" in line for text in texts if text[:1] not in ("-", "+")]
    for line in lines:
        for part in [line, *line.split("|")]:
            yield from bang(name, command, part)
            yield from _vim_calls(name, command, part)


def _vim_calls(name: str, command: Command, text: str) -> Iterator[Inner]:
    yield from code_commands(name, command, text, "c")
    parts = tokens(text, "c")
    for at in range(len(parts) - 2):
        if parts[at].value == "delete" and parts[at + 1].kind == "(" and parts[at + 2].kind == "text":
            argv = ["rm", "-rf", parts[at + 2].value]
            yield run_argv(name, command, argv, stdin=False)


def line_editor(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Programs that read commands from standard input and take ``!cmd``: ``ed``, ``ftp``, ``sftp``, ``mail``."""
    for word in command.words[1:]:
        if word.literal is not None and word.literal.startswith("!"):
            yield run_text(name, command, word.literal[1:])  # `ed '!cmd'` edits what it prints
    for line in fed_lines(command, facts):
        yield from bang(name, command, line)


def pager(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``less '+!cmd'`` and ``more '+!cmd'``."""
    for word in command.words[1:]:
        text = word.literal
        if text is not None and text.startswith("+") and "!" in text:
            yield run_text(name, command, text.partition("!")[2])
        elif text is not None and text.startswith("+") and "|" in text:  # |<mark>command
            yield run_text(name, command, text.partition("|")[2][1:])


def kakoune(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``kak -e 'nop %sh{ cmd }'``."""
    for word in command.words[1:]:
        for part in (word.literal or "").split("%sh")[1:]:
            yield run_text(name, command, part[1:].rstrip()[:-1])
