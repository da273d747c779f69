"""Recognizes, adds and removes our entries in an agent's settings file."""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from execpolicy.gate.settings_edit import Keys, SettingsEdit, value_at
from execpolicy.hooks.agents import Agent
from execpolicy.hooks.answer_forms import INBOX_WAIT_S

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


AGENT_PATIENCE = 30
"""Seconds that the agent waits for its hook if the hook does not ask a person."""
_START = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli", "hook_start.py")
_FAILED = "execpolicy failed, so this call is refused: run execpolicy doctor"
_WHOLE = 'case $o in "{"*"}") printf "%s\\n" "$o";; *) false;; esac'
_OR_REFUSE = f'o=$("$0" "$@") && {_WHOLE} || {{ echo "{_FAILED}" >&2; exit 2; }}'


@dataclass(frozen=True, slots=True, kw_only=True)
class HookProgram:
    """``execpolicy hook`` for one agent, started so that it depends on neither environment nor working directory.

    Attributes:
        agent: the agent that starts it.
        pinned: variables with the folders of rules and settings, as they were at installation; without ``HOME`` the
            user's entry in the account database applies.
        options: the options of ``execpolicy hook``.
    """

    agent: Agent
    pinned: Mapping[str, str]
    options: tuple[str, ...] = ()

    @property
    def patience(self) -> int:
        """Seconds that the agent waits for its hook.

        After that it runs the command, so the hook must end before.
        """
        return AGENT_PATIENCE + (int(INBOX_WAIT_S) if "inbox" in self.options else 0)

    @property
    def argv(self) -> list[str]:
        """The argv that is started; every path is absolute."""
        pins = [f"{name}={value}" for name, value in self.pinned.items()]
        return [sys.executable, "-I", "-S", _START, *pins, self.agent.name, *self.options]

    @property
    def shell(self) -> str:
        """A command for any shell that the agent uses: one word of it is a script for ``/bin/sh``.

        It rejects the call with status 2 and a message if the program is missing, crashes, prints nothing, or its
        output is lost.
        """
        return shlex.join(["/bin/sh", "-c", _OR_REFUSE, *self.argv])

    @property
    def script(self) -> str:
        """An executable file that is the hook, for agents that take no command line.

        One of these agents reads the exit status: a status that is not ours rejects the call, or asks a person. The
        other reads only the output.
        """
        line = f'o=$("$@") && {_WHOLE}'
        if self.agent.place.form == "script":
            line += " || echo " + shlex.quote(json.dumps({"cancel": True, "errorMessage": _FAILED}))
        start = shlex.join(["set", "--", *self.argv])
        return f"#!/bin/sh\n# written by `execpolicy install {self.agent.name}`\n{start}\n{line}\n"
