"""Summaries of commands for display: reads, lists, searches. Decisions do not use them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from execpolicy.core.quoting import join
from execpolicy.judge.reading import read_command
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
_LISTERS = frozenset({"ls", "tree", "eza", "exa", "du"})
_SEARCHERS = frozenset({"rg", "grep", "egrep", "fgrep", "ag", "ack", "pt"})
_FILTERS = frozenset({
    "wc", "tr", "cut", "sort", "uniq", "tee", "column", "awk", "yes", "printf", "head", "tail", "nl",
})  # fmt: skip
"""Programs that only reshape another command's output when they follow a pipe without a file operand."""

_WITH_VALUE: dict[str, frozenset[str]] = {
    "head": frozenset({"-n", "-c", "--lines", "--bytes"}),
    "tail": frozenset({"-n", "-c", "--lines", "--bytes"}),
    "nl": frozenset({"-b", "-s", "-w", "-v", "-i"}),
    "ls": frozenset({"-I", "-w", "-T", "--block-size", "--time-style", "--color", "--quoting-style"}),
    "tree": frozenset({"-L", "-P", "-I", "-o", "--charset", "--filelimit", "--sort"}),
    "eza": frozenset({"-I", "--ignore-glob", "-L", "--level", "--sort", "--color", "--time-style"}),
    "exa": frozenset({"-I", "--ignore-glob", "-L", "--level", "--sort", "--color", "--time-style"}),
    "du": frozenset({"-d", "--max-depth", "-t", "-B", "--exclude"}),
    "bat": frozenset({"-l", "-r", "--theme", "--style", "--line-range", "--language", "--terminal-width"}),
}
_SEARCH_WITH_VALUE = frozenset({
    "-g", "--glob", "--iglob", "-t", "--type", "-T", "--type-not", "-m", "--max-count", "-A", "-B", "-C", "--context",
    "--after-context", "--before-context", "--max-depth", "-j", "--threads", "--sort", "-r", "--replace", "--include",
    "--exclude", "--exclude-dir", "--color", "-f", "--file", "-M",
})  # fmt: skip


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
    if program in _LISTERS or (program == "rg" and "--files" in command):
        return ParsedCommand(kind="list_files", cmd=line, path=operands[0] if operands else None)
    if program in _SEARCHERS:
        return _search(line, _search_operands(command[1:]))
    if program == "git" and command[1:2] == ("grep",):
        return _search(line, _search_operands(command[2:]))
    if program == "git" and command[1:2] == ("ls-files",):
        return ParsedCommand(kind="list_files", cmd=line, path=operands[1] if len(operands) > 1 else None)
    if program in ("fd", "fdfind"):
        return _search(line, operands) if operands else ParsedCommand(kind="list_files", cmd=line)
    if program == "find":
        return _find(line, command)
    return ParsedCommand(kind="unknown", cmd=line)


def _read(line: str, path: str) -> ParsedCommand:
    return ParsedCommand(kind="read", cmd=line, name=path.rstrip("/").rsplit("/", 1)[-1], path=path)


def _search(line: str, operands: list[str]) -> ParsedCommand:
    query, path = [*operands, None, None][:2]
    return ParsedCommand(kind="search", cmd=line, query=query, path=path)


def _find(line: str, command: tuple[str, ...]) -> ParsedCommand:
    path = command[1] if len(command) > 1 and not command[1].startswith(("-", "(", "!")) else None
    for name in ("-name", "-iname", "-path", "-ipath", "-regex", "-wholename"):
        if name in command[:-1]:
            query = command[command.index(name) + 1]
            return ParsedCommand(kind="search", cmd=line, query=query, path=path)
    return ParsedCommand(kind="list_files", cmd=line, path=path)


def _operands(command: tuple[str, ...]) -> list[str]:
    return _without_options(command[1:], _WITH_VALUE.get(command[0].rsplit("/", 1)[-1], frozenset()))


def _search_operands(arguments: tuple[str, ...]) -> list[str]:
    """The pattern first, including one given with ``-e``; then the other operands."""
    for flag in ("-e", "--regexp"):
        if flag in arguments[:-1]:
            at = arguments.index(flag)
            rest = arguments[:at] + arguments[at + 2 :]
            return [arguments[at + 1], *_without_options(rest, _SEARCH_WITH_VALUE)]
    return _without_options(arguments, _SEARCH_WITH_VALUE)


def _without_options(arguments: Sequence[str], with_value: frozenset[str]) -> list[str]:
    operands: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            operands.extend(words)
        elif word in with_value:
            next(words, None)
        elif not word.startswith("-") or word == "-":
            operands.append(word)
    return operands
