"""The catalog of programs: a record each, in a file of ``grammar/programs``.

Most programs run no others: one look-up in an index says so without reading a record. A wheel contains the index; a
checkout makes it of the records when it is first needed.
"""

from __future__ import annotations

import marshal
import os

from execpolicy.flow.script_facts import ScriptFacts
from execpolicy.programs.record import parse_record, summary
from execpolicy.resources import catalog_index_path, records_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Script

    Index = tuple[Mapping[str, str], Mapping[str, None], Sequence[str]]

_FORMAT = "execpolicy-catalog 3"
_found: dict[str, Program] = {}
_index: Index | None = None


def records() -> Iterator[Program]:
    """Every record, in the order of the files."""
    for file in dict.fromkeys((_index or _indexed())[0].values()):
        yield parse_record(_text(file))


def record_of(name: str) -> Program | None:
    """The record of the program with the base name ``name``."""
    found = _found.get(name)
    if found is None:
        file = (_index or _indexed())[0].get(name)
        if file is not None:
            found = parse_record(_text(file))
            _found.update(dict.fromkeys(found.names, found))
    return found


def runners() -> Mapping[str, None]:
    """The names of the programs that run commands which their arguments or their input contain."""
    return (_index or _indexed())[1]


def entry_paths() -> list[str]:
    """The paths of the records that contain entries: the files of the built-in layer."""
    return [f"{records_folder()}/{file}" for file in (_index or _indexed())[2]]


def facts_of(script: Script) -> Facts:
    """The facts about ``script``."""
    return ScriptFacts(script)


def _text(file: str) -> str:
    with open(f"{records_folder()}/{file}", encoding="utf-8") as opened:
        return opened.read()


def _indexed() -> Index:
    global _index
    _index = _built() or index()
    return _index


def index() -> Index:
    """Name to file of every program; those that run others; the files with entries."""
    every: dict[str, str] = {}
    running: dict[str, None] = {}
    entries: list[str] = []
    folder = records_folder()
    for file in sorted(os.listdir(folder)):
        with open(f"{folder}/{file}", encoding="utf-8") as opened:
            names, runs, describes = summary(opened.read())
        if describes:
            entries.append(file)
        for name in names:
            every[name] = file
        if runs:
            running.update(dict.fromkeys(names))
    return every, running, entries


def built_index() -> bytes:
    """The file that a wheel contains."""
    plain: Any = (_FORMAT, index())
    return marshal.dumps(plain)


def _built() -> Index | None:
    """The index that came with a wheel; its files are not edited."""
    try:
        with open(catalog_index_path(), "rb") as file:
            form, kept = marshal.loads(file.read())
        if form == _FORMAT:
            found: Index = kept
            return found
    except (OSError, ValueError, TypeError, EOFError):
        pass  # a checkout, or written for another Python
    return None
