"""Hooks of others at the events of ours, wherever an agent looks for them: they may change a command afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from execpolicy.errors import ExecPolicyError
from execpolicy.gate.hook_entries import is_only_ours, is_ours
from execpolicy.gate.installing import SCOPES, Site
from execpolicy.gate.settings_value import settings_at, settings_in
from execpolicy.hooks.agents import Agent
from execpolicy.safe_open import read_named

_PROGRAMS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
_LISTS = ("plugin", "plugins", "extensions", "packages")
"""Where settings of agents whose hooks are programs name more of them."""


def other_hooks(site: Site, agent: Agent) -> list[str]:
    """The places of hooks that are not ours: files, each with the event or the list if it holds more than that."""
    return [found for path in _files(site, agent) for found in _in_file(agent, path)]


def _files(site: Site, agent: Agent) -> list[str]:
    place = agent.place
    paths = [site.settings_file(agent, scope) for scope in SCOPES if site.has_settings(agent, scope)]
    for pattern in (*place.switched_in, *[each.strip() for each in place.hooked_in.split(",") if each]):
        folder, star, rest = pattern.partition("*")
        folder, _, begun = folder.rpartition("/") if star else (pattern, "", "")
        path = site.file(agent, folder)
        paths += sorted(map(str, Path(path).glob(begun + star + rest))) if star else [path]
    files = {os.path.realpath(path): path for path in paths if os.path.isfile(path)}
    return list(files.values())


def _in_file(agent: Agent, path: str) -> Iterator[str]:
    place = agent.place
    if path.endswith(_PROGRAMS) or place.form == "script":
        try:
            if not is_ours(read_named(path).decode("utf-8", "replace")):
                yield path
        except (OSError, ExecPolicyError):
            yield path
        return
    value = settings_in(path)
    if place.form == "module":
        yield from [f"{path} ({name})" for name in _LISTS if value.get(name)]
    hooks = settings_at(value, "hooks")
    wanted = {event.lower() for event in place.events}
    for event, entries in hooks.items() if isinstance(hooks, dict) else ():
        if event.lower() in wanted and isinstance(entries, list) and not all(map(is_only_ours, entries)):
            yield f"{path} ({event})"
