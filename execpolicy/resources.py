"""Finds the data files of the package: ``grammar/*.lark`` and ``rules/*.rules``.

A wheel contains both directories inside the package; a checkout (and so an editable install) has them next to it.
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
    """The directory of the package itself."""
    return _HERE


def grammar_folder() -> str:
    """The directory of the lark grammars."""
    return _folder("grammar")


_lists: dict[str, dict[str, frozenset[str]]] = {}


def word_lists(name: str) -> dict[str, frozenset[str]]:
    """The lists in a file of the grammar folder: ``name: words``, which may go on in indented lines; ``#`` comments."""
    if name not in _lists:
        with open(os.path.join(grammar_folder(), name), encoding="utf-8") as file:
            lines = "".join([line for line in file if line.strip() and not line.startswith("#")])
        rows = [row.partition(":") for row in lines.replace("\n ", " ").splitlines()]
        _lists[name] = {row[0]: frozenset(row[2].split()) for row in rows}
    return _lists[name]


def rules_folder() -> str:
    """The directory of the starter rules."""
    return _folder("rules")


def records_folder() -> str:
    """The directory of the records of programs, whose entries are the built-in layer."""
    return os.path.join(grammar_folder(), "programs")


def precompiled_path() -> str:
    """The path of the built-in layer's compiled entries in a wheel; a checkout has no such file."""
    return os.path.join(_HERE, "_data", "builtin.compiled")


def stored_entries_path() -> str:
    """The path of the same entries with an index, used if no other layer is effective; a checkout has no such file."""
    return os.path.join(_HERE, "_data", "builtin.entries")


def catalog_index_path() -> str:
    """The path of the index of the catalog of programs in a wheel; a checkout has no such file."""
    return os.path.join(_HERE, "_data", "programs.index")
