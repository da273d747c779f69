"""The built-in layer in the form that a wheel contains: its entries by the digest of their source file.

The table is written when a wheel is built (``.ci/wheel_hook.py``). A checkout has none. A file with different text is
compiled like any other.
"""

from __future__ import annotations

import marshal
import os
from _blake2 import blake2b

from execpolicy.resources import precompiled_path
from execpolicy.safety.entries import restore
from execpolicy.source import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand
    from execpolicy.source import Source

    Entry = SafeCommand | DangerousCommand
    Table = dict[bytes, list[tuple[str, Any, int]]]

_FORMAT = ("execpolicy-entries", 1, marshal.version)
_table: Table | None = None


def digest(text: str) -> bytes:
    """The digest that identifies a file."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def precompile(sources: Iterable[tuple[str, Iterable[Entry]]]) -> bytes:
    """The content of the wheel's file, for ``(text, its entries)`` of every built-in file."""
    table = {
        digest(text): [
            (entry.kind, entry.arguments, entry.place.line if entry.place is not None else 0) for entry in entries
        ]
        for text, entries in sources
    }
    plain: Any = (_FORMAT, table)
    return marshal.dumps(plain)


def precompiled(source: Source) -> tuple[Entry, ...] | None:
    """The entries of ``source`` if the wheel contains them, or ``None``."""
    found = _load().get(digest(source.text))
    if found is None:
        return None
    return tuple([restore(kind, arguments, Place(source.name, line)) for kind, arguments, line in found])


def _load() -> Table:
    global _table
    if _table is None:
        _table = {}
        path = precompiled_path()
        if os.path.exists(path):
            with open(path, "rb") as file:
                data = file.read()
            try:
                form, table = marshal.loads(data)
            except (ValueError, TypeError, EOFError):
                return _table  # written for another Python
            if form == _FORMAT:
                _table = table
    return _table
