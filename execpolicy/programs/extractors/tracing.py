"""Tracers, profilers, debuggers and benchmarks: programs that watch a command."""

from __future__ import annotations

from _collections_abc import Iterator
from itertools import islice, product

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_command, run_text
from execpolicy.programs.input_text import commands_of, fed_lines
from execpolicy.programs.options import option_table, walk
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.shell.limits import COMMAND
from execpolicy.shell.script import Command

_GDB_COMMANDS = word_set("-ex -iex -eval-command --eval-command -init-eval-command --init-eval-command --ex --iex")
_MOST_RUNS = 8
"""Programs, and arguments of them, that are put together."""


def gdb(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``gdb -ex '!cmd'``, ``-ex 'shell cmd'``, ``--args PROGRAM ARGUMENT…``."""
    for line in [*commands_of(command, facts, record.options, _GDB_COMMANDS, plus=False), *fed_lines(command, facts)]:
        text = line.strip()
        first, _, rest = text.partition(" ")
        if text.startswith("!"):
            yield run_text(name, command, text[1:])
        elif first and rest and "shell".startswith(first) and len(first) >= 3:
            yield run_text(name, command, rest)
        elif first in ("pipe", "|", "make") or (first == "target" and "|" in rest):
            yield run_text(name, command, rest.rpartition("|")[2] if first != "make" else text)
        elif first in ("python", "py", "python-interactive", "pi", "call", "print", "p", "compile"):
            yield from code_commands(name, command, rest, "python")
    for start in walk(option_table(record.options), command.words, 1).starts:
        yield run_command(name, command, command.words[start:])


def lldb(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``lldb -o 'platform shell cmd'``, ``lldb -- PROGRAM ARGUMENT…``."""
    options = ("-o", "-O", "--one-line", "--one-line-before-file")
    for line in [*commands_of(command, facts, record.options, options, plus=False), *fed_lines(command, facts)]:
        for lead in ("platform shell ", "shell ", "pl shell "):
            if line.strip().startswith(lead):
                yield run_text(name, command, line.strip()[len(lead) :])
        if line.strip().startswith(("script ", "sc ")):
            yield from code_commands(name, command, line.strip().partition(" ")[2], "python")
    for start in walk(option_table(record.options), command.words, 1).starts[:1]:
        yield run_command(name, command, command.words[start:])


def hyperfine(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``hyperfine -L NAME a,b 'cmd {NAME}'``: each text with the values of its parameters in their places."""
    texts = [word.literal or "" for word in command.words]
    values: dict[str, list[str]] = {}
    for at, text in enumerate(texts[:-2]):
        if text in ("-L", "--parameter-list"):
            values["{" + texts[at + 1] + "}"] = texts[at + 2].split(",")
    for row in islice(product(*values.values()), _MOST_RUNS):
        filled = texts
        for place, value in zip(values, row, strict=True):
            filled = [text.replace(place, value) for text in filled]
        for text, before in zip(filled, texts, strict=True):
            if text != before and facts.budget.spend(COMMAND):
                yield run_text(name, command, text.partition("=")[2] if text[:2] == "--" else text, evidence=True)
