"""``permissions`` of the Cursor CLI, and the tool options of the Copilot CLI.

Cursor CLI. Source: https://cursor.com/docs/cli/reference/permissions (documentation only). Deny goes before allow.
``Shell(git)`` names the first word of a command; ``Shell(npm:run*)`` also its arguments, as a glob.

``--allow-tool`` and ``--deny-tool`` of the Copilot CLI: in a script, an alias or any other text. Source: ``copilot help
permissions`` of version 1.0.102. Deny goes before allow. ``shell(x)`` names the program of a command, for ``git`` and
``gh`` with the first subcommand; ``:*`` matches nothing or more words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from execpolicy.exchange.command_regex import EVERYTHING, Covered, glob, loose, prefix
from execpolicy.exchange.exporting import KEEP_THE_HOOK, Exported, as_json, export_rules
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

_FLAG = re.compile(r"""--(allow|deny)-tool(?:=|\s+)(?:'([^']*)'|"([^"]*)"|(\S+))""")
_EVERYTHING = re.compile(r"--(?:allow-all-tools|allow-all|yolo)(?![\w-])")
_PARTS = re.compile(r",(?![^()]*\))")


def read_copilot(sources: Sequence[Source]) -> AgentSettings:
    """The entries of all options in the texts."""
    entries: list[Entry] = []
    for source in sources:
        for found in _FLAG.finditer(source.text):
            action: Action = "allow" if found[1] == "allow" else "deny"
            line, _ = source.position(found.start())
            for part in _PARTS.split(found[2] or found[3] or found[4] or ""):
                if part.strip():
                    entries.append(_copilot_flags_entry(source.name, f"line {line}", part.strip(), action))
        for found in _EVERYTHING.finditer(source.text):
            line, _ = source.position(found.start())
            entries.append(
                Entry(path=source.name, place=f"line {line}", text=found[0], action="allow", covers=(EVERYTHING,))
            )
    return AgentSettings(tuple(entries))


def _copilot_flags_entry(path: str, place: str, text: str, action: Action) -> Entry:
    tool, what = tool_and_what(text)
    if tool == "shell":
        covers = (EVERYTHING if not what else shell_stem(what, action),)
        return Entry(path=path, place=place, text=text, action=action, covers=covers)
    why = "it is about the file tools" if tool in ("write", "read") else not_a_command("mcp" if what else tool)
    return Entry(path=path, place=place, text=text, action=action, why=why)


def shell_stem(what: str, action: Action) -> Covered:
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
    if len(words) > (2 if grouped else 1):
        return loose(stem, "only the program is compared, and of `git` and `gh` the sub-command")
    return prefix(stem)


def write_copilot(statements: Iterable[Statement]) -> ExportedSettings:
    """The options, one a line."""
    return export_rules(statements, _copilot_flags_faith, _copilot_flags_put)


def _copilot_flags_faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "ask":
        return "impossible", "it has no list of commands to ask about: it asks about every command that is not allowed"
    if len(rule.words) > (2 if rule.words[0] in ("git", "gh") else 1):
        return "impossible", "only the program is compared, and of `git` and `gh` the sub-command"
    if rule.action == "allow":
        return "laxer", "of 19 ways to run something else behind an allowed command one got through"
    return "laxer", KEEP_THE_HOOK


def _copilot_flags_put(rules: Sequence[Exported]) -> str:
    return "".join(f"--{rule.action}-tool 'shell({rule.text}:*)'\n" for rule in rules)


_LISTS: tuple[tuple[Keys, Action], ...] = ((("permissions", "deny"), "deny"), (("permissions", "allow"), "allow"))
_SETTINGS: dict[Keys, str] = {("approvalMode",): "a mode of the agent"}
_WILDCARDS = "*?[{"


def read_cursor(sources: Sequence[Source]) -> AgentSettings:
    """The entries of configuration files.

    Raises:
        RuleFileError: a file is no JSON, or no such configuration.
    """
    return AgentSettings(read_lists(sources, _LISTS, _entry, _SETTINGS))


def _entry(path: str, place: str, text: str, action: Action) -> Entry:
    tool, what = tool_and_what(text)
    if tool == "Shell":
        covers = (EVERYTHING if what is None else shell_words(what, action),)
        return Entry(path=path, place=place, text=text, action=action, covers=covers)
    if tool == "Write" and action == "deny" and what is not None:
        return of_writing(path, place, text, action, what)
    return Entry(path=path, place=place, text=text, action=action, why=not_a_command(tool))


def shell_words(what: str, action: Action) -> Covered:
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
    if found.kind in ("exact", "loose"):
        return found
    return loose(f"{program} ", "arguments are compared with a glob over all of them")


def write_cursor(statements: Iterable[Statement]) -> ExportedSettings:
    """The ``permissions`` of a configuration file."""
    return export_rules(statements, _faith, _put)


def _faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "ask":
        return "impossible", "it has no list of commands to ask about: it asks about every command that is not allowed"
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
