"""Diagnostics as JUnit XML: one suite for each file, one failed case for each finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from execpolicy.diagnostics.model import Diagnostic


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
                f"      <failure {failure}>{escape(_legal(case.details))}</failure>",
                "    </testcase>",
            ]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _counts(cases: Sequence[JUnitCase]) -> str:
    return f'tests="{len(cases)}" failures="{sum(case.failure is not None for case in cases)}" errors="0"'


def _attributes(**values: str | int | None) -> str:
    return " ".join([f"{key}={quoteattr(_legal(str(value)))}" for key, value in values.items() if value is not None])


def _legal(text: str) -> str:
    """``text`` with what XML 1.0 cannot hold shown as ``U+XXXX``, and a carriage return, which it does not keep."""
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
