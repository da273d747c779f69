"""The effects of tools other than shells: files that they write, commands inside their arguments, skills."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from execpolicy.core.text import words_in
from execpolicy.permissions.tool_names import OWN_WRITERS
from execpolicy.resources import word_lists
from execpolicy.safe_open import read_named

_WORDS = word_lists("tool_words.txt")
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "env"))
_FURTHEST = 8
"""The maximum number of processes above this one that are examined: some shells that start the hook, then the agent."""


def person_is_there() -> bool:
    """True if the agent that runs this process reads from a terminal and has no option to run without a person.

    Known on Linux only; elsewhere the result is False, and calls that need a person are denied.
    """
    found = _agent_process()
    if found is None or not found[1].startswith(("/dev/pts/", "/dev/tty")):
        return False
    return _WORDS["alone"].isdisjoint(found[0][1:])


def runs_unasked(programs: tuple[str, ...]) -> bool | None:
    """True if the agent that runs this process was started so that it runs calls without a question.

    ``None`` if its command line cannot be read, or names none of its ``programs``.
    """
    found = _agent_process()
    if found is None or not any(name in word for name in programs for word in found[0][:2]):
        return None
    return not (_WORDS["alone"] | _WORDS["unasked"]).isdisjoint(found[0])


def _agent_process() -> tuple[list[str], str] | None:
    """The command line and the standard input of the nearest process above this one that is no shell."""
    process = os.getppid()
    for _ in range(_FURTHEST):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                argv = file.read().decode(errors="replace").split("\0")
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            terminal = os.readlink(f"/proc/{process}/fd/0")
        except (OSError, ValueError, IndexError):
            return None
        if argv[0].rpartition("/")[2].lstrip("-") not in _SHELLS:
            return argv, terminal
        process = parent
    return None


_LONGEST = 1 << 20
"""The maximum number of bytes read of a skill."""


def commands_of_skill(name: str, cwd: str | None, home: str | None) -> tuple[str, ...] | None:
    """The commands in every file that ``name`` may mean; ``None`` if there is no such file, or one cannot be read."""
    found: list[str] = []
    seen = False
    for path in _files_of(name, cwd, home):
        try:
            text = read_named(path, largest=_LONGEST).decode("utf-8", "replace")
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return None
        seen = True
        found += _commands_in(text)
    return tuple(found) if seen else None


def _files_of(name: str, cwd: str | None, home: str | None) -> Iterator[str]:
    plain = name.lstrip("/").rpartition(":")[2].split()
    if not plain or "/" in plain[0] or plain[0] in (".", ".."):
        return
    folders = []
    folder = cwd
    while folder:
        folders.append(folder)
        folder = os.path.dirname(folder) if folder != "/" else ""
    for base in [*folders, *([home] if home else [])]:
        yield f"{base}/.claude/skills/{plain[0]}/SKILL.md"
        yield f"{base}/.claude/commands/{plain[0]}.md"


def _commands_in(text: str) -> Iterator[str]:
    at = text.find("!`")
    while at >= 0:
        end = text.find("`", at + 2)
        if end < 0:
            return
        yield text[at + 2 : end]
        at = text.find("!`", end + 1)
    for block in text.split("```!")[1:]:
        yield block.partition("```")[0]


Shell: TypeAlias = str | tuple[str, ...]
"""A script, or an argv."""

_PATCHES = ("patch", "patchText", "diff", "input", "command")
_PATCH_HEADS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_DIFF_HEADS = ("+++ ", "--- ", "rename from ", "rename to ", "copy to ")
_DEEPEST = 64
"""The maximum depth of JSON inside JSON that is examined."""


class OtherTool:
    """A call of such a tool.

    Attributes:
        edits: it receives the text of files, and this text contains no call.
        is_foreign: no known agent has a tool of this name.
    """

    __slots__ = ("_arguments", "_words", "edits", "is_foreign")

    def __init__(self, tool: str, words: frozenset[str], arguments: Mapping[str, Any]) -> None:
        self._words = words
        self._arguments = arguments
        self.edits = bool(words & _WORDS["editing"])
        self.is_foreign = tool not in OWN_WRITERS

    def writes(self) -> tuple[str, ...]:
        """The files that it would write, or may write unless its name shows that it only reads."""
        if self._words & _WORDS["reading"] and not self._words & _WORDS["writing"]:
            return ()
        if self._arguments.get("command") in ("view", "read"):
            return ()
        return tuple(self._written())

    def without_editing(self, commands: list[Shell]) -> list[Shell]:
        """``commands`` without the arguments of an editing tool: one of its own words, or a patch."""
        return [each for each in commands if not self.edits or not _is_for_an_editor(each)]

    def inner_commands(self, arguments: Mapping[str, Any], is_command: Callable[[str], bool]) -> list[Shell]:
        """The commands of calls in ``arguments``, as objects or as JSON text.

        Args:
            is_command: returns True if an argument of that name holds a command.
        """
        found: list[Shell] = []
        waiting: list[tuple[object, int]] = [(value, 0) for value in arguments.values()]
        while waiting:
            value, depth = waiting.pop()
            if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and depth < _DEEPEST:
                value = json_in(value)
            if isinstance(value, list):
                waiting += [(each, depth + 1) for each in value]
            elif isinstance(value, dict):
                for name, each in value.items():
                    waiting.append((each, depth + 1))
                    if is_command(name):
                        found += _scripts(each)
        return found

    def _written(self) -> Iterator[str]:
        for name in _PATCHES if self.edits else ():
            if isinstance(self._arguments.get(name), str):
                yield from _patched(self._arguments[name])
        for name, value in self._arguments.items():
            if isinstance(value, str):
                if _is_path(name) and not (name == "new_source" and "notebook" in self._words):  # a cell's text
                    yield value
            elif isinstance(value, list) and (_is_path(name) or name == "edits"):
                for each in value:
                    if isinstance(each, str):
                        yield each
                    elif isinstance(each, dict):
                        yield from [path for key, path in each.items() if isinstance(path, str) and _is_path(key)]


def _is_path(name: str) -> bool:
    words = words_in(name)
    return bool(words) and words[-1] in _WORDS["paths"]


def _scripts(value: object) -> list[Shell]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return [tuple(value), *value]  # an argv, or several scripts
    return []


def json_in(text: str) -> object:
    """The value of ``text`` if it is JSON; ``None`` if it is not."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_for_an_editor(command: Shell) -> bool:
    return isinstance(command, str) and (command in _WORDS["editor"] or command.startswith("*** Begin Patch\n"))


def _patched(patch: str) -> Iterator[str]:
    """The files that a patch names, in Codex's form or as a unified diff."""
    for line in patch.splitlines():
        bare = line.strip()  # Codex ignores leading blanks
        head = next((head for head in _PATCH_HEADS if bare.startswith(head)), None)
        if head is not None:
            yield bare[len(head) :].strip()
            continue
        head = next((head for head in _DIFF_HEADS if line.startswith(head)), None)
        path = line[len(head) :].partition("\t")[0].strip() if head is not None else "/dev/null"
        if path != "/dev/null":
            yield path[2:] if path[:2] in ("a/", "b/") and head in ("+++ ", "--- ") else path
