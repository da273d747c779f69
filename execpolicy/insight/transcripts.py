"""The commands in one object of a JSON lines file: this package's form, agents' transcripts, the input of hooks.

Known shapes: ``{"script" | "command" | "argv": …, "shell"?: …}``; Claude Code (``tool_use`` of ``Bash`` in an
assistant's message); Codex rollouts (``function_call`` of a shell tool with its arguments as JSON text, and
``local_shell_call``); hooks (``{"tool_name": "Bash", "tool_input": {"command": …}}``). Any other object holds none.

Also reads the entries of shells' history files: bash (with or without times), zsh (plain or extended), fish, or one a
line.

:func:`timeline` counts decisions by day and agent, and prompts by program. It reads transcripts with a ``timestamp`` in
each record. The counts of :mod:`execpolicy.insight.history` have no time, so that equal commands are decided once.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from execpolicy.insight.tally import Recorded
from execpolicy.judge.verdict import Verdict
from execpolicy.programs.names import base_name

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
