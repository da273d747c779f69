"""Test outcomes as a JUnit report."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.insight.testing import Outcome


def junit_xml(outcomes: Sequence[Outcome]) -> str:
    """One ``testsuite`` a file, one ``testcase`` an example or case."""
    root = ElementTree.Element("testsuites", name="execpolicy")
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.group, []).append(outcome)
    for group, members in groups.items():
        failures = sum(1 for outcome in members if outcome.failure is not None)
        suite = ElementTree.SubElement(
            root, "testsuite", name=_clean(group), tests=str(len(members)), failures=str(failures)
        )
        for outcome in members:
            case = ElementTree.SubElement(
                suite, "testcase", classname=_clean(group), name=_clean(outcome.title), line=str(outcome.line)
            )
            if outcome.failure is not None:
                ElementTree.SubElement(case, "failure", message=_clean(outcome.failure))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _clean(text: str) -> str:
    """Without the characters that XML cannot carry at all."""
    return "".join(
        char if char in "\t\n\r" or (char >= " " and char not in "\ufffe\uffff") else "\ufffd" for char in text
    )
