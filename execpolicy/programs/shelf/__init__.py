"""Everything that is known of programs: one record each, in one file per family.

Sources: the manual pages and ``--help`` texts of GNU coreutils 9.1, findutils 4.9, util-linux 2.38, procps 4.0, sudo
1.9, doas 6.8, OpenSSH 9.2, strace 6.1, ltrace 0.7, valgrind 3.19, systemd 252, bash 5.2, GTFOBins (functions shell,
command, file write), verified bypasses, and the documentation of each program named, as it was in 2026.

The usual program carries nothing: one look-up in an index says so without loading a family. A wheel brings the index
along; in a checkout it is made of the records when it is first needed.
"""

from __future__ import annotations

import os

from execpolicy.resources import shelf_index_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.knowledge import ProgramKnowledge
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Script

    Index = tuple[Mapping[str, str], Mapping[str, str], Mapping[str, str]]

_HERE = os.path.dirname(os.path.abspath(__file__))
_FORMAT = "execpolicy-shelf 3"
_found: dict[str, Program] = {}
_index: Index | None = None


def families() -> list[str]:
    """The names of the families: the files of this folder."""
    return sorted([name[:-3] for name in os.listdir(_HERE) if name.endswith(".py") and name[0] != "_"])


def records() -> Iterator[tuple[str, Program]]:
    """Every record, with its family."""
    for family in families():
        for record in _family(family):
            yield family, record


def record_of(name: str) -> Program | None:
    """The record of the program with the base name ``name``."""
    found = _found.get(name)
    if found is None:
        family = (_index or _indexed())[0].get(name)
        if family is not None:
            _found.update({each: record for record in _family(family) for each in record.names})
            found = _found[name]
    return found


def carriers() -> Mapping[str, str]:
    """The names of the programs that run what they are given, with their families."""
    return (_index or _indexed())[1]


def has_leading(name: str) -> bool:
    """Whether options may stand in front of the sub-command of the program ``name``."""
    return name in (_index or _indexed())[2]


def facts_of(script: Script) -> Facts:
    """The facts about ``script``, with everything that is known of programs."""
    from execpolicy.flow.script_facts import ScriptFacts

    return ScriptFacts(script, _knowledge)


def _knowledge() -> ProgramKnowledge:
    """Loaded for the first script that builds text with programs."""
    from execpolicy.programs.knowledge import KNOWLEDGE

    return KNOWLEDGE


def _family(name: str) -> tuple[Program, ...]:
    records: tuple[Program, ...] = __import__(f"{__name__}.{name}", fromlist=("RECORDS",)).RECORDS
    return records


def _indexed() -> Index:
    global _index
    _index = _brought() or index()
    return _index


def index() -> Index:
    """Name to family: of every program, of those that carry commands, and of those with leading options.

    Raises:
        ValueError: two records have the same name.
    """
    every: dict[str, str] = {}
    carrying: dict[str, str] = {}
    leading: dict[str, str] = {}
    for family, record in records():
        for name in record.names:
            if name in every:
                raise ValueError(f"two records are called `{name}`")
            every[name] = family
        own = dict.fromkeys(record.names, family)
        if record.carries_others():
            carrying.update(own)
        if record.leading:
            leading.update(own)
    return every, carrying, leading


def built_index() -> bytes:
    """The file that a wheel carries."""
    import marshal

    plain: Any = (_FORMAT, _sizes(), index())
    return marshal.dumps(plain)


def _sizes() -> dict[str, int]:
    """Family files and their sizes: an index of other files than these says nothing."""
    return {entry.name: entry.stat().st_size for entry in os.scandir(_HERE) if entry.name.endswith(".py")}


def _brought() -> Index | None:
    """The index that came with a wheel, if it is one of these files."""
    try:
        with open(shelf_index_path(), "rb") as file:
            data = file.read()
        import marshal

        form, sizes, kept = marshal.loads(data)
        if form == _FORMAT and sizes == _sizes():
            found: Index = kept
            return found
    except (OSError, ValueError, TypeError, EOFError):
        pass  # a checkout, or written for another Python
    return None
