"""Recognizes, adds and removes our entries in an agent's settings file."""

from __future__ import annotations

import re
import secrets
from typing import Any

from execpolicy.gate.settings_edit import Keys, SettingsEdit, value_at
from execpolicy.hooks.agents import Agent

DELEGATION = "amp.permissions"
"""The key of the list of permissions in the settings of an agent that delegates permissions."""
_OURS = re.compile(r"hook_start\.py|\bexecpolicy(?:-hook\b|['\"]?\s+hook\s)")

_NAME = re.compile(r"execpolicy-[0-9a-f]{16}")


def is_ours(value: Any) -> bool:
    """True if an entry starts ``execpolicy hook``, whether a person or this program wrote it."""
    if isinstance(value, str):
        return _OURS.search(value) is not None
    if isinstance(value, dict):
        return any(map(is_ours, value.values()))
    return isinstance(value, list) and any(map(is_ours, value))


def is_only_ours(value: Any) -> bool:
    """True if all hooks of an entry are ours."""
    hooks = value.get("hooks") if isinstance(value, dict) else None
    return is_ours(value) and (not isinstance(hooks, list) or all(map(is_ours, hooks)))


def hook_names(text: str) -> list[str]:
    """The names of our hooks in settings of an agent that switches hooks off by name.

    The names must not be predictable: a project that knows the name of a hook can switch it off, even a hook of the
    machine.
    """
    return _NAME.findall(text)


def put_entries(edit: SettingsEdit, agent: Agent, command: str, *, patience: int, switch: bool) -> None:
    """Adds ``command`` as the hook for every call, with a timeout of ``patience`` seconds.

    If ``switch`` is true, hooks are switched on too.

    Raises:
        BrokenSettingsError: the value at the place of the hooks has another type.
    """
    place = agent.place
    if place.version and "version" not in edit.value:
        edit.put(("version",), 1)
    if switch and place.switch:
        edit.put(tuple(place.switch.split(".")), place.on)
    names = hook_names(edit.text)
    for keys, wanted in _wanted(agent, command, patience, names[0] if names else f"execpolicy-{secrets.token_hex(8)}"):
        there = edit.list_at(keys)
        if [each for each in there if is_ours(each)] == wanted and (place.form != "delegate" or is_ours(there[0])):
            continue
        _take_out(edit, keys)
        for each in reversed(wanted) if place.form == "delegate" else wanted:
            edit.add(keys, each, first=place.form == "delegate")  # the first matching permission decides


def take_entries(edit: SettingsEdit, agent: Agent, before: SettingsEdit | None) -> None:
    """Removes our hooks, and restores the surrounding settings from ``before``."""
    place = agent.place
    had = before.value if before is not None else {}
    for keys in _lists(agent):
        if _take_out(edit, keys):
            for outer in (keys, keys[:-1]):
                if outer and not value_at(edit.value, outer) and value_at(had, outer) is None:
                    edit.drop(outer)
    if before is None:
        return
    if place.version and "version" not in had:
        edit.drop(("version",))
    keys = tuple(place.switch.split(".")) if place.switch else ()
    if not keys or value_at(edit.value, keys) != place.on:
        return
    if value_at(had, keys) is not None:
        edit.put(keys, value_at(had, keys))
        return
    edit.drop(keys)
    if len(keys) > 1 and not value_at(edit.value, keys[:-1]) and value_at(had, keys[:-1]) is None:
        edit.drop(keys[:-1])


def _take_out(edit: SettingsEdit, keys: Keys) -> bool:
    for at, each in enumerate(edit.list_at(keys)):
        if isinstance(each, dict) and is_ours(each) and not is_only_ours(each):
            edit.remove((*keys, at, "hooks"), is_ours)
    return edit.remove(keys, is_ours)


def _lists(agent: Agent) -> list[Keys]:
    place = agent.place
    return [(DELEGATION,)] if place.form == "delegate" else [("hooks", event) for event in place.events]


def _wanted(agent: Agent, command: str, patience: int, name: str) -> list[tuple[Keys, list[dict[str, Any]]]]:
    """The key path of each list, with our entries in it."""
    place = agent.place
    if place.form == "delegate":
        entries = [{"tool": tool, "action": "delegate", "to": command} for tool in agent.tools]
        return [((DELEGATION,), entries)]
    entry: dict[str, Any] = dict(place.extra)
    if place.form == "groups":
        entry["type"] = "command"
    if place.unnamed:
        entry["name"] = name
    entry[place.key] = command
    if place.timeout:
        entry[place.timeout] = patience * (1000 if place.milliseconds else 1)
    matcher = {} if place.matcher is None else {"matcher": place.matcher}
    value = {**matcher, "hooks": [entry]} if place.form == "groups" else {**matcher, **entry}
    return [(keys, [value]) for keys in _lists(agent)]
