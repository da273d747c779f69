"""Reads settings files, edits their text, and recognizes, adds and removes our entries in them.

Every byte outside the edited entries stays.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from execpolicy.errors import ExecPolicyError
from execpolicy.exchange.tool_entry import BrokenSettingsError, SettingsNode, blank_end, parse_settings
from execpolicy.hooks.agents import Agent
from execpolicy.hooks.answer_forms import INBOX_WAIT_S
from execpolicy.safe_open import read_named

Keys: TypeAlias = Sequence[str | int]
"""A path of member names and list positions, from the root."""


def settings_in(path: str) -> dict[str, Any]:
    """The settings in the file at ``path``; empty if it is unreadable, because its agent cannot read it either."""
    try:
        text = read_named(path).decode("utf-8")
        return tomllib.loads(text) if path.endswith(".toml") else SettingsEdit(path, text).value
    except (OSError, ValueError, ExecPolicyError):
        return {}


def value_at(value: Any, keys: Keys) -> Any:
    """The value at ``keys``; ``None`` if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


_INDENT = re.compile(r"\n([ \t]+)\S")
_REST_OF_LINE = re.compile(r"[ \t]*(?:/\*(?:(?!\*/)[^\n])*\*/[ \t]*)*(?://[^\r\n]*)?(?=\r?\n|$)")
_REST_BLANK = re.compile(r"[ \t]*(?=\r?\n)")


class SettingsEdit:
    """The text of a settings file during an edit. A key path leads from the root through objects.

    Raises:
        BrokenSettingsError: the text is not JSON, or its root is not an object.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        if not text.removeprefix("\ufeff").strip():
            self.text += "{}\n"
        if not isinstance(self._root().value, dict):
            raise self._broken(self._root(), "it holds no object")

    @property
    def value(self) -> dict[str, Any]:
        """The value of the text."""
        value: dict[str, Any] = self._root().value
        return value

    def list_at(self, keys: Keys) -> list[Any]:
        """The list at ``keys``; empty if there is none.

        Raises:
            BrokenSettingsError: the value there is not a list.
        """
        node = self._find(keys)
        if node is None:
            return []
        if not isinstance(node.value, list):
            raise self._broken(node, f"`{_dotted(keys)}` is no list")
        return node.value

    def add(self, keys: Keys, element: Any, *, first: bool = False) -> None:
        """Adds ``element`` to the list at ``keys``, which is created if it is missing."""
        self.list_at(keys)
        node = self._find(keys)
        if node is None:
            self.put(keys, [element])
        else:
            self._insert(node, "", element, first=first)

    def put(self, keys: Keys, value: Any) -> None:
        """Sets the value at ``keys`` to ``value``.

        Raises:
            BrokenSettingsError: a value on the path is not an object.
        """
        node = self._root()
        for at, key in enumerate(keys):
            if not isinstance(node.value, dict):
                raise self._broken(node, f"`{_dotted(keys[:at])}` is no object")
            inner = node.member(str(key))
            if inner is None:
                for outer in reversed(keys[at + 1 :]):
                    value = {outer: value}
                self._insert(node, json.dumps(key) + ": ", value)
                return
            node = inner
        if node.value != value:
            self._replace(node.start, node.end, self._rendered(value, self._indent_at(node.start), flat=True))

    def remove(self, keys: Keys, unwanted: Callable[[Any], bool]) -> bool:
        """Removes the elements that are ``unwanted`` from the list at ``keys``; true if there were any."""
        found = False
        while True:
            node = self._find(keys)
            elements = node.elements if node is not None else []
            at = next((at for at, each in enumerate(elements) if unwanted(each.value)), None)
            if node is None or at is None:
                return found
            self._cut(node, at)
            found = True

    def drop(self, keys: Keys) -> None:
        """Removes the member at ``keys``, if there is one."""
        outer = self._find(keys[:-1])
        names = [name for name, _, _ in outer.members] if outer is not None else []
        if outer is not None and keys[-1] in names:
            self._cut(outer, len(names) - 1 - names[::-1].index(keys[-1]))

    def _root(self) -> SettingsNode:
        return parse_settings(self.path, self.text)

    def _find(self, keys: Keys) -> SettingsNode | None:
        node: SettingsNode | None = self._root()
        for at, key in enumerate(keys):
            if node is None:
                return None
            if isinstance(key, int):
                node = node.elements[key] if key < len(node.elements) else None
                continue
            if not isinstance(node.value, dict):
                raise self._broken(node, f"`{_dotted(keys[:at])}` is no object")
            node = node.member(str(key))
        return node

    def _broken(self, node: SettingsNode, what: str) -> BrokenSettingsError:
        return BrokenSettingsError(self.path, self.text, node.start, what)

    def _replace(self, start: int, end: int, text: str) -> None:
        self.text = self.text[:start] + text + self.text[end:]

    @property
    def _newline(self) -> str:
        first = self.text.find("\n")
        return "\r\n" if first > 0 and self.text[first - 1] == "\r" else "\n"

    @property
    def _unit(self) -> str:
        """One step of indentation."""
        found = _INDENT.search(self.text)
        return found[1] if found is not None else "  "

    def _indent_at(self, offset: int) -> str:
        """The indentation of the line of ``offset``."""
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset].removeprefix("\ufeff")
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _rendered(self, value: Any, indent: str, *, flat: bool) -> str:
        if flat:
            return json.dumps(value, ensure_ascii=False)
        lines = json.dumps(value, ensure_ascii=False, indent=self._unit).split("\n")
        return (self._newline + indent).join(lines)

    def _insert(self, node: SettingsNode, label: str, value: Any, *, first: bool = False) -> None:
        """Adds an entry to an object or a list, in the layout of the existing entries."""
        entries = node.entries
        inner = self.text[node.start : entries[0][0] if entries else node.end]
        whole = self._root()
        in_one_line = "\n" not in inner and (bool(entries) or "\n" not in self.text[whole.start : whole.end])
        flat = in_one_line and whole.value != {}
        if not entries:
            self._insert_into_empty(node, label, value, flat)
        elif first:
            start = entries[0][0]
            indent = self._indent_at(start)
            gap = " " if flat else self._newline + indent
            self._replace(start, start, label + self._rendered(value, indent, flat=flat) + "," + gap)
        else:
            end = entries[-1][1]
            indent = self._indent_at(entries[-1][0])
            text = (" " if flat else self._newline + indent) + label + self._rendered(value, indent, flat=flat)
            behind = end if node.trailing is None else node.trailing
            rest = _REST_OF_LINE.match(self.text, behind)
            at = rest.end() if rest is not None and not flat else behind
            self._replace(at, at, text + ("" if node.trailing is None else ","))
            if node.trailing is None:
                self._replace(end, end, ",")

    def _insert_into_empty(self, node: SettingsNode, label: str, value: Any, flat: bool) -> None:
        outer = self._indent_at(node.start)
        indent = outer + self._unit
        text = label + self._rendered(value, indent, flat=flat)
        if not flat:
            inside = self.text[node.start + 1 : node.end - 1]
            text = self._newline + indent + text
            if not inside.strip() and inside:
                self._replace(node.start + 1, node.end - 1, "")
            if "\n" not in inside or not inside.strip():
                text += self._newline + outer
        self._replace(node.start + 1, node.start + 1, text)

    def _cut(self, node: SettingsNode, at: int) -> None:
        """Removes the entry ``at`` with its comma, and its line if nothing else is on it."""
        entries = node.entries
        start, end = entries[at]
        if at + 1 < len(entries):
            self._cut_text(start, self._comma_behind(end))
        elif node.trailing is not None:
            self._cut_text(start, node.trailing)
        else:
            self._cut_text(start, end)
            if at > 0:
                comma = self._comma_behind(entries[at - 1][1])
                self._replace(comma - 1, comma, "")
        if len(entries) == 1:
            self._close_up(node.start)

    def _comma_behind(self, offset: int) -> int:
        """The end of the comma that follows ``offset``."""
        return self.text.index(",", blank_end(self.text, offset)) + 1

    def _cut_text(self, start: int, end: int) -> None:
        before = self.text[:start].rstrip(" \t")
        rest = _REST_BLANK.match(self.text, end)
        if rest is not None and before.endswith("\n"):
            self._replace(len(before.removesuffix("\n").removesuffix("\r")), rest.end(), "")
            return
        if self.text[end : end + 1] == " ":
            end += 1
        elif self.text[start - 1 : start] == " ":
            start -= 1
        self._replace(start, end, "")

    def _close_up(self, start: int) -> None:
        """Removes the blanks between the brackets at ``start`` if there is nothing else between them."""
        end = start + 1
        while self.text[end] in " \t\r\n":
            end += 1
        if self.text[end] in "]}":
            self._replace(start + 1, end, "")


def _dotted(keys: Keys) -> str:
    return ".".join(map(str, keys))


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
