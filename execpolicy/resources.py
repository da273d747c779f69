"""Finds the data that travels with the package: ``grammar/*.lark`` and ``rules/*.rules``.

A wheel carries both folders inside the package; a checkout (and so an editable install) has them beside it.
"""

from __future__ import annotations

import os

_HERE = os.path.dirname(os.path.abspath(__file__))
_found: dict[str, str] = {}


def _folder(name: str) -> str:
    found = _found.get(name)
    if found is None:
        installed = os.path.join(_HERE, "_data", name)
        found = _found[name] = installed if os.path.isdir(installed) else os.path.join(os.path.dirname(_HERE), name)
    return found


def package_folder() -> str:
    """The folder of the package itself."""
    return _HERE


def grammar_folder() -> str:
    """The folder that holds the lark grammars."""
    return _folder("grammar")


def rules_folder() -> str:
    """The folder that holds the starter rules, and in `builtin` the built-in layer."""
    return _folder("rules")


def builtin_rules_folder() -> str:
    """The folder of the built-in layer: what is safe and what is dangerous."""
    return os.path.join(rules_folder(), "builtin")


def precompiled_path() -> str:
    """The entries of the built-in layer as a wheel carries them; a checkout has no such file."""
    return os.path.join(_HERE, "_data", "builtin.compiled")


def stored_entries_path() -> str:
    """The same entries, indexed, for whom they are all that is in force; a checkout has no such file."""
    return os.path.join(_HERE, "_data", "builtin.entries")


def shelf_index_path() -> str:
    """The index of the shelf of programs as a wheel carries it; a checkout has no such file."""
    return os.path.join(_HERE, "_data", "programs.index")
