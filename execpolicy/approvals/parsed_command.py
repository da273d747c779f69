"""Summaries of commands for display: reads, lists, searches. Decisions do not use them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from execpolicy.core.quoting import join
from execpolicy.judge.reading import read_command
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.meaning.command_readings import command_readings, loose_reading
from execpolicy.validators import Checked
from execpolicy.validators import argv as words


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCommand(Checked):
    """The apparent purpose of one command.

    Attributes:
        cmd: the command as one line.
        name: the base name of the file (``read``).
        path: the file or folder, if the command names one.
        query: the searched text (``search``).
    """

    kind: Literal["read", "list_files", "search", "unknown"]
    cmd: str
    name: str | None = None
    path: str | None = None
    query: str | None = None

    def to_json(self) -> dict[str, Any]:
        """``{type, cmd, …}`` with the fields of its kind."""
        fields: dict[str, tuple[str, ...]] = {
            "read": ("name", "path"),
            "list_files": ("path",),
            "search": ("query", "path"),
            "unknown": (),
        }
        return {"type": self.kind, "cmd": self.cmd, **{name: getattr(self, name) for name in fields[self.kind]}}


_READERS = frozenset({"cat", "bat", "batcat", "less", "more", "head", "tail", "nl", "tac"})
_LISTERS = frozenset({"ls", "tree", "eza", "exa", "du", "ls-files"})
_SEARCHERS = frozenset({"rg", "grep", "egrep", "fgrep", "ag", "ack", "pt"})
_FINDERS = frozenset({"fd", "fdfind"})
_FILTERS = frozenset({
    "wc", "tr", "cut", "sort", "uniq", "tee", "column", "awk", "yes", "printf", "head", "tail", "nl",
})  # fmt: skip
"""Programs that only reshape another command's output when they follow a pipe without a file operand."""


_WITH_VALUE = frozenset({
    "-g", "--glob", "--iglob", "-t", "--type", "-T", "--type-not", "-m", "--max-count", "-A", "-B", "-C", "--context",
    "--after-context", "--before-context", "--max-depth", "-j", "--threads", "--sort", "-r", "--replace", "--include",
    "--exclude", "--exclude-dir", "--color", "-f", "--file", "-M", "-d", "-I", "-L", "-P", "--ignore-glob", "--level",
    "-e", "--regexp",
})  # fmt: skip
"""Options of programs without a grammar that take the next word as their value."""


def parse_command(argv: Sequence[str]) -> tuple[ParsedCommand, ...]:
    """One summary for each command of ``argv``: the commands of a plain script, or ``argv`` itself.

    Commands that only reshape output (``| wc -l``) and ``cd`` are left out if other commands remain.
    """
    script = read_command(words(argv, "the command"))
    commands = [command.plain_argv for command in script.commands if command.plain_argv]
    if script.status != "plain" or len(commands) != len(script.commands):
        return (ParsedCommand(kind="unknown", cmd=script.text),)
    summaries: list[ParsedCommand] = []
    for command in commands:
        if len(commands) > 1 and (command[0] == "cd" or (summaries and _only_filters(command))):
            continue
        summary = _summary(command)
        if not summaries or summaries[-1] != summary:
            summaries.append(summary)
    return tuple(summaries) or (ParsedCommand(kind="unknown", cmd=script.text),)


def _only_filters(command: tuple[str, ...]) -> bool:
    program = command[0]
    if program == "sed":
        return len(command) == 3 and command[1] == "-n"
    if program not in _FILTERS:
        return False
    return program not in ("head", "tail", "nl", "sort", "uniq", "wc", "cut") or not _operands(command)


def _summary(command: tuple[str, ...]) -> ParsedCommand:
    program = command[0].rsplit("/", 1)[-1]
    line = join(command)
    operands = _operands(command)
    if program in _READERS and len(operands) == 1:
        return _read(line, operands[0])
    if program == "sed" and command[1:2] == ("-n",) and len(operands) == 2:
        return _read(line, operands[1])
    if program == "git" and operands[:1] in (["grep"], ["ls-files"]):
        program, operands = operands[0], operands[1:]
    if program in _LISTERS or (program == "rg" and "--files" in command) or (program in _FINDERS and not operands):
        return ParsedCommand(kind="list_files", cmd=line, path=operands[0] if operands else None)
    if program in _SEARCHERS or program in _FINDERS:
        query, path = [*operands, None, None][:2]
        return ParsedCommand(kind="search", cmd=line, query=query, path=path)
    if program == "find":
        return _find(line, command)
    return ParsedCommand(kind="unknown", cmd=line)


def _read(line: str, path: str) -> ParsedCommand:
    return ParsedCommand(kind="read", cmd=line, name=path.rstrip("/").rsplit("/", 1)[-1], path=path)


def _find(line: str, command: tuple[str, ...]) -> ParsedCommand:
    path = command[1] if len(command) > 1 and not command[1].startswith(("-", "(", "!")) else None
    for name in ("-name", "-iname", "-path", "-ipath", "-regex", "-wholename"):
        if name in command[:-1]:
            query = command[command.index(name) + 1]
            return ParsedCommand(kind="search", cmd=line, query=query, path=path)
    return ParsedCommand(kind="list_files", cmd=line, path=path)


def _operands(command: tuple[str, ...]) -> list[str]:
    """The operands, a pattern that is given as an option (``-e``) first."""
    grammar, texts = grammar_of(command[0].rsplit("/", 1)[-1]), command[1:]
    reading = loose_reading(texts) if grammar is None else next(command_readings(grammar, texts), loose_reading(texts))
    operands: list[object] = []
    last = ""
    for one in reading.given:
        if one.is_option and one.name in ("-e", "--regexp"):
            operands.insert(0, one.value)
        elif not one.is_option and not (one.may_be_value and last in _WITH_VALUE):
            operands.append(one.name)
        last = str(one.name) if one.is_option else ""
    return [text for text in operands if isinstance(text, str)]
