"""Reads the settings about the tools of agents.

In ``execpolicy.toml``::

    [hook]
    shells = ["mcp__box__*"]          # every text in their arguments is judged as a script
    ignored = ["mcp__notes__*"]       # they take a `command` that no shell sees
    permissions = "permissions.json"  # permission rules for every call, from the folder of this file
    unknown = "agent"                 # who decides on an unknown prompt: agent, ask or deny
"""

from __future__ import annotations

import os

from execpolicy.core.hosts import home_of
from execpolicy.core.path_rules import component_matches
from execpolicy.errors import UsageError
from execpolicy.layers import settings_file
from execpolicy.layers.layer_options import own_home_of, settings_files
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    Unknown: TypeAlias = Literal["agent", "ask", "deny"]


_UNKNOWN: tuple[Unknown, ...] = ("agent", "ask", "deny")
"""From the laxest to the strictest."""


@value
class HookSetting:
    """The tools in the settings files, as globs, the paths of the files with permission rules, and who decides on a
    prompt to which nothing objects.
    """

    shells: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()
    unknown: Unknown = "agent"

    def is_shell(self, tool: str) -> bool:
        """True if every text in the arguments of ``tool`` is a script."""
        return any(component_matches(glob, tool) for glob in self.shells)

    def is_ignored(self, tool: str) -> bool:
        """True if calls of ``tool`` are not judged."""
        return any(component_matches(glob, tool) for glob in self.ignored)


def hook_setting_of_process() -> HookSetting:
    """The setting in the settings files of the machine and of this process's user.

    Raises:
        UsageError: a file cannot be read or has an invalid setting.
    """
    shells: list[str] = []
    ignored: list[str] = []
    permissions: list[str] = []
    unknown = 0
    for path in settings_files(own_home_of(os.environ, home_of(os.environ))):
        table = settings_file.settings_in(path).get("hook", {})
        shells += _globs(table.get("shells", []), path)
        ignored += _globs(table.get("ignored", []), path)
        if "permissions" in table:
            permissions.append(_file(table["permissions"], path))
        unknown = max(unknown, _strictness(table.get("unknown", "agent"), path))
    return HookSetting(tuple(shells), tuple(ignored), tuple(permissions), _UNKNOWN[unknown])


def _strictness(value: Any, path: str) -> int:
    if value not in _UNKNOWN:
        raise UsageError(f"{path}: `unknown` is `agent`, `ask` or `deny`, not `{value}`")
    return _UNKNOWN.index(value)


def _file(value: Any, path: str) -> str:
    if not isinstance(value, str) or not value:
        raise UsageError(f"{path}: `permissions` is the path of a file")
    return os.path.join(os.path.dirname(path), os.path.expanduser(value))


def _globs(value: Any, path: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise UsageError(f"{path}: `shells` and `ignored` are lists of names of tools, `*` for any part of one")
    return value
