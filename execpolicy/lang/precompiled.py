"""The entries of the built-in layer: from the records of programs, or in the form that a wheel contains.

The table is written when a wheel is built (``.ci/wheel_hook.py``); its records are not edited. A checkout has none.
"""

from __future__ import annotations

import marshal

from execpolicy.diagnostics import model
from execpolicy.errors import RuleFileError
from execpolicy.programs import catalog
from execpolicy.resources import precompiled_path, records_folder
from execpolicy.safety import entries as safety_entries
from execpolicy.safety import record_entries
from execpolicy.source import Place, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand

    Entry = SafeCommand | DangerousCommand

_FORMAT = ("execpolicy-entries", 2, marshal.version)
_entries: tuple[Entry, ...] | None = None


def builtin_entries() -> tuple[Entry, ...]:
    """The entries of all records, in the order of the files.

    Raises:
        RuleFileError: an entry of a record is not what it should be.
    """
    global _entries
    if _entries is None:
        _entries = _precompiled() or tuple([entry for path in catalog.entry_paths() for entry in _entries_of(path)])
    return _entries


def _entries_of(path: str) -> list[Entry]:
    with open(path, encoding="utf-8") as file:
        record = Source(path, file.read())
    try:
        return list(record_entries.record_entries(record))
    except record_entries.EntryError as error:
        problem = model.problem_in("EP002", error.message, record, error.line, help=error.help)
        raise RuleFileError(problem) from None


def precompile() -> bytes:
    """The content of the wheel's file."""
    start = len(records_folder()) + 1
    plain: Any = [
        (entry.kind, entry.arguments, entry.place.path[start:], entry.place.line)
        for entry in builtin_entries()
        if entry.place is not None
    ]
    return marshal.dumps((_FORMAT, plain))


def _precompiled() -> tuple[Entry, ...] | None:
    try:
        with open(precompiled_path(), "rb") as file:
            form, rows = marshal.loads(file.read())
    except (OSError, ValueError, TypeError, EOFError):
        return None  # a checkout, or written for another Python
    if form != _FORMAT:
        return None
    folder, restore = records_folder(), safety_entries.restore
    return tuple([restore(kind, arguments, Place(f"{folder}/{file}", line)) for kind, arguments, file, line in rows])
