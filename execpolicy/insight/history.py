"""Histories of commands: the distinct commands, and how often each was given.

In every form, equal lines are counted before they are parsed and equal commands before they are decided, because agents
repeat commands often. A line that cannot be read is counted and reported, and reading continues.

Known shapes: ``{"script" | "command" | "argv": …, "shell"?: …}``; Claude Code (``tool_use`` of ``Bash`` in an
assistant's message); Codex rollouts (``function_call`` of a shell tool with its arguments as JSON text, and
``local_shell_call``); hooks (``{"tool_name": "Bash", "tool_input": {"command": …}}``); the
log of ``execpolicy hook``. Any other object holds none.

Also reads the entries of shells' history files: bash (with or without times), zsh (plain or extended), fish, or one a
line.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO, TypeAlias

from execpolicy.errors import UsageError
from execpolicy.fd_io import buffered
from execpolicy.insight.batch import read_parquet
from execpolicy.insight.checkpoint import Checkpoint
from execpolicy.insight.tally import History, Recorded
from execpolicy.judge.verdict import Verdict
from execpolicy.programs.names import base_name
from execpolicy.safe_open import files_below, open_named, out_of_reach

_AGENTS = (("/.claude/", "claude"), ("/.codex/", "codex"), ("/.gemini/", "gemini"), ("/.qwen/", "qwen"))
_DAY = 10
_HINTS = ("command", "cmd", "argv", "script")


@dataclass(slots=True)
class Timeline:
    """Counts of commands.

    Attributes:
        days: ``YYYY-MM-DD`` to decision to commands.
        agents: the same by agent.
        programs: prompts by the program that caused them.
    """

    days: dict[str, Counter[str]] = field(default_factory=dict)
    agents: dict[str, Counter[str]] = field(default_factory=dict)
    programs: Counter[str] = field(default_factory=Counter)


def timeline(paths: Iterable[str], judge: Callable[[Recorded], Verdict]) -> Timeline:
    """The timeline of the transcripts in ``paths``; every distinct command is judged once.

    Raises:
        OSError: a file cannot be read.
    """
    found = Timeline()
    known: dict[Recorded, tuple[str, tuple[str, ...]]] = {}
    for path in paths:
        agent = next((name for folder, name in _AGENTS if folder in path), "other")
        for day, command in _dated(path):
            if command not in known:
                known[command] = _reduced(judge(command))
            decision, programs = known[command]
            found.days.setdefault(day, Counter())[decision] += 1
            found.agents.setdefault(agent, Counter())[decision] += 1
            found.programs.update(programs)
    return found


def _dated(path: str) -> Iterator[tuple[str, Recorded]]:
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if not any(hint in line for hint in _HINTS):
                continue
            try:
                record = json.loads(line)
                day = str(record.get("timestamp") or record.get("ts") or "")[:_DAY] if isinstance(record, dict) else ""
                if len(day) == _DAY and day[4] == "-":
                    yield from [(day, command) for command, _ in commands_in(record)]
            except (ValueError, RecursionError):
                continue  # `read_history` reports unreadable records


def _reduced(verdict: Verdict) -> tuple[str, tuple[str, ...]]:
    asked = [one for one in verdict.commands if one.decision.word == "prompt" and one.argv]
    return verdict.decision.word, tuple(dict.fromkeys([base_name(one.argv[0]) for one in asked]))


_BASH_TIME = re.compile(rb"#\d{9,}\s*$")
_ZSH_TIME = re.compile(rb": \d+:\d+;")
_FISH = b"- cmd: "
_JSON_OBJECT = re.compile(rb"\s*\{\s*[\"}]")
_ENCODED = re.compile(rb"\x83(.)", re.DOTALL)
"""A byte as zsh encodes some: a marker, then the byte with bit 5 flipped."""


def form_of(name: str, first: bytes) -> str:
    """``jsonl``, ``bash``, ``zsh``, ``fish`` or ``text``, by the file's name and its first line that is not empty."""
    if name.endswith((".jsonl", ".ndjson")) or _JSON_OBJECT.match(first):
        return "jsonl"
    if name.endswith("zsh_history"):
        return "zsh"
    if first.startswith(_FISH):
        return "fish"
    if _ZSH_TIME.match(first):
        return "zsh"
    return "bash" if _BASH_TIME.match(first) else "text"


def entries(kind: str, lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Each entry with the 1-based number of its first line. ``lines`` have their newlines."""
    if kind == "bash":
        return _bash(lines)
    if kind == "zsh":
        return _zsh(lines)
    if kind == "fish":
        return _fish(lines)
    return ((number, line.strip()) for number, line in enumerate(lines, 1) if line.strip())


def _bash(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Splits bash history at the lines with a time, as bash does; before the first time, each line is an entry."""
    start, collected = 0, b""
    for number, line in enumerate(lines, 1):
        if _BASH_TIME.match(line):
            if collected.strip():
                yield start, collected.strip()
            start, collected = number + 1, b""
        elif start:
            collected += line
        elif line.strip():
            yield number, line.strip()
    if collected.strip():
        yield start, collected.strip()


def _zsh(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Splits zsh history; a backslash at the end of a line is a newline inside the entry."""
    start, collected = 0, b""
    for number, line in enumerate(lines, 1):
        if not collected:
            start = number
        bare = line[:-1] if line.endswith(b"\n") else line
        if bare.endswith(b"\\") and line.endswith(b"\n"):
            collected += bare[:-1] + b"\n"
            continue
        entry, collected = _zsh_entry(collected + bare), b""
        if entry:
            yield start, entry
    entry = _zsh_entry(collected)
    if entry:
        yield start, entry


def _zsh_entry(raw: bytes) -> bytes:
    timed = _ZSH_TIME.match(raw)
    text = (raw[timed.end() :] if timed else raw).strip()
    return _ENCODED.sub(lambda found: bytes([found[1][0] ^ 32]), text)


def _fish(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Splits fish history: ``- cmd: …`` with ``\\n`` and ``\\\\`` escaped; indented lines below describe the entry."""
    for number, line in enumerate(lines, 1):
        if line.startswith(_FISH):
            text = re.sub(rb"\\(.)", lambda found: b"\n" if found[1] == b"n" else found[1], line[len(_FISH) :].strip())
            if text:
                yield number, text


Found: TypeAlias = tuple["Recorded", str | None]
"""A command, and the name of its call if the record has one: copies of a session repeat it."""

_SHELL_TOOLS = frozenset(["shell", "shell_command", "container.exec", "exec_command", "local_shell", "unified_exec"])
_BASH_TOOLS = frozenset(["Bash", "bash", "run_shell_command", "shell", "Shell"])
_OWN = ("argv", "script", "command")


def commands_in(record: object) -> Iterator[Found]:
    """The commands of one record, in order.

    Raises:
        ValueError: it is a record of a known form, but not a well-formed one; the message says why.
    """
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    payload = record.get("payload")
    if isinstance(payload, dict) and isinstance(record.get("type"), str):
        if record["type"] == "response_item":
            yield from _codex(payload)
        return
    kind = record.get("type")
    if kind in ("function_call", "local_shell_call"):
        yield from _codex(record)
    elif isinstance(record.get("message"), dict):
        yield from _claude(record["message"])
    elif isinstance(record.get("tool_input"), dict):
        if record.get("tool_name") in _BASH_TOOLS:
            yield _named(_own(record["tool_input"], ("command",)), record.get("tool_use_id"))
    elif record.get("event") == "hook" and isinstance(record.get("commands"), list):
        yield from [(_own({"command": each}, ("command",)), None) for each in record["commands"]]
    elif any(name in record for name in _OWN):
        yield _own(record, _OWN), None
    elif not isinstance(kind, str):
        raise ValueError("no `script`, `command` or `argv` in it")


def _claude(message: dict[str, Any]) -> Iterator[Found]:
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_use" and part.get("name") in _BASH_TOOLS:
            given = part.get("input")
            if not isinstance(given, dict):
                raise ValueError("a `tool_use` without `input`")
            if "command" in given:  # without one it only restarts the shell
                yield _named(_own(given, ("command",)), part.get("id"))


def _codex(item: dict[str, Any]) -> Iterator[Found]:
    if item.get("type") == "local_shell_call":
        action = item.get("action")
        if isinstance(action, dict):
            yield _named(_own(action, ("command",)), item.get("call_id"))
        return
    if item.get("type") != "function_call" or item.get("name") not in _SHELL_TOOLS:
        return
    arguments = item.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            raise ValueError("`arguments` are not JSON") from None
    if not isinstance(arguments, dict):
        raise ValueError("`arguments` are not an object")
    yield _named(_own(arguments, ("command", "cmd")), item.get("call_id"))


def _named(command: Recorded, name: object) -> Found:
    return command, name if isinstance(name, str) else None


def _own(record: dict[str, Any], names: tuple[str, ...]) -> Recorded:
    present = [name for name in names if record.get(name) is not None]
    if not present:
        raise ValueError(f"no `{'`, `'.join(names)}` in it")
    if len(present) > 1:
        raise ValueError(f"both `{present[0]}` and `{present[1]}`: give one of them")
    name, value = present[0], record[present[0]]
    if isinstance(value, str) and name != "argv":
        return _in_shell(value, record.get("shell"))
    if isinstance(value, list) and value and name != "script" and all(isinstance(word, str) for word in value):
        return tuple(value)
    raise ValueError(f"`{name}` must be {'text' if name == 'script' else 'a list of strings, at least one'}")


def _in_shell(script: str, shell: object) -> Recorded:
    """A script for the shell that the record names, if it names another than bash."""
    if shell is None or not isinstance(shell, str) or shell.rsplit("/", 1)[-1] in ("", "bash"):
        return script
    return (shell, "-c", script)


FORMS = ("auto", "jsonl", "text", "bash", "zsh", "fish", "parquet")
SUFFIXES = (".jsonl", ".ndjson", ".parquet")
"""Suffixes of the files that are read from a folder."""

_FIRST, _MOST = 1 << 20, 1 << 25
"""Bytes of lines that are counted at once: few at first, so that deciding can begin."""
_LONGEST = 64 << 20
"""The maximum bytes of a line on standard input, which may be endless."""
_MOST_REMEMBERED = 1 << 17
_LONG = 4096
"""Bytes; a longer line of a transcript is mostly output."""
_BYTE_HINTS = (b'"command"', b'"commands"', b'"cmd"', b'"argv"', b'"script"', b"\\u")
_NOT_UTF_8 = "it is not UTF-8"
_PARQUET = b"PAR1"


def history_files(targets: Sequence[str]) -> list[str]:
    """The files that ``targets`` name; a folder means every ``*.jsonl``, ``*.ndjson``, ``*.parquet`` below it.

    Raises:
        UsageError: a target does not exist, or a folder holds none.
    """
    found: list[str] = []
    for target in targets:
        if os.path.isdir(target):
            try:
                below = sorted(files_below(target, SUFFIXES))
            except OSError as error:
                raise UsageError(f"cannot look into `{error.filename}`: {error.strerror}") from None
            if not below:
                raise UsageError(f"`{target}` holds no history (*.jsonl, *.ndjson, *.parquet)")
            found += below
        elif target == "-" or os.path.exists(target):
            found.append(target)
        elif reason := out_of_reach(target):
            raise UsageError(f"cannot look at `{target}`: {reason}")
        else:
            raise UsageError(f"no such file or folder: {target}")
    return list(dict.fromkeys(found))


def read_history(
    paths: Sequence[str],
    *,
    form: str = "auto",
    column: str | None = None,
    progress: Callable[[int], None] | None = None,
    met: Callable[[Iterable[Recorded]], None] | None = None,
    checkpoint: Checkpoint | None = None,
) -> History:
    """The commands in ``paths`` (``-``: standard input), each file by its form.

    Args:
        form: one of :data:`FORMS`; ``auto`` looks at the first bytes.
        column: of Parquet files; ``command``, ``script`` or ``argv`` if not given.
        progress: called with the number of bytes read since the last call.
        met: called with the distinct commands new in a file, while reading continues.
        checkpoint: stores the counts; files that it already holds are not read.

    Raises:
        UsageError: a file cannot be opened, or Parquet cannot be read.
    """
    reader = _HistoryReader(form, column, progress, met)
    everything = History()
    for path in paths:
        try:
            if checkpoint is None:
                everything.add(reader.read(path))
            else:
                everything.add(checkpoint.history_of(path, reader.read, progress))
        except OSError as error:
            raise UsageError(f"cannot read `{path}`: {error.strerror or error}") from None
    return everything


def _begins(file: BinaryIO) -> bytes:
    start = file.read(len(_PARQUET))
    file.seek(0)
    return start


@dataclass(slots=True)
class _HistoryReader:
    """Reads files, each into a history. The result of each line is cached, so an equal line is not parsed again."""

    form: str
    column: str | None
    progress: Callable[[int], None] | None
    met: Callable[[Iterable[Recorded]], None] | None
    history: History = field(default_factory=History)
    _known: int = 0
    _parsed: dict[bytes, Recorded | None] = field(default_factory=dict)

    def read(self, path: str) -> History:
        """The commands in one file.

        Raises:
            OSError: it cannot be opened.
            UsageError: it is Parquet that cannot be read.
        """
        self.history = History()
        self._known = 0
        if path == "-":
            self._lines(buffered(sys.stdin, _LONGEST), "<stdin>")
            return self.history
        with open_named(path, pipes=True) as file:
            if self.form == "parquet" or (self.form == "auto" and _begins(file) == _PARQUET):
                read_parquet(path, self.column, self.history)
                self._told(os.path.getsize(path))
            else:
                self._lines(file, path)
        return self.history

    def _lines(self, file: BinaryIO, path: str) -> None:
        form = self.form
        first, ahead = _first_line(file)
        if form == "auto":
            form = form_of(path, first)
        chunks = _chunks(ahead, file)
        if form == "jsonl":
            self._each_line(chunks, path, self._json_line)
        elif form == "text":
            self._each_line(chunks, path, self._script)
        else:
            everything = (line for chunk in chunks for line in self._passed_on(chunk))
            for number, entry in entries(form, everything):
                try:
                    self._script(entry)
                except ValueError as error:
                    self.history.fail(path, number, str(error))

    def _told(self, size: int) -> None:
        """Reports ``size`` more bytes read, and the commands that were new in them."""
        if self.progress is not None:
            self.progress(size)
        counts = self.history.counts
        if self.met is not None and len(counts) > self._known:
            self.met(list(islice(reversed(counts), len(counts) - self._known)))
            self._known = len(counts)

    def _passed_on(self, chunk: list[bytes]) -> list[bytes]:
        self._told(sum(map(len, chunk)))
        return chunk

    def _each_line(self, chunks: Iterator[list[bytes]], path: str, count: Callable[[bytes, int], None]) -> None:
        """Calls ``count`` with every distinct line of a chunk and how often it occurs."""
        at = 1
        for chunk in chunks:
            for line, times in Counter(chunk).items():
                try:
                    count(line, times)
                except ValueError as error:
                    self.history.fail(path, at + chunk.index(line), str(error), times)
            at += len(chunk)
            self._told(sum(map(len, chunk)))

    def _script(self, raw: bytes, times: int = 1) -> None:
        """Counts a script; raises ``ValueError`` if it is not UTF-8."""
        try:
            script = raw.strip().decode()
        except UnicodeDecodeError:
            raise ValueError(_NOT_UTF_8) from None
        if script:
            self.history.counts[script] += times

    def _json_line(self, line: bytes, times: int) -> None:
        if line in self._parsed:
            self._count(self._parsed[line], times)
            return
        text = line.strip()
        if not text:
            return
        if (
            len(text) > _LONG
            and text[:1] == b"{"
            and text[-1:] == b"}"
            and not any(hint in text for hint in _BYTE_HINTS)
        ):
            self.history.other += times
            return
        found = list(commands_in(_parsed(text)))
        if any(name is not None for _, name in found):
            for command, name in found:
                if name is None:
                    self._count(command, times)
                else:  # the command is part of the name: some models only number their calls
                    self._count(command, int((name, command) not in self.history.calls))
                    self.history.calls[name, command] += times
            return
        said = found[0][0] if found else None
        if len(self._parsed) < _MOST_REMEMBERED and len(line) < _LONG:
            self._parsed[line] = said
        self._count(said, times)

    def _count(self, command: Recorded | None, times: int) -> None:
        if command is None:
            self.history.other += times
        elif times:
            self.history.counts[command] += times


def _parsed(text: bytes) -> object:
    try:
        return json.loads(text)
    except UnicodeDecodeError:
        raise ValueError(_NOT_UTF_8) from None
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None


def _first_line(file: BinaryIO) -> tuple[bytes, list[bytes]]:
    """The first line that is not empty, and every line read on the way."""
    ahead: list[bytes] = []
    for line in file:
        ahead.append(line)
        if line.strip():
            return line, ahead
    return b"", ahead


def _chunks(ahead: list[bytes], file: BinaryIO) -> Iterator[list[bytes]]:
    if ahead:
        yield ahead
    size = _FIRST
    while chunk := file.readlines(size):
        yield chunk
        size = _MOST
