"""Modules that are imported when something in them is first used: a usual check never needs them.

Other modules import them at the top, as modules (``from execpolicy.lang import parse``), and use what they hold
(``parse.parse_rules(text)``). The package at whose door such a module lies calls :func:`defer`.
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
    "execpolicy.insight": "case_files testing",
    "execpolicy.judge": "file_write rulebook situation stored stored_policy",
    "execpolicy.lang": "compile file_limits parse precompiled refused rust_debug starlark_run",
    "execpolicy.layers": "builtin_index layer_options load problems rule_file settings_file trust untrusted watch",
    "execpolicy.permissions": "audit",
    "execpolicy.programs": "shelf",
    "execpolicy.protocol": "command_permissions decisions",
    "execpolicy.safety": "dangers entries entry_examples",
    "execpolicy.shell": "limits pieces read recovery",
    "execpolicy.shell.grammar": "whole_script",
}
"""By package, the names of its deferred modules."""


class _Deferred:
    """Stands for a module until that is imported. Without a ``__dict__``: what patches it gets that of the module."""

    __slots__ = ("_name",)
    _name: str

    def __getattr__(self, name: str) -> object:
        __import__(self._name)  # puts the module itself into its package
        return getattr(sys.modules[self._name], name)

    def __setattr__(self, name: str, value: object) -> None:
        __import__(self._name)
        vars(sys.modules[self._name])[name] = value


_called = _Deferred._name.__set__  # type: ignore[misc,attr-defined]  # the slot, which `__setattr__` does not reach


def defer(package: str) -> None:
    """Let ``package`` give a stand-in for each of its deferred modules that is not imported yet."""
    names = vars(sys.modules[package])
    deferred = _MODULES.get(package, "").split()

    def door(name: str) -> object:
        if name in deferred:
            names[name] = made = _Deferred()
            _called(made, package + "." + name)
            return made
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    names["__getattr__"] = door


for _name in _MODULES.get("execpolicy", "").split():  # its door hands out the public names
    vars(sys.modules["execpolicy"])[_name] = _made = _Deferred()
    _called(_made, "execpolicy." + _name)
