"""``--allow-tool`` and ``--deny-tool`` of the Copilot CLI: in a script, an alias or any other text.

Source: ``copilot help permissions`` of version 1.0.102. Deny goes before allow. ``shell(x)`` names the program of a
command, of ``git`` and ``gh`` with the first sub-command; ``:*`` stands for nothing or for more words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from execpolicy.exchange.covered import EVERYTHING, Covered, loose, prefix
from execpolicy.exchange.entry import Action, AgentSettings, Entry, ExportedSettings, Level
from execpolicy.exchange.exporting import KEEP_THE_HOOK, Exported, export_rules
from execpolicy.exchange.tool_entry import not_a_command, tool_and_what
from execpolicy.lang.statements import Statement
from execpolicy.source import Source

_FLAG = re.compile(r"""--(allow|deny)-tool(?:=|\s+)(?:'([^']*)'|"([^"]*)"|(\S+))""")
_EVERYTHING = re.compile(r"--(?:allow-all-tools|allow-all|yolo)(?![\w-])")
_PARTS = re.compile(r",(?![^()]*\))")


def read_copilot(sources: Sequence[Source]) -> AgentSettings:
    """The entries of all options that stand in the texts."""
    entries: list[Entry] = []
    for source in sources:
        for found in _FLAG.finditer(source.text):
            action: Action = "allow" if found[1] == "allow" else "deny"
            line, _ = source.position(found.start())
            for part in _PARTS.split(found[2] or found[3] or found[4] or ""):
                if part.strip():
                    entries.append(_entry(source.name, f"line {line}", part.strip(), action))
        for found in _EVERYTHING.finditer(source.text):
            line, _ = source.position(found.start())
            entries.append(
                Entry(path=source.name, place=f"line {line}", text=found[0], action="allow", covers=(EVERYTHING,))
            )
    return AgentSettings(tuple(entries))


def _entry(path: str, place: str, text: str, action: Action) -> Entry:
    tool, what = tool_and_what(text)
    if tool == "shell":
        covers = (EVERYTHING if not what else shell_stem(what, action),)
        return Entry(path=path, place=place, text=text, action=action, covers=covers)
    why = "it is about the file tools" if tool in ("write", "read") else not_a_command("mcp" if what else tool)
    return Entry(path=path, place=place, text=text, action=action, why=why)


def shell_stem(what: str, action: Action) -> Covered:
    """What ``shell(what)`` covers; where that is open, an allow is taken for less and a deny for more."""
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
    return export_rules(statements, _faith, _put)


def _faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "ask":
        return "impossible", "there is no list of what to ask about: what is not allowed is asked about"
    if len(rule.words) > (2 if rule.words[0] in ("git", "gh") else 1):
        return "impossible", "only the program is compared, and of `git` and `gh` the sub-command"
    if rule.action == "allow":
        return "laxer", "of 19 ways to run something else behind an allowed command one got through"
    return "laxer", KEEP_THE_HOOK


def _put(rules: Sequence[Exported]) -> str:
    return "".join(f"--{rule.action}-tool 'shell({rule.text}:*)'\n" for rule in rules)
