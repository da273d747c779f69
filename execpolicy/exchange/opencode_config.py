"""``permission`` of opencode (and ``permissions`` of its version 2), and ``permissions`` of Crush.

opencode. Source: https://opencode.ai/docs/permissions. The last entry that matches wins; files are merged key by key,
those of the project over those of the user. ``*`` matches any text, ``?`` one character, and `` *`` at the end also
nothing.

Crush. Source: https://github.com/charmbracelet/crush (documentation only). It has entries for tools only, not for
commands: ``allowed_tools`` with ``bash`` lets every command run without a prompt, ``options.disabled_tools`` removes
the tool.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from execpolicy.exchange.command_regex import EVERYTHING, Covered, glob
from execpolicy.exchange.exporting import KEEP_THE_HOOK, Exported, as_json, export_rules
from execpolicy.exchange.settings_text import broken, of_kind, parse_object
from execpolicy.exchange.tool_entry import (
    Action,
    AgentSettings,
    Entry,
    ExportedSettings,
    Keys,
    Level,
    not_a_command,
    of_wildcards,
    read_lists,
)
from execpolicy.lang.statements import Statement
from execpolicy.source import Source

_LISTS: tuple[tuple[Keys, Action], ...] = (
    (("options", "disabled_tools"), "deny"),
    (("permissions", "allowed_tools"), "allow"),
)


def read_crush(sources: Sequence[Source]) -> AgentSettings:
    """The entries of configuration files.

    Raises:
        RuleFileError: a file is no JSON, or no such configuration.
    """
    return AgentSettings(read_lists(sources, _LISTS, _crush_config_entry, {}))


def _crush_config_entry(path: str, place: str, text: str, action: Action) -> Entry:
    if text.partition(":")[0] == "bash":
        return Entry(path=path, place=place, text=text, action=action, covers=(EVERYTHING,))
    return Entry(path=path, place=place, text=text, action=action, why=not_a_command(text))


def write_crush(statements: Iterable[Statement]) -> ExportedSettings:
    """An empty configuration file: the hook decides commands there."""
    return export_rules(statements, _crush_config_faith, lambda rules: as_json({"permissions": {"allowed_tools": []}}))


def _crush_config_faith(rule: Exported) -> tuple[Level, str]:
    return "impossible", "Crush's permissions know the tool `bash` as a whole: use the hook"


_ACTIONS: dict[str, Action] = {"allow": "allow", "ask": "ask", "deny": "deny"}
_SHELL = ("bash", "shell")


def read_opencode(sources: Sequence[Source]) -> AgentSettings:
    """The entries of configuration files, those of the user first.

    Raises:
        RuleFileError: a file is no JSON, or no such configuration.
    """
    merged: dict[tuple[str, str, str], tuple[Source, str, Action]] = {}
    others: list[Entry] = []
    for source in sources:
        settings = parse_object(source)
        for tool, pattern, place, word in _read(source, settings):
            if word not in _ACTIONS:
                raise broken(source, f"`{place}` must be `allow`, `ask` or `deny`, not `{word}`")
            listed = f"{source.name}: {place}" if place.startswith("permissions[") else ""
            merged[tool, pattern, listed] = (source, place, _ACTIONS[word])
        others += _of_single_agents(source, settings)
    entries = [
        _entry(source.name, place, tool, pattern, action, rank)
        for rank, ((tool, pattern, _), (source, place, action)) in enumerate(merged.items())
    ]
    return AgentSettings((*entries, *others), "rank")


def _of_single_agents(source: Source, settings: dict[str, Any]) -> list[Entry]:
    """Entries that no rule can express, because they apply to one agent or mode."""
    found = []
    for key in ("agent", "mode"):
        for name, value in (settings.get(key) or {}).items():
            if isinstance(value, dict) and ("permission" in value or "tools" in value):
                place = f"{key}.{name}"
                why = "it holds for one agent only, which no rule can say"
                found.append(Entry(path=source.name, place=place, text=f"`{place}`", action=None, why=why))
    return found


def _read(source: Source, settings: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """The tool, pattern, place and action of every entry, in order."""
    found: list[tuple[str, str, str, str]] = []
    permission = settings.get("permission")
    if isinstance(permission, str):
        found.append(("*", "*", "permission", permission))
    elif permission is not None:
        of_kind(source, permission, dict, "permission")
        for tool, value in permission.items():
            place = f"permission.{tool}"
            of_kind(source, value, (str, dict), place)
            for pattern, action in {"*": value}.items() if isinstance(value, str) else value.items():
                of_kind(source, action, str, f'{place}["{pattern}"]')
                found.append((tool, pattern, place if isinstance(value, str) else f'{place}["{pattern}"]', action))
    tools = settings.get("tools")
    if isinstance(tools, dict):  # the older form
        found += [(tool, "*", f"tools.{tool}", "deny") for tool, on in tools.items() if on is False]
    listed = settings.get("permissions")
    if listed is not None:
        of_kind(source, listed, list, "permissions")
        for at, rule in enumerate(listed):
            of_kind(source, rule, dict, f"permissions[{at}]")
            words = [rule.get(key) for key in ("action", "resource", "effect")]
            for word in words:
                of_kind(source, word, str, f"permissions[{at}]")
            found.append((words[0], words[1], f"permissions[{at}]", words[2]))
    return found


def _entry(path: str, place: str, tool: str, pattern: str, action: Action, rank: int) -> Entry:
    text = f'{tool} "{pattern}"'
    if tool in _SHELL or tool == "*":
        covers = (shell_pattern(pattern),)
        return Entry(path=path, place=place, text=text, action=action, covers=covers, rank=rank)
    if tool == "edit" and action != "allow":
        writes = of_wildcards(pattern)
        if writes:
            return Entry(path=path, place=place, text=text, action=action, writes=writes, rank=rank)
    return Entry(path=path, place=place, text=text, action=action, why=not_a_command(tool), rank=rank)


def shell_pattern(pattern: str) -> Covered:
    """The commands that a pattern for ``bash`` covers."""
    return glob(pattern.replace("\\", "/"), wildcards="*?")


def write_opencode(statements: Iterable[Statement]) -> ExportedSettings:
    """The ``permission`` of a configuration file: the last entry wins, so entries that prompt or forbid come last."""
    return export_rules(statements, _faith, _put)


def _faith(rule: Exported) -> tuple[Level, str]:
    return "laxer", "a redirection behind it writes any file unasked" if rule.action == "allow" else KEEP_THE_HOOK


def _put(rules: Sequence[Exported]) -> str:
    ordered = sorted(rules, key=lambda rule: list(_ACTIONS).index(rule.action))
    return as_json({"permission": {"bash": {f"{rule.text} *": rule.action for rule in ordered}}})
