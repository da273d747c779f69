"""Shell requests: which tools they are, and what they would run.

Source: ``args.command`` (an argv or a script), ``args.argv`` or ``args.script``, by tool name. Whatever else stands in
``args`` may change what runs; what is not known to be harmless keeps a rule from granting the call.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from execpolicy.permissions.tool_names import SHELL_NAMES
from execpolicy.programs.names import names_system_program
from execpolicy.shell.script import SHELLS
from execpolicy.shell.variables import harmless_assignment
from execpolicy.shell.words import Word
from execpolicy.source import Span

SHELL_TOOLS = SHELL_NAMES
"""Names of tools that run commands, unless a session names others."""

COMMAND_FIELDS = ("command", "argv", "script")
FOLDER_FIELDS = ("cwd", "workdir", "working_directory")
_HARMLESS = frozenset(
    {"description", "justification", "timeout", "timeout_ms", "title", "login", "max_output_tokens", "yield_time_ms"}
)


class NotAShellCall(ValueError):
    """The arguments do not say what would run; the message says why."""


@dataclass(frozen=True, slots=True)
class ShellCall:
    """What a shell request would run.

    Attributes:
        command: a script, or an argv.
        shell: who reads the script.
        cwd: absolute.
        doubts: why no rule may grant it although ``command`` is known; each a line.
    """

    command: str | tuple[str, ...]
    shell: str
    cwd: str
    doubts: tuple[str, ...] = ()


def shell_call(args: Mapping[str, Any], *, cwd: str) -> ShellCall:
    """The call that ``args`` ask for.

    Args:
        cwd: the folder that the child works in.

    Raises:
        NotAShellCall: there is no command, or more than one, or something has the wrong form.
    """
    given = [name for name in COMMAND_FIELDS if args.get(name) is not None]
    if len(given) != 1:
        raise NotAShellCall(f"exactly one of `{'`, `'.join(COMMAND_FIELDS)}` is needed, not {len(given)}")
    command = _command(given[0], args[given[0]])
    doubts: list[str] = []
    folder = cwd
    folders = [name for name in FOLDER_FIELDS if args.get(name) is not None]
    if len({str(args[name]) for name in folders}) > 1:
        raise NotAShellCall(f"`{folders[0]}` and `{folders[1]}` name different folders")
    if folders:
        named = args[folders[0]]
        if not isinstance(named, str) or not named or "\0" in named:
            raise NotAShellCall(f"`{folders[0]}` is not a folder")
        folder = os.path.normpath(os.path.join(cwd, named))
        if named.startswith("~"):
            doubts.append("what `~` stands for is the tool's choice")
    shell = args.get("shell") or "bash"
    name = os.path.basename(shell) if isinstance(shell, str) else ""
    if name not in SHELLS:
        doubts.append("the shell is not one that can be read")
        name = "bash"
    elif not names_system_program(shell):
        doubts.append(f"`{shell}` is not in a system folder: it may be any program")
    doubts += _environment(args.get("env"))
    known = {*COMMAND_FIELDS, *FOLDER_FIELDS, "shell", "env"}
    doubts += [
        f"the argument `{name}` is not understood"
        for name, value in args.items()
        if name not in known and (name not in _HARMLESS or isinstance(value, Mapping | list))
    ]
    return ShellCall(command, name, folder, tuple(doubts))


def _command(name: str, given: Any) -> str | tuple[str, ...]:
    if isinstance(given, str) and name != "argv":
        return given
    if isinstance(given, list) and name != "script" and given and all(isinstance(word, str) for word in given):
        return tuple(given)
    raise NotAShellCall(f"`{name}` is not a {'script' if name == 'script' else 'command'}")


def _environment(env: Any) -> list[str]:
    if env is None:
        return []
    if not isinstance(env, Mapping) or not all(isinstance(value, str) for value in env.values()):
        raise NotAShellCall("`env` is not an object of text")
    return [
        f"the variable `{name}` may change what runs"
        for name, value in env.items()
        if not harmless_assignment(name, Word(value, Span(0, len(value))), exported=True, shell="bash")
    ]
