"""``chat.tools.terminal.autoApprove`` of VS Code.

Source: the description of the setting in VS Code 1.106. A key is compared with the beginning of each command of a
script, up to the end of a word; ``/REGEX/FLAGS`` is searched. ``true`` approves, ``false`` asks, ``null`` does nothing.
``{"approve": …, "matchCommandLine": true}`` is compared with the whole script. A command runs unasked if no entry asks,
and each command or the whole script is approved.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from execpolicy.exchange.command_regex import glob, of_slashed
from execpolicy.exchange.exporting import KEEP_THE_HOOK, Exported, as_json, export_rules
from execpolicy.exchange.tool_entry import Action, AgentSettings, Entry, Level, of_kind, parse_object
from execpolicy.source import Source

SETTING = "chat.tools.terminal.autoApprove"


def read_vscode(sources: Sequence[Source]) -> AgentSettings:
    """The entries of settings files of VS Code."""
    entries: list[Entry] = []
    for source in sources:
        rules = parse_object(source).get(SETTING) or {}
        of_kind(source, rules, dict, SETTING)
        for pattern, value in rules.items():
            place = f"{SETTING}.{pattern}"
            approves = value
            if isinstance(value, dict):
                of_kind(source, value.get("approve"), bool, f"{place}.approve")
                approves = value["approve"]
            if approves is None:
                continue
            of_kind(source, approves, bool, place)
            covers = of_slashed(pattern) or (glob(pattern + "*"),)
            action: Action = "allow" if approves else "ask"
            entries.append(Entry(path=source.name, place=SETTING, text=pattern, action=action, covers=covers))
    return AgentSettings(tuple(entries), "strictest")


def _faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "allow":
        return "laxer", "VS Code does not say what it makes of a redirection behind an approved command"
    return "laxer", KEEP_THE_HOOK  # and asks where the rule forbids


def _put(rules: Sequence[Exported]) -> str:
    return as_json({SETTING: {_pattern(rule): rule.action == "allow" for rule in rules}})


def _pattern(rule: Exported) -> str:
    text = re.escape(rule.text).replace("\\ ", " ").replace("\\-", "-")
    return f"/^{text}( |$)/"


write_vscode = partial(export_rules, say=_faith, put=_put)
