"""Diagnostics as SARIF 2.1.0, for code scanning services."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from execpolicy.diagnostics.codes import CODES
from execpolicy.diagnostics.model import Diagnostic, Positions

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def render_sarif(found: Sequence[Diagnostic], *, version: str) -> str:
    """``found`` as one run of the tool ``execpolicy``. Columns count code points, as the run says.

    Args:
        version: of this program.
    """
    positions = Positions()
    used = sorted({diagnostic.code for diagnostic in found})
    run = {
        "tool": {"driver": {"name": "execpolicy", "version": version, "rules": [_rule(code) for code in used]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic, used, positions) for diagnostic in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(code: str) -> dict[str, Any]:
    row = CODES.get(code)
    if row is None:
        return {"id": code}
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in row.name.split("-")),
        "shortDescription": {"text": row.summary},
        "defaultConfiguration": {"level": _LEVELS[row.severity]},
    }


def _result(diagnostic: Diagnostic, used: list[str], positions: Positions) -> dict[str, Any]:
    text = diagnostic.message if diagnostic.help is None else f"{diagnostic.message}. Help: {diagnostic.help}"
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": used.index(diagnostic.code),
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(diagnostic, positions)}],
    }
    fix = diagnostic.fix
    if fix is not None and fix.applicability != "display" and diagnostic.source is not None:
        replacements = [
            {
                "deletedRegion": _region(
                    *positions.of(diagnostic.source, edit.span.start), *positions.of(diagnostic.source, edit.span.end)
                ),
                "insertedContent": {"text": edit.text},
            }
            for edit in fix.edits
        ]
        change = {"artifactLocation": {"uri": _uri(diagnostic.path)}, "replacements": replacements}
        result["fixes"] = [{"description": {"text": fix.title}, "artifactChanges": [change]}]
    return result


def _location(diagnostic: Diagnostic, positions: Positions) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(diagnostic.path)}}
    if diagnostic.line:
        location["region"] = _region(diagnostic.line, diagnostic.column or 1, *positions.end_of(diagnostic))
    return location


def _region(line: int, column: int, end_line: int, end_column: int) -> dict[str, int]:
    return {"startLine": line, "startColumn": column, "endLine": end_line or line, "endColumn": end_column or column}


def _uri(path: str) -> str:
    return quote(path.replace("\\", "/"))
