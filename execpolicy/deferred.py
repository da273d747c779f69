"""Modules that are imported on first use of an attribute, because a usual check does not need them.

Other modules import them at the top, as modules (``from execpolicy.lang import parse``), and use their attributes
(``parse.parse_rules(text)``). The package that contains a deferred module calls :func:`defer`.
"""

from __future__ import annotations

import sys

_MODULES: dict[str, str] = {
    "execpolicy": "atomic_write codex file_leases safe_open validators",
    "execpolicy.cli": (
        "all_errors check_command check_stream check_text group hook_command hook_inbox hook_permissions "
        "judgement permission_file signals suspicious_args unparsed_command"
    ),
    "execpolicy.codex": "compat decide",
    "execpolicy.core": "quoting",
    "execpolicy.diagnostics": "model render_text rule_problems",
    "execpolicy.hooks": "other_tools",
    "execpolicy.insight": "testing",
    "execpolicy.judge": "effects file_write rulebook stored stored_policy",
    "execpolicy.lang": "compile file_limits parse precompiled refused rust_debug starlark_run",
    "execpolicy.layers": "builtin_index load problems rule_file settings_file trust untrusted watch",
    "execpolicy.permissions": "audit",
    "execpolicy.programs": "catalog",
    "execpolicy.protocol": "decisions permission_limits",
    "execpolicy.safety": "dangers entries entry_examples record_entries",
    "execpolicy.shell": "limits pieces read recovery",
    "execpolicy.shell.grammar": "whole_script",
}
"""The names of the deferred modules by package."""


class _Deferred:
    """A placeholder for a module until its import. It has no ``__dict__``: a patch of it reaches the module."""

    __slots__ = ("_name",)
    _name: str

    def __getattr__(self, name: str) -> object:
        __import__(self._name)  # the import replaces the placeholder in its package
        return getattr(sys.modules[self._name], name)

    def __setattr__(self, name: str, value: object) -> None:
        __import__(self._name)
        vars(sys.modules[self._name])[name] = value


_called = _Deferred._name.__set__  # type: ignore[misc,attr-defined]  # the slot, which `__setattr__` does not reach


def defer(package: str) -> None:
    """Makes ``package`` return a placeholder for each of its deferred modules that is not imported yet."""
    names = vars(sys.modules[package])
    deferred = _MODULES.get(package, "").split()

    def door(name: str) -> object:
        if name in deferred:
            names[name] = made = _Deferred()
            _called(made, package + "." + name)
            return made
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    names["__getattr__"] = door


for _name in _MODULES.get("execpolicy", "").split():  # its own __getattr__ returns the public names
    vars(sys.modules["execpolicy"])[_name] = _made = _Deferred()
    _called(_made, "execpolicy." + _name)
