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

from collections.abc import Iterable, Sequence

from execpolicy.exchange.command_regex import EVERYTHING, Covered, glob, loose, prefix
from execpolicy.exchange.exporting import KEEP_THE_HOOK, Exported, as_json, export_rules, permission_lists, usual_faith
from execpolicy.exchange.tool_entry import (
    Action,
    AgentSettings,
    Entry,
    ExportedSettings,
    Keys,
    Level,
    not_a_command,
    of_writing,
    read_lists,
    tool_and_what,
)
from execpolicy.lang.statements import Statement
from execpolicy.source import Source

_SHELL = frozenset(("Bash", "Shell", "ShellTool", "run_shell_command"))
_QWEN_SETTINGS_WRITING = frozenset(
    ("Edit", "EditTool", "edit", "replace", "Write", "WriteFile", "WriteFileTool", "write_file")
)
_QWEN_LISTS: tuple[tuple[Keys, Action], ...] = (
    (("permissions", "deny"), "deny"),
    (("permissions", "ask"), "ask"),
    (("permissions", "allow"), "allow"),
    (("tools", "exclude"), "deny"),
    (("tools", "allowed"), "allow"),
)
_QWEN_SETTINGS: dict[Keys, str] = {
    ("tools", "approvalMode"): "a mode of the agent",
    ("tools", "autoAccept"): "a mode of the agent",
    ("tools", "core"): "which tools there are, not which commands may run",
}


def read_qwen(sources: Sequence[Source]) -> AgentSettings:
    """The entries of settings files.

    Raises:
        RuleFileError: a file is no JSON, or no settings.
    """
    return AgentSettings(read_lists(sources, _QWEN_LISTS, _qwen_entry, _QWEN_SETTINGS))


def _qwen_entry(path: str, place: str, text: str, action: Action) -> Entry:
    tool, what = tool_and_what(text)
    if tool in _SHELL:
        covers = (EVERYTHING if not what else shell_coverage(what),)
        return Entry(path=path, place=place, text=text, action=action, covers=covers)
    if tool in _QWEN_SETTINGS_WRITING and action != "allow":
        return of_writing(path, place, text, action, what)
    return Entry(path=path, place=place, text=text, action=action, why=not_a_command(tool))


def shell_coverage(what: str) -> Covered:
    """The commands that ``Bash(what)`` covers in Qwen Code."""
    pattern = what.replace(":*", " *", 1)
    return glob(pattern) if "*" in pattern else prefix(pattern)


def write_qwen(statements: Iterable[Statement]) -> ExportedSettings:
    """The ``permissions`` of a settings file."""
    return export_rules(statements, _faith, lambda rules: as_json(permission_lists(rules, "Bash({} *)")))


def _faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "allow":
        return "laxer", "a redirection or a substitution behind it runs unasked"
    return "laxer", KEEP_THE_HOOK


_LISTS: tuple[tuple[Keys, Action], ...] = (
    (("permissions", "deny"), "deny"),
    (("permissions", "ask"), "ask"),
    (("permissions", "allow"), "allow"),
)
_WRITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_SETTINGS: dict[Keys, str] = {
    ("permissions", "defaultMode"): (
        "a mode of the agent; what no rule mentions is asked about here, unless it is proven safe"
    ),
    ("permissions", "additionalDirectories"): (
        "folders that the file tools may use; commands are not held to folders by rules"
    ),
    ("permissions", "disableBypassPermissionsMode"): "a mode of the agent",
}


def read_claude(sources: Sequence[Source]) -> AgentSettings:
    """The entries of settings files.

    Raises:
        RuleFileError: a file is no JSON, or no settings.
    """
    return AgentSettings(read_lists(sources, _LISTS, _entry, _SETTINGS))


def _entry(path: str, place: str, text: str, action: Action) -> Entry:
    tool, what = tool_and_what(text)
    if tool in ("Bash", "*"):
        covers = (EVERYTHING if what is None else bash_coverage(what),)
        return Entry(path=path, place=place, text=text, action=action, covers=covers)
    if tool in _WRITING and action != "allow":
        return of_writing(path, place, text, action, what)
    if tool in _WRITING:
        why = "it is about the file tools; as a `write_rule` it would let commands write there as well"
    elif tool in ("Read", "Grep", "Glob", "LS"):
        why = "it is about the file tools; rules do not say which files a command reads"
    elif tool == "PowerShell":
        why = "commands of PowerShell are always asked about"
    else:
        why = not_a_command(tool)
    return Entry(path=path, place=place, text=text, action=action, why=why)


def bash_coverage(what: str) -> Covered:
    """The commands that ``Bash(what)`` covers in Claude Code."""
    if "\\" in what:
        return loose(what[: what.index("\\")], "it has a backslash, which quotes in the pattern or in the command")
    if what.endswith(":*"):
        command = what.removesuffix(":*")
        if "*" in command:
            return loose(command[: command.index("*")], "it has a wildcard in front of `:*`")
        return prefix(command) if command.strip() else EVERYTHING
    return glob(what)


def write_claude(statements: Iterable[Statement]) -> ExportedSettings:
    """The ``permissions`` of a settings file."""
    return export_rules(statements, usual_faith, lambda rules: as_json(permission_lists(rules, "Bash({}:*)")))
