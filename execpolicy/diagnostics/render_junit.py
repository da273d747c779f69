"""Diagnostics as JUnit XML: one suite for each file, one failed case for each finding."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from execpolicy.diagnostics.model import Diagnostic


def render_junit(found: Sequence[Diagnostic], *, files: Sequence[str]) -> str:
    """``found`` (ordered by path) as XML; a file without findings is a suite with one passed case.

    Args:
        files: the names of all files that were looked at, in order.
    """
    grouped = {path: list(group) for path, group in groupby(found, lambda diagnostic: diagnostic.path)}
    suites = [_suite(path, grouped.get(path, [])) for path in dict.fromkeys([*files, *grouped])]
    tests = sum(max(1, len(grouped.get(path, []))) for path in dict.fromkeys([*files, *grouped]))
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuites name="execpolicy lint" tests="{tests}" failures="{len(found)}" errors="0">',
        *suites,
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _suite(path: str, found: Sequence[Diagnostic]) -> str:
    head = f'  <testsuite name={_attribute(path)} tests="{max(1, len(found))}" failures="{len(found)}" errors="0">'
    cases = [_case(diagnostic) for diagnostic in found] or [
        f'    <testcase classname={_attribute(path)} name="no findings"/>'
    ]
    return "\n".join([head, *cases, "  </testsuite>"])


def _case(diagnostic: Diagnostic) -> str:
    place = f"{diagnostic.path}:{diagnostic.line}:{diagnostic.column}"
    text = f"{place}: {diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"
    if diagnostic.help is not None:
        text += f"\nhelp: {diagnostic.help}"
    name = f"{diagnostic.code} at {diagnostic.line}:{diagnostic.column}"
    return "\n".join(
        [
            f"    <testcase classname={_attribute(diagnostic.path)} name={_attribute(name)}>",
            f'      <failure type="{diagnostic.severity}" message={_attribute(diagnostic.message)}>'
            f"{escape(_legal(text))}</failure>",
            "    </testcase>",
        ]
    )


def _attribute(text: str) -> str:
    return quoteattr(_legal(text))


def _legal(text: str) -> str:
    """``text`` with what XML cannot hold shown as ``U+XXXX``."""
    return "".join([
        char if char in "\t\n" or (char >= " " and not "\ud800" <= char <= "\udfff" and char not in "\ufffe\uffff")
        else f"U+{ord(char):04X}"
        for char in text
    ])  # fmt: skip
