"""Diagnostics as JUnit XML: one suite for each file, one failed case for each finding."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from execpolicy.diagnostics.junit import JUnitCase, junit_xml
from execpolicy.diagnostics.model import Diagnostic

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
