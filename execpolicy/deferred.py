"""Modules that are imported on first use of an attribute, because a usual check does not need them.

Other modules import them at the top, as modules (``from execpolicy.lang import parse``), and use their attributes
(``parse.parse_rules(text)``). The package that contains a deferred module calls :func:`defer`.
"""

from __future__ import annotations

import sys

_MODULES: dict[str, str] = {
    "execpolicy": "atomic_write safe_open validators",
    "execpolicy.cli": (
        "all_errors check_command check_stream check_text group hook_command hook_inbox "
        "judgement permission_file signals suspicious_args"
    ),
    "execpolicy.codex": "compat decide",
    "execpolicy.core": "exclusion quoting",
    "execpolicy.diagnostics": "model render_text",
    "execpolicy.flow": "filled streams",
    "execpolicy.hooks": "other_tools",
    "execpolicy.judge": "connections file_write objections rulebook stored stored_policy",
    "execpolicy.judge.folders": "located pushed_branch repository_around restricted_writes secret_places",
    "execpolicy.lang": "compile examples file_limits limited_process parse starlark_run",
    "execpolicy.layers": "builtin_index compiled load problems rule_file settings_file trust untrusted watch",
    "execpolicy.permissions": "audit",
    "execpolicy.programs": "carried spellings",
    "execpolicy.programs.meaning": "rules_by_meaning",
    "execpolicy.safety": "agent_places dangers entries record_entries",
    "execpolicy.shell": "read recovery",
    "execpolicy.shell.grammar": "whole_script",
}
"""The names of the deferred modules by package."""


_used: dict[tuple[str, ...], object] = {}
"""The deferred modules that were used."""


class _Deferred(tuple):  # type: ignore[type-arg]  # evaluating `tuple[str, str]` costs more
    """A placeholder for a module until its import: package and name. Its attributes are those of the module."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> object:
        module = _used.get(self)
        if module is None:
            path = ".".join(self)
            __import__(path)
            module = _used[self] = sys.modules[path]
        return getattr(module, name)

    def __setattr__(self, name: str, value: object) -> None:
        path = ".".join(self)
        __import__(path)
        vars(sys.modules[path])[name] = value


def defer(package: str) -> None:
    """Puts a placeholder for each of its deferred modules into ``package``. The import of a module replaces it."""
    names = _MODULES[package].split()
    placeholders = map(_Deferred, zip([package] * len(names), names, strict=True))
    vars(sys.modules[package]).update(zip(names, placeholders, strict=True))


defer("execpolicy")
