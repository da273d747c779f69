"""``amp.permissions`` of Amp.

Source: https://ampcode.com/manual, and ``amp permissions test`` of version 0.0.1790142911. The first entry that matches
wins. ``*`` matches any text and `` *`` at the end needs at least a blank after the words; ``/…/`` is a regular
expression; of several patterns one must match. The whole text is compared, so an allow also lets chains run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from execpolicy.exchange.command_regex import EVERYTHING, Covered, glob, loose, of_regex, prefix
from execpolicy.exchange.exporting import KEEP_THE_HOOK, Exported, as_json, export_rules
from execpolicy.exchange.tool_entry import (
    Action,
    AgentSettings,
    Entry,
    Level,
    broken,
    listed,
    not_a_command,
    of_kind,
    parse_object,
)
from execpolicy.source import Source

_ACTIONS: dict[str, Action] = {"allow": "allow", "ask": "ask", "reject": "deny", "delegate": "ask"}
_NO_GRAMMAR = r"( [^;&|<>()$`\\\n]*)?$"
"""The rest of a command that consists only of more words."""
_SHELLS = ("Bash", "shell_command", "async_shell_command")


def read_amp(sources: Sequence[Source]) -> AgentSettings:
    """The entries of settings files of Amp."""
    entries: list[Entry] = []
    for source in sources:
        settings = parse_object(source)
        rules = settings.get("amp.permissions") or []
        of_kind(source, rules, list, "amp.permissions")
        for at, rule in enumerate(rules):
            of_kind(source, rule, dict, f"amp.permissions[{at}]")
            entries.append(_entry(source, at, rule))
        allows = [
            (place, text, prefix(text) if "*" not in text else glob(text, trailing="required"))
            for place, text in listed(source, settings, "amp.commands.allowlist")
        ]
        if settings.get("amp.dangerouslyAllowAll") is True:
            allows.append(("amp.dangerouslyAllowAll", "amp.dangerouslyAllowAll", EVERYTHING))
        for place, text, covered in allows:
            entry = Entry(path=source.name, place=place, text=f"`{text}`", action="allow", covers=(covered,))
            entries.append(replace(entry, rank=-1e9))
    return AgentSettings(tuple(entries), "rank-in-file")


def _entry(source: Source, at: int, rule: dict[str, Any]) -> Entry:
    place = f"amp.permissions[{at}]"
    tool, word, matches = rule.get("tool"), rule.get("action"), rule.get("matches")
    of_kind(source, tool, str, f"{place}.tool")
    if word not in _ACTIONS:
        raise broken(source, f"`{place}.action` must be `allow`, `ask`, `reject` or `delegate`, not `{word}`")
    if matches is not None:
        of_kind(source, matches, dict, f"{place}.matches")
    entry = Entry(path=source.name, place=place, text=f"{tool}{_shown(matches)}", action=_ACTIONS[word])
    if not any(fnmatchcase(shell, str(tool)) for shell in _SHELLS):
        return replace(entry, why=not_a_command(str(tool)))
    limits = [f"where `{key}` is `{rule[key]}`" for key in ("context", "thread") if key in rule]
    limits += [f"where `{key}` matches" for key in matches or {} if key not in ("cmd", "command")]
    reason = rule.get("message") if isinstance(rule.get("message"), str) else None
    return replace(entry, covers=_covers(matches), rank=-at, reason=reason, limited=" and ".join(limits))


def _covers(matches: dict[str, Any] | None) -> tuple[Covered, ...]:
    patterns: list[object] = []
    for key in ("cmd", "command"):
        value = (matches or {}).get(key, [])
        patterns += value if isinstance(value, list) else [value]
    if not patterns:
        return (EVERYTHING,)
    return tuple(one for pattern in patterns for one in _coverage(pattern))


def _coverage(pattern: object) -> tuple[Covered, ...]:
    """The commands that one pattern for ``cmd`` covers."""
    if not isinstance(pattern, str):
        return (loose("", "the pattern is no text"),)
    if len(pattern) > 2 and pattern.startswith("/") and pattern.rindex("/") > 0:
        body, flags = pattern[1 : pattern.rindex("/")], pattern[pattern.rindex("/") + 1 :]
        if not flags:
            return of_regex(body)
        if flags.isalpha():
            return (loose("", "it is a regular expression with flags"),)
    return (glob(pattern, trailing="required"),)


def _shown(matches: dict[str, Any] | None) -> str:
    found = ""
    for key, value in (matches or {}).items():
        found += f" {key}={list(map(str, value)) if isinstance(value, list) else value}"
    return found


def _faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "allow":
        why = "Amp compares the whole text, so only commands without characters of the shell's grammar match"
        return "stricter", why
    return "laxer", KEEP_THE_HOOK


def _put(rules: Sequence[Exported]) -> str:
    """The entries, the strictest first, because the first entry wins."""
    words = {"deny": "reject", "ask": "ask", "allow": "allow"}
    entries = [
        {"tool": "Bash", "matches": {"cmd": _patterns(rule)}, "action": words[rule.action]}
        for rule in sorted(rules, key=lambda rule: list(words).index(rule.action))
    ]
    return as_json({"amp.permissions": entries})


def _patterns(rule: Exported) -> str | list[str]:
    if rule.action == "allow":
        return f"/^{re.escape(rule.text).replace('/', r'[/]')}{_NO_GRAMMAR}/".replace("\\ ", " ").replace("\\-", "-")
    return [rule.text, f"{rule.text} *"]


write_amp = partial(export_rules, say=_faith, put=_put)
