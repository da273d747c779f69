"""The commands in one object of a JSON lines file: our own form, agents' transcripts, what hooks are sent.

Known shapes: ``{"script" | "command" | "argv": …, "shell"?: …}``; Claude Code (``tool_use`` of ``Bash`` in an
assistant's message); Codex rollouts (``function_call`` of a shell tool with its arguments as JSON text, and
``local_shell_call``); hooks (``{"tool_name": "Bash", "tool_input": {"command": …}}``). Any other object holds none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

from execpolicy.insight.decisions import Recorded

Found: TypeAlias = tuple["Recorded", str | None]
"""A command, and the name of the call that it was if the record has one: copies of a session repeat it."""

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
