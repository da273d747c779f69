"""Policy files and tool lists of the Gemini CLI, and rule files of Codex.

Gemini CLI. Source: https://geminicli.com/docs/reference/policy-engine/, and the policy engine of version 0.61.0 run.
The rule of the highest priority wins, files of the machine over those of the user over those of the project.
``commandPrefix`` ends at a blank, a quote or the end; ``commandRegex`` begins at the beginning. A chain is split, and
each part needs its own allow.

Rule files of Codex are in this package's language, so every rule is copied unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.exchange.command_regex import EVERYTHING, Covered, loose, of_regex, prefix
from execpolicy.exchange.exporting import Exported, export_rules, usual_faith
from execpolicy.exchange.tool_entry import (
    Action,
    AgentSettings,
    Entry,
    broken,
    listed,
    not_a_command,
    of_kind,
    parse_object,
    parse_toml,
    tool_and_what,
)
from execpolicy.lang.compile import compile_sources
from execpolicy.source import Source

_SETTINGS = {
    "approval_policy": "when Codex asks at all; `check --approval-policy` has the same words",
    "sandbox_mode": "what Codex's sandbox lets commands do, whatever the rules say",
    "sandbox_workspace_write": "what Codex's sandbox lets commands do, whatever the rules say",
}


def read_codex(sources: Sequence[Source]) -> AgentSettings:
    """The rules of all files of Codex, in order, and the settings of ``config.toml`` that affect commands."""
    compiled = compile_sources([source for source in sources if not source.name.endswith(".toml")])
    statements = []
    others: list[Entry] = []
    for statement in compiled.statements:
        if isinstance(statement, (PrefixRule, NetworkRule, HostExecutable)):
            statements.append(statement)
        else:
            text = f"`{getattr(statement, 'kind', 'write_rule')}`"
            why = "it is no rule of Codex but of execpolicy: copy it by hand"
            others.append(Entry(path=str(statement.place), place="", text=text, action=None, why=why))
    for source in sources:
        if source.name.endswith(".toml"):
            table = parse_toml(source)
            others += [
                Entry(path=source.name, place=key, text=f"`{key}`", action=None, why=why)
                for key, why in _SETTINGS.items()
                if key in table
            ]
    return AgentSettings(tuple(others), "strictest", tuple(statements))


_ACTIONS: dict[str, Action] = {"allow": "allow", "ask_user": "ask", "deny": "deny"}
_SHELL = ("run_shell_command", "ShellTool", "*")
_LIMITS = ("modes", "subagent", "interactive", "toolAnnotations")
_LISTS: tuple[tuple[tuple[str, ...], Action, float], ...] = (
    (("tools", "exclude"), "deny", 4.4),
    (("tools", "confirmationRequired"), "ask", 4.35),
    (("tools", "allowed"), "allow", 4.3),
    (("tools", "core"), "allow", 4.25),
)
"""The lists of the settings and their priorities."""


def read_gemini(sources: Sequence[Source]) -> AgentSettings:
    """The entries of policy files (``.toml``) and settings files of the Gemini CLI."""
    entries: list[Entry] = []
    for source in sources:
        if source.name.endswith(".toml"):
            entries += _policies(source)
        else:
            settings = parse_object(source)
            for keys, action, rank in _LISTS:
                for place, text in listed(source, settings, *keys):
                    entry = Entry(path=source.name, place=place, text=text, action=action, rank=rank)
                    entries.append(_with_scope(entry))
    return AgentSettings(tuple(entries), "rank-in-file")


def _policies(source: Source) -> list[Entry]:
    table = parse_toml(source)
    rules = table.get("rule", [])
    of_kind(source, rules, list, "rule")
    entries = []
    for at, rule in enumerate(rules):
        of_kind(source, rule, dict, f"rule[{at}]")
        entries.append(_entry(source, f"rule[{at}]", rule))
    why = "a checker of the agent's own"
    for at, _ in enumerate(table.get("safety_checker", [])):
        place = f"safety_checker[{at}]"
        entries.append(Entry(path=source.name, place=place, text="`safety_checker`", action=None, why=why))
    return entries


def _entry(source: Source, place: str, rule: dict[str, Any]) -> Entry:
    names, word, priority = rule.get("toolName"), rule.get("decision"), rule.get("priority", 0)
    of_kind(source, names, (str, list), f"{place}.toolName")
    of_kind(source, priority, (int, float), f"{place}.priority")
    if word not in _ACTIONS:
        raise broken(source, f"`{place}.decision` must be `allow`, `deny` or `ask_user`, not `{word}`")
    tools = [names] if isinstance(names, str) else [str(name) for name in names or []]
    message = rule.get("denyMessage", rule.get("deny_message"))
    text = " ".join([", ".join(tools), *_shown(rule)])
    entry = Entry(path=source.name, place=place, text=text, action=_ACTIONS[word])
    if "mcpName" in rule or not any(tool in _SHELL for tool in tools):
        return replace(entry, why=not_a_command("mcp" if "mcpName" in rule else tools[0] if tools else ""))
    return replace(
        entry,
        covers=_covers(source, place, rule),
        rank=float(priority or 0),
        reason=message if isinstance(message, str) and message.strip() else None,
        limited=" and ".join(f"with `{key}`" for key in _LIMITS if key in rule),
    )


def _covers(source: Source, place: str, rule: dict[str, Any]) -> tuple[Covered, ...]:
    prefixes = rule.get("commandPrefix")
    if prefixes:
        of_kind(source, prefixes, (str, list), f"{place}.commandPrefix")
        return tuple(_of_prefix(str(one)) for one in ([prefixes] if isinstance(prefixes, str) else prefixes))
    expression = rule.get("commandRegex")
    if expression:
        of_kind(source, expression, str, f"{place}.commandRegex")
        return _of_regex(str(expression))
    if "argsPattern" in rule:
        return (loose("", "`argsPattern` is a regular expression over all arguments of the tool"),)
    return (EVERYTHING,)


def _of_prefix(text: str) -> Covered:
    if text != text.strip():
        return loose(text.rstrip(), "it ends in a blank, behind which one more blank must follow")
    return prefix(text)


def _of_regex(expression: str) -> tuple[Covered, ...]:
    """The commands that ``commandRegex`` covers: it is matched in JSON, where ``$`` is never the end of the command."""
    if "$" in expression or '"' in expression or expression.startswith("^"):
        return (loose("", "it is a regular expression over JSON, where `^`, `$` and quotes mean something else"),)
    return of_regex(expression, anchored=True)


def _with_scope(entry: Entry) -> Entry:
    tool, what = tool_and_what(entry.text)
    if tool not in _SHELL:
        return replace(entry, why=not_a_command(tool))
    return replace(entry, covers=(_of_prefix(what) if what else EVERYTHING,))


def _shown(rule: dict[str, Any]) -> list[str]:
    keys = ("commandPrefix", "commandRegex", "argsPattern", "mcpName")
    return [f"{key}={rule[key] if isinstance(rule[key], str) else list(rule[key])}" for key in keys if key in rule]


def _put(rules: Sequence[Exported]) -> str:
    words = {"allow": ("allow", 100), "ask": ("ask_user", 200), "deny": ("deny", 300)}
    blocks = []
    for rule in rules:
        decision, priority = words[rule.action]
        lines = [
            "[[rule]]",
            'toolName = "run_shell_command"',
            f"commandPrefix = {json.dumps(rule.text)}",
            f'decision = "{decision}"',
            f"priority = {priority}",
        ]
        if rule.action == "deny" and rule.reason:
            lines.append(f"denyMessage = {json.dumps(rule.reason)}")
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


write_gemini = partial(export_rules, say=usual_faith, put=_put)
