"""``permissions`` of Qwen Code.

Source: version 0.15.10 run. Deny goes before ask, ask before allow. A pattern without ``*`` covers what begins with its
words; `` *`` stands for nothing or for more words, also inside; ``:*`` is the same as `` *``; assignments in front of a
command do not count. The older ``tools.allowed`` and ``tools.exclude`` hold the same patterns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from execpolicy.exchange.covered import EVERYTHING, Covered, glob, prefix
from execpolicy.exchange.entry import Action, AgentSettings, Entry, ExportedSettings, Level
from execpolicy.exchange.exporting import KEEP_THE_HOOK, Exported, as_json, export_rules, permission_lists
from execpolicy.exchange.tool_entry import Keys, not_a_command, of_writing, read_lists, tool_and_what
from execpolicy.lang.statements import Statement
from execpolicy.source import Source

_SHELL = frozenset(("Bash", "Shell", "ShellTool", "run_shell_command"))
_WRITING = frozenset(
    ("Edit", "EditTool", "edit", "replace", "Write", "WriteFile", "WriteFileTool", "write_file"),
)
_LISTS: tuple[tuple[Keys, Action], ...] = (
    (("permissions", "deny"), "deny"),
    (("permissions", "ask"), "ask"),
    (("permissions", "allow"), "allow"),
    (("tools", "exclude"), "deny"),
    (("tools", "allowed"), "allow"),
)
_SETTINGS: dict[Keys, str] = {
    ("tools", "approvalMode"): "a mode of the agent",
    ("tools", "autoAccept"): "a mode of the agent",
    ("tools", "core"): "which tools there are, not which commands may run",
}


def read_qwen(sources: Sequence[Source]) -> AgentSettings:
    """The entries of settings files.

    Raises:
        RuleFileError: a file is no JSON, or no settings.
    """
    return AgentSettings(read_lists(sources, _LISTS, _entry, _SETTINGS))


def _entry(path: str, place: str, text: str, action: Action) -> Entry:
    tool, what = tool_and_what(text)
    if tool in _SHELL:
        covers = (EVERYTHING if not what else shell_coverage(what),)
        return Entry(path=path, place=place, text=text, action=action, covers=covers)
    if tool in _WRITING and action != "allow":
        return of_writing(path, place, text, action, what)
    return Entry(path=path, place=place, text=text, action=action, why=not_a_command(tool))


def shell_coverage(what: str) -> Covered:
    """What ``Bash(what)`` covers."""
    pattern = what.replace(":*", " *", 1)
    return glob(pattern) if "*" in pattern else prefix(pattern)


def write_qwen(statements: Iterable[Statement]) -> ExportedSettings:
    """The ``permissions`` of a settings file."""
    return export_rules(statements, _faith, lambda rules: as_json(permission_lists(rules, "Bash({} *)")))


def _faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "allow":
        return "laxer", "a redirection or a substitution behind it runs unasked"
    return "laxer", KEEP_THE_HOOK
