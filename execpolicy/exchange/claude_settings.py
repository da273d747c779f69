"""``permissions`` of Claude Code and of Qwen Code.

Claude Code. Source: https://code.claude.com/docs/en/permissions, and version 2.1.197 run. Deny goes before ask, ask
before allow, over all files together. ``Bash(x)`` is exactly the command ``x``; ``:*`` and a single `` *`` at the end
match nothing or more words; any other ``*`` matches any text. A chain of commands is split, and each part needs its own
allow.

Qwen Code. Source: version 0.15.10 run. Deny goes before ask, ask before allow. A pattern without ``*`` covers commands
that begin with its words; `` *`` matches nothing or more words, also inside; ``:*`` is the same as `` *``; assignments
before a command do not count. The older ``tools.allowed`` and ``tools.exclude`` hold the same patterns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from execpolicy.exchange.command_regex import EVERYTHING, Covered, glob, loose, prefix
from execpolicy.exchange.exporting import KEEP_THE_HOOK, Exported, export_rules, permission_lists, usual_faith
from execpolicy.exchange.tool_entry import (
    MODE,
    Action,
    AgentSettings,
    Entry,
    Keys,
    Level,
    not_a_command,
    of_reading,
    of_writing,
    read_lists,
)
from execpolicy.source import Source

_LISTS: tuple[tuple[Keys, Action], ...] = (
    (("permissions", "deny"), "deny"),
    (("permissions", "ask"), "ask"),
    (("permissions", "allow"), "allow"),
)
_WRITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_OTHER_TOOLS = {
    **dict.fromkeys(
        _WRITING, "it is about the file tools; as a `write_rule` it would let commands write there as well"
    ),
    **dict.fromkeys(
        ("Read", "Grep", "Glob", "LS"), "it is about the file tools; commands that only read are allowed anyway"
    ),
    "PowerShell": "commands of PowerShell are always asked about",
}
_SETTINGS: dict[Keys, str] = {
    ("permissions", "defaultMode"): f"{MODE}; what no rule mentions asks here, unless it is proven safe",
    ("permissions", "additionalDirectories"): (
        "folders that the file tools may use; commands are not held to folders by rules"
    ),
    ("permissions", "disableBypassPermissionsMode"): MODE,
}

_QWEN_SHELL = ("Bash", "Shell", "ShellTool", "run_shell_command")
_QWEN_WRITING = ("Edit", "EditTool", "edit", "replace", "Write", "WriteFile", "WriteFileTool", "write_file")
_QWEN_READING = ("Read", "ReadFile", "ReadFileTool", "read_file")
_QWEN_LISTS: tuple[tuple[Keys, Action], ...] = (
    *_LISTS,
    (("tools", "exclude"), "deny"),
    (("tools", "allowed"), "allow"),
)
_QWEN_SETTINGS: dict[Keys, str] = {
    ("tools", "approvalMode"): MODE,
    ("tools", "autoAccept"): MODE,
    ("tools", "core"): "which tools there are, not which commands may run",
}


def read_claude(sources: Sequence[Source]) -> AgentSettings:
    """The entries of settings files of Claude Code."""
    return read_lists(sources, _LISTS, _with_scope, _SETTINGS)


def _with_scope(entry: Entry, tool: str, what: str | None) -> Entry:
    if tool in ("Bash", "*"):
        return replace(entry, covers=(EVERYTHING if what is None else _coverage(what),))
    if tool in _WRITING and entry.action != "allow":
        return of_writing(entry, what)
    if tool == "Read" and entry.action != "allow":
        return of_reading(entry, what)
    return replace(entry, why=_OTHER_TOOLS.get(tool) or not_a_command(tool))


def _coverage(what: str) -> Covered:
    if "\\" in what:
        return loose(what[: what.index("\\")], "it has a backslash, which quotes in the pattern or in the command")
    if what.endswith(":*"):
        command = what.removesuffix(":*")
        if "*" in command:
            return loose(command[: command.index("*")], "it has a wildcard in front of `:*`")
        return prefix(command) if command.strip() else EVERYTHING
    return glob(what)


def read_qwen(sources: Sequence[Source]) -> AgentSettings:
    """The entries of settings files of Qwen Code."""
    return read_lists(sources, _QWEN_LISTS, _with_qwen_scope, _QWEN_SETTINGS)


def _with_qwen_scope(entry: Entry, tool: str, what: str | None) -> Entry:
    if tool in _QWEN_SHELL:
        pattern = (what or "*").replace(":*", " *", 1)
        return replace(entry, covers=(glob(pattern) if "*" in pattern else prefix(pattern),))
    if tool in _QWEN_WRITING and entry.action != "allow":
        return of_writing(entry, what)
    if tool in _QWEN_READING and entry.action != "allow":
        return of_reading(entry, what)
    return replace(entry, why=not_a_command(tool))


def _qwen_faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "allow":
        return "laxer", "a redirection or a substitution behind it runs unasked"
    return "laxer", KEEP_THE_HOOK


write_claude = partial(export_rules, say=usual_faith, put=partial(permission_lists, form="Bash({}:*)"))
write_qwen = partial(export_rules, say=_qwen_faith, put=partial(permission_lists, form="Bash({} *)"))
