"""Diagnostics as a JSON list, for programs. Fields are only ever added."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from execpolicy.diagnostics.codes import CODES
from execpolicy.diagnostics.model import Diagnostic, Fix, Positions
from execpolicy.source import Source


def render_json(found: Iterable[Diagnostic]) -> str:
    """``found`` as a list of objects, indented by two blanks, ending in a line break.

    Each has ``code``, ``name``, ``message``, ``path``, ``line``, ``column``, ``endLine``, ``endColumn`` (1-based,
    the end exclusive, 0 when the whole file is meant), ``severity``, ``help`` and ``fix`` (``null`` if there is none).
    """
    positions = Positions()
    return json.dumps([as_object(diagnostic, positions) for diagnostic in found], indent=2, ensure_ascii=False) + "\n"


def as_object(diagnostic: Diagnostic, positions: Positions) -> dict[str, Any]:
    """One diagnostic as JSON values."""
    end_line, end_column = positions.end_of(diagnostic)
    row = CODES.get(diagnostic.code)
    return {
        "code": diagnostic.code,
        "name": row.name if row is not None else None,
        "message": diagnostic.message,
        "path": diagnostic.path,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "endLine": end_line,
        "endColumn": end_column,
        "severity": diagnostic.severity,
        "help": diagnostic.help,
        "fix": _fix(diagnostic.fix, diagnostic.source, positions) if diagnostic.fix is not None else None,
    }


def _fix(fix: Fix, source: Source | None, positions: Positions) -> dict[str, Any]:
    edits: list[dict[str, Any]] = []
    for edit in fix.edits:
        value: dict[str, Any] = {"start": edit.span.start, "end": edit.span.end, "text": edit.text}
        if source is not None:
            value["line"], value["column"] = positions.of(source, edit.span.start)
            value["endLine"], value["endColumn"] = positions.of(source, edit.span.end)
        edits.append(value)
    return {"title": fix.title, "applicability": fix.applicability, "edits": edits}
