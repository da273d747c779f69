"""Finds the other errors of a broken rule file. Loading stops at the first one; the user repairs all together."""

from __future__ import annotations

import os
from collections.abc import Container, Sequence
from typing import TextIO

from execpolicy.cli.output import wants_color, write_diagnostics
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.diagnostics.render_text import Paint, painter, visible
from execpolicy.lint.survey import survey
from execpolicy.source import Source

_FAULTS_OF_RULES = frozenset(["EP001", "EP002", "EP003", "EP004", "EP007", "EP008"])
_LARGEST = 200_000
"""Maximum size of a file, in characters, that is searched to its end: each error in it costs another parse."""
_SHOWN = 5


def write_faults(stream: TextIO, found: Sequence[Diagnostic], *, strangers: Container[str] = ()) -> None:
    """Write ``found`` and, in brief, the other errors of the rule files that did not load.

    Args:
        strangers: files of untrusted projects, which must not cost more time than their loading took.
    """
    write_diagnostics(stream, found)
    told = {(each.path, each.line, each.column, each.message) for each in found}
    broken = {
        each.path: each.source
        for each in found
        if each.severity == "error"
        and each.code in _FAULTS_OF_RULES
        and each.source is not None
        and each.path not in strangers
    }
    paint = painter(wants_color(stream))
    for source in broken.values():
        stream.writelines(f"{line}\n" for line in _further(source, told, paint))


def _further(source: Source, told: set[tuple[str, int, int, str]], paint: Paint) -> list[str]:
    name = visible(source.name)
    advice = f"`execpolicy lint {name}` shows all that is wrong"
    if len(source.text) > _LARGEST:
        return [f"there may be more: {advice}"]
    seen = survey(source, {})
    more = [
        each
        for each in seen.problems
        if each.severity == "error"
        and (each.path, each.line, each.column, each.message) not in told
        # an example with a path may need the host executables of another file
        and not (each.code in ("EP003", "EP004") and "/" in each.message)
    ]
    if not more:
        return []
    more.sort(key=lambda each: (each.line, each.column))
    counted = f"{len(more)} more error" + ("s" if len(more) > 1 else "")
    lines = [f"{name} has {paint(counted, 'error')}:"]
    for each in more[:_SHOWN]:
        place = f"{name}:{each.line}:{each.column}" if each.line else name
        help = f"; {visible(each.help)}" if each.help else ""
        lines.append(f"  {paint(place, 'place')}: {visible(each.message)}{help}")
    if len(more) > _SHOWN:
        lines.append("  …")
    return [*lines, advice] if os.path.isfile(source.name) else lines
