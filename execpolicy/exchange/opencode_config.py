"""``permission`` of opencode (and ``permissions`` of its version 2), and ``permissions`` of Crush.

opencode. Source: https://opencode.ai/docs/permissions. The last entry that matches wins; files are merged key by key,
those of the project over those of the user. ``*`` matches any text, ``?`` one character, and `` *`` at the end also
nothing.

Crush. Source: https://github.com/charmbracelet/crush (documentation only). It has entries for tools only, not for
commands: ``allowed_tools`` with ``bash`` lets every command run without a prompt, ``options.disabled_tools`` removes
the tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from execpolicy.exchange.command_regex import EVERYTHING, glob
from execpolicy.exchange.exporting import KEEP_THE_HOOK, Exported, as_json, export_rules
from execpolicy.exchange.tool_entry import (
    Action,
    AgentSettings,
    Entry,
    Keys,
    Level,
    broken,
    not_a_command,
    of_kind,
    of_wildcards,
    parse_object,
    read_lists,
)
from execpolicy.source import Source

_LISTS: tuple[tuple[Keys, Action], ...] = (
    (("options", "disabled_tools"), "deny"),
    (("permissions", "allowed_tools"), "allow"),
)


def read_crush(sources: Sequence[Source]) -> AgentSettings:
    """The entries of configuration files of Crush."""
    return read_lists(sources, _LISTS, _with_crush_scope, {})


def _with_crush_scope(entry: Entry, tool: str, what: str | None) -> Entry:
    if entry.text.partition(":")[0] == "bash":
        return replace(entry, covers=(EVERYTHING,))
    return replace(entry, why=not_a_command(entry.text))


def _crush_faith(rule: Exported) -> tuple[Level, str]:
    return "impossible", "Crush's permissions know the tool `bash` as a whole: use the hook"


def _crush_put(rules: Sequence[Exported]) -> str:
    return as_json({"permissions": {"allowed_tools": []}})  # the hook decides commands there


_ACTIONS: dict[str, Action] = {"allow": "allow", "ask": "ask", "deny": "deny"}
_SHELL = ("bash", "shell", "*")


def read_opencode(sources: Sequence[Source]) -> AgentSettings:
    """The entries of configuration files of opencode, those of the user first."""
    merged: dict[tuple[str, str, str], Entry] = {}
    others: list[Entry] = []
    for source in sources:
        settings = parse_object(source)
        for tool, pattern, place, word in _read(source, settings):
            if word not in _ACTIONS:
                raise broken(source, f"`{place}` must be `allow`, `ask` or `deny`, not `{word}`")
            listed = f"{source.name}: {place}" if place.startswith("permissions[") else ""
            entry = Entry(path=source.name, place=place, text=f'{tool} "{pattern}"', action=_ACTIONS[word])
            merged[tool, pattern, listed] = _with_scope(entry, tool, pattern)
        others += _of_single_agents(source, settings)
    entries = [replace(entry, rank=rank) for rank, entry in enumerate(merged.values())]
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


def _with_scope(entry: Entry, tool: str, pattern: str) -> Entry:
    if tool in _SHELL:
        return replace(entry, covers=(glob(pattern.replace("\\", "/"), wildcards="*?"),))
    writes = of_wildcards(pattern) if tool == "edit" and entry.action != "allow" else ()
    return replace(entry, writes=writes) if writes else replace(entry, why=not_a_command(tool))


def _faith(rule: Exported) -> tuple[Level, str]:
    return "laxer", "a redirection behind it writes any file unasked" if rule.action == "allow" else KEEP_THE_HOOK


def _put(rules: Sequence[Exported]) -> str:
    """The entries, the strictest last, because the last entry wins."""
    ordered = sorted(rules, key=lambda rule: list(_ACTIONS).index(rule.action))
    return as_json({"permission": {"bash": {f"{rule.text} *": rule.action for rule in ordered}}})


write_opencode = partial(export_rules, say=_faith, put=_put)
write_crush = partial(export_rules, say=_crush_faith, put=_crush_put)
