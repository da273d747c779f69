"""Diagnostics for programs: a JSON list, GitHub's annotations, SARIF 2.1.0 and JUnit XML.

Fields of the JSON are only ever added. JUnit has one suite for each file, one failed case for each finding.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import quote

from execpolicy.diagnostics.codes import CODES
from execpolicy.diagnostics.model import Diagnostic, Fix, Positions
from execpolicy.diagnostics.render_text import visible
from execpolicy.source import Source
from execpolicy.version import __version__


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


_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render_github(found: Iterable[Diagnostic]) -> str:
    """``found``, one command a line."""
    positions = Positions()
    return "".join([f"{_command(diagnostic, positions)}\n" for diagnostic in found])


def _command(diagnostic: Diagnostic, positions: Positions) -> str:
    row = CODES.get(diagnostic.code)
    title = f"{diagnostic.code} {row.name}" if row is not None else diagnostic.code
    fields = [f"file={_escaped_property(diagnostic.path)}"]
    if diagnostic.line:
        end_line, end_column = positions.end_of(diagnostic)
        fields += [f"line={diagnostic.line}", f"endLine={end_line}"]
        if end_line == diagnostic.line and diagnostic.column:  # columns only count on a single line
            fields += [f"col={diagnostic.column}", f"endColumn={end_column}"]
    fields.append(f"title={_escaped_property(title)}")
    text = visible(diagnostic.message)
    if diagnostic.help is not None:
        text += f"\nhelp: {visible(diagnostic.help)}"
    return f"::{_COMMANDS[diagnostic.severity]} {','.join(fields)}::{_escaped(text)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


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
        "tool": {"driver": {"name": "execpolicy", "version": version, "rules": [_sarif_rule(code) for code in used]}},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(diagnostic, used, positions) for diagnostic in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _sarif_rule(code: str) -> dict[str, Any]:
    row = CODES.get(code)
    if row is None:
        return {"id": code}
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in row.name.split("-")),
        "shortDescription": {"text": row.summary},
        "defaultConfiguration": {"level": _LEVELS[row.severity]},
    }


def _sarif_result(diagnostic: Diagnostic, used: list[str], positions: Positions) -> dict[str, Any]:
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


class JUnitCase(NamedTuple):
    """One test.

    Attributes:
        name: unique in its suite, as far as its source allows.
        failure: why it failed, in one line; ``None`` if it passed.
        kind: what kind of failure that is.
        details: the failure at length.
        line: its line in the file that its suite is named after; ``None`` leaves that open.
    """

    name: str
    failure: str | None = None
    kind: str | None = None
    details: str = ""
    line: int | None = None


def junit_xml(title: str, suites: Mapping[str, Sequence[JUnitCase]]) -> str:
    """The report ``title`` over suites by name."""
    cases = [case for suite in suites.values() for case in suite]
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<testsuites {_attributes(name=title)} {_counts(cases)}>"]
    for name, suite in suites.items():
        lines.append(f"  <testsuite {_attributes(name=name)} {_counts(suite)}>")
        for case in suite:
            head = f"    <testcase {_attributes(classname=name, name=case.name, line=case.line)}"
            if case.failure is None:
                lines.append(f"{head}/>")
                continue
            failure = _attributes(type=case.kind, message=case.failure)
            lines += [
                f"{head}>",
                f"      <failure {failure}>{_legal(case.details).translate(_IN_TEXT)}</failure>",
                "    </testcase>",
            ]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _counts(cases: Sequence[JUnitCase]) -> str:
    return f'tests="{len(cases)}" failures="{sum(case.failure is not None for case in cases)}" errors="0"'


_IN_TEXT = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
_IN_ATTRIBUTE = {**_IN_TEXT, ord('"'): "&quot;", ord("\n"): "&#10;", ord("\t"): "&#9;"}


def _attributes(**values: str | int | None) -> str:
    given = {key: _legal(str(value)) for key, value in values.items() if value is not None}
    return " ".join([f'{key}="{value.translate(_IN_ATTRIBUTE)}"' for key, value in given.items()])


def _legal(text: str) -> str:
    """Returns ``text`` with ``U+XXXX`` for carriage returns and for characters that XML 1.0 does not allow."""
    return "".join([char if _is_legal(ord(char)) else f"U+{ord(char):04X}" for char in text])


def _is_legal(code: int) -> bool:
    return code in (0x9, 0xA) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


_CLEAN = [JUnitCase("no findings")]


def render_junit(found: Sequence[Diagnostic], *, files: Sequence[str]) -> str:
    """``found`` (ordered by path) as XML; a file without findings is a suite with one passed case.

    Args:
        files: the names of all files that were looked at, in order.
    """
    grouped = {path: [_case(each) for each in group] for path, group in groupby(found, lambda each: each.path)}
    return junit_xml("execpolicy lint", {path: grouped.get(path, _CLEAN) for path in (*files, *grouped)})


def _case(found: Diagnostic) -> JUnitCase:
    details = f"{found.path}:{found.line}:{found.column}: {found.severity}[{found.code}]: {found.message}"
    if found.help is not None:
        details += f"\nhelp: {found.help}"
    return JUnitCase(f"{found.code} at {found.line}:{found.column}", found.message, found.severity, details)


RENDERERS: dict[str, Callable[[Sequence[Diagnostic], Sequence[str]], str]] = {
    "github": lambda found, files: render_github(found),
    "json": lambda found, files: render_json(found),
    "junit": lambda found, files: render_junit(found, files=files),
    "sarif": lambda found, files: render_sarif(found, version=__version__),
}
"""The renderers by format; they take the findings and the names of all files that were looked at."""
