"""``permissions`` of the Cursor CLI, and the tool options of the Copilot CLI.

Cursor CLI. Source: https://cursor.com/docs/cli/reference/permissions (documentation only). Deny goes before allow.
``Shell(git)`` names the first word of a command; ``Shell(npm:run*)`` also its arguments, as a glob.

``--allow-tool`` and ``--deny-tool`` of the Copilot CLI: in a script, an alias or any other text. Source: ``copilot help
permissions`` of version 1.0.102. Deny goes before allow. ``shell(x)`` names the program of a command, for ``git`` and
``gh`` with the first subcommand; ``:*`` matches nothing or more words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from execpolicy.exchange.command_regex import EVERYTHING, Covered, glob, loose, prefix
from execpolicy.exchange.exporting import KEEP_THE_HOOK, Exported, as_json, export_rules
from execpolicy.exchange.tool_entry import (
    MODE,
    Action,
    AgentSettings,
    Entry,
    Keys,
    Level,
    not_a_command,
    of_writing,
    read_lists,
    tool_and_what,
)
from execpolicy.source import Source

_FLAG = re.compile(r"""--(allow|deny)-tool(?:=|\s+)(?:'([^']*)'|"([^"]*)"|(\S+))""")
_EVERYTHING = re.compile(r"--(?:allow-all-tools|allow-all|yolo)(?![\w-])")
_PARTS = re.compile(r",(?![^()]*\))")
_ONLY_NAMES = "only the program is compared, and of `git` and `gh` the sub-command"
_NO_ASKING = "it has no list of commands to ask about: it asks about every command that is not allowed"


def read_copilot(sources: Sequence[Source]) -> AgentSettings:
    """The entries of all options in the texts."""
    entries: list[Entry] = []
    for source in sources:
        for found in _FLAG.finditer(source.text):
            action: Action = "allow" if found[1] == "allow" else "deny"
            line, _ = source.position(found.start())
            for part in _PARTS.split(found[2] or found[3] or found[4] or ""):
                if part.strip():
                    entry = Entry(path=source.name, place=f"line {line}", text=part.strip(), action=action)
                    entries.append(_with_copilot_scope(entry))
        for found in _EVERYTHING.finditer(source.text):
            line, _ = source.position(found.start())
            entries.append(
                Entry(path=source.name, place=f"line {line}", text=found[0], action="allow", covers=(EVERYTHING,))
            )
    return AgentSettings(tuple(entries))


def _with_copilot_scope(entry: Entry) -> Entry:
    tool, what = tool_and_what(entry.text)
    if tool == "shell":
        return replace(entry, covers=(_copilot_coverage(what, entry.action) if what else EVERYTHING,))
    why = "it is about the file tools" if tool in ("write", "read") else not_a_command("mcp" if what else tool)
    return replace(entry, why=why)


def _copilot_coverage(what: str, action: Action | None) -> Covered:
    """The commands that ``shell(what)`` covers; in doubt an allow covers fewer and a deny more."""
    stem = what.removesuffix(":*")
    words = stem.split(" ")
    if any(char in stem for char in "*?"):
        return loose("", "wildcards inside are not documented")
    if action == "deny":
        return prefix(stem)
    grouped = words[0] in ("git", "gh")
    if len(words) == 1 and grouped and stem == what:
        return loose(stem, "of `git` and `gh` the sub-command is compared as well, so it covers less than all of them")
    return loose(stem, _ONLY_NAMES) if len(words) > (2 if grouped else 1) else prefix(stem)


def _copilot_faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "ask":
        return "impossible", _NO_ASKING
    if len(rule.words) > (2 if rule.words[0] in ("git", "gh") else 1):
        return "impossible", _ONLY_NAMES
    if rule.action == "allow":
        return "laxer", "of 19 ways to run something else behind an allowed command one got through"
    return "laxer", KEEP_THE_HOOK


def _copilot_put(rules: Sequence[Exported]) -> str:
    return "".join(f"--{rule.action}-tool 'shell({rule.text}:*)'\n" for rule in rules)


_LISTS: tuple[tuple[Keys, Action], ...] = ((("permissions", "deny"), "deny"), (("permissions", "allow"), "allow"))
_SETTINGS: dict[Keys, str] = {("approvalMode",): MODE}
_WILDCARDS = "*?[{"


def read_cursor(sources: Sequence[Source]) -> AgentSettings:
    """The entries of configuration files of the Cursor CLI."""
    return read_lists(sources, _LISTS, _with_scope, _SETTINGS)


def _with_scope(entry: Entry, tool: str, what: str | None) -> Entry:
    if tool == "Shell":
        return replace(entry, covers=(EVERYTHING if what is None else _coverage(what, entry.action),))
    if tool == "Write" and entry.action == "deny" and what is not None:
        return of_writing(entry, what)
    return replace(entry, why=not_a_command(tool))


def _coverage(what: str, action: Action | None) -> Covered:
    """The commands that ``Shell(what)`` covers; in doubt an allow covers fewer and a deny more."""
    program, colon, arguments = what.partition(":")
    if not what.strip("*:"):
        return EVERYTHING
    text = f"{program} {arguments}" if colon else program
    if action == "deny" and not any(char in text for char in _WILDCARDS):
        return prefix(text.rstrip())
    if not colon:
        if " " in program:
            return loose(program.split(" ")[0], "only the first word of a command is compared, and this has more")
        return glob(program, wildcards=_WILDCARDS) if any(char in program for char in _WILDCARDS) else prefix(program)
    if any(char in program for char in (*_WILDCARDS, " ")):
        return loose("", "it has a wildcard in the name of the program")
    if arguments in ("*", "**"):
        return prefix(program)
    found = glob(text, wildcards=_WILDCARDS)
    if found.kind == "loose" and action == "allow":
        return loose(found.text, found.why)  # its `*` matches no slash
    if found.kind in ("exact", "loose"):
        return found
    return loose(f"{program} ", "arguments are compared with a glob over all of them")


def _faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "ask":
        return "impossible", _NO_ASKING
    if rule.action == "deny":
        return "laxer", KEEP_THE_HOOK
    if "/" in rule.words[0] or ":" in rule.words[0]:
        return "impossible", "the name of the program has a character that the pattern reads otherwise"
    return "laxer", "it is not documented what Cursor makes of a script behind an allowed command"


def _put(rules: Sequence[Exported]) -> str:
    lists: dict[str, list[str]] = {"allow": [], "deny": []}
    for rule in rules:
        program, *arguments = rule.words
        text = " ".join(arguments)
        lists[rule.action] += (
            [f"Shell({program}:{text})", f"Shell({program}:{text} *)"] if text else [f"Shell({program})"]
        )
    return as_json({"version": 1, "permissions": lists})


write_cursor = partial(export_rules, say=_faith, put=_put)
write_copilot = partial(export_rules, say=_copilot_faith, put=_copilot_put)
