"""Output formats: golden files, and what their readers require."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from execpolicy.diagnostics.model import Diagnostic, Edit, Fix, Positions
from execpolicy.diagnostics.render_formats import (
    JUnitCase,
    junit_xml,
    render_github,
    render_json,
    render_junit,
    render_sarif,
)
from execpolicy.diagnostics.render_text import render_text
from execpolicy.source import Source, Span
from tests.support.each import each
from tests.support.sarif import sarif_problems

GOLDEN = Path(__file__).parents[2] / "data/render"
SOURCE = Source("rules/a b,c.rules", '# é\nprefix_rule(pattern=["git",\n    "push"])\n# 100%: "x" <y> \x01\n')


def at(code: str, start: int, end: int, **more: object) -> Diagnostic:
    line, column = SOURCE.position(start)
    return Diagnostic(
        code=code,
        path=SOURCE.name,
        line=line,
        column=column,
        span=Span(start, end),
        source=SOURCE,
        **more,  # type: ignore[arg-type]  # the tests name fields that exist
    )


FOUND = [
    Diagnostic(code="EP005", message="failed to read it: no such file", path="rules/gone.rules"),
    Diagnostic(code="EP002", message="a line only", path=SOURCE.name, line=2, severity="error"),
    at("EP301", 4, 44, message="`git push` prompts without a reason", severity="info", help="say why"),
    at(
        "EP201",
        4,
        44,
        message='100%, "twice" & <more>\x01:',
        severity="warning",
        fix=Fix(title="delete the rule", edits=(Edit(Span(4, 45), ""),), applicability="safe"),
    ),
    at("EP108", 48, 52, message="odd", fix=Fix(title="a thought", edits=(), applicability="display")),
]
RENDERED = {
    "text.txt": lambda: render_text(FOUND),
    "color.txt": lambda: render_text(FOUND, color=True),
    "list.json": lambda: render_json(FOUND),
    "sarif.json": lambda: render_sarif(FOUND, version="1.2.3"),
    "junit.xml": lambda: render_junit(FOUND, files=["rules/clean.rules", "rules/gone.rules", SOURCE.name]),
    "github.txt": lambda: render_github(FOUND),
}


@pytest.mark.parametrize("name", sorted(RENDERED))
def test_golden(name: str) -> None:
    assert RENDERED[name]() == (GOLDEN / name).read_bytes().decode("utf-8")


def test_json_has_what_programs_rely_on() -> None:
    listed = json.loads(render_json(FOUND))
    assert isinstance(listed, list)
    for entry in listed:
        assert {"code", "message", "path", "line", "column", "severity"} <= set(entry)
    assert render_json([]) == "[]\n"


def test_sarif_is_valid() -> None:
    assert sarif_problems(json.loads(render_sarif(FOUND, version="1"))) == []
    assert sarif_problems(json.loads(render_sarif([], version="1"))) == []


def test_the_sarif_check_sees_mistakes() -> None:
    log = json.loads(render_sarif(FOUND, version="1"))
    log["runs"][0]["results"][0]["level"] = "fatal"
    del log["runs"][0]["results"][1]["message"]
    log["runs"][0]["results"][2]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    log["runs"][0]["results"][3]["more"] = 1
    assert len(sarif_problems(log)) == 4


def test_junit_is_xml_that_counts_right() -> None:
    root = ElementTree.fromstring(render_junit(FOUND, files=["rules/clean.rules"]))
    assert len(root.findall("testsuite")) == 3
    assert int(root.attrib["failures"]) == len(root.findall(".//failure")) == len(FOUND)
    assert int(root.attrib["tests"]) == len(root.findall(".//testcase")) == len(FOUND) + 1
    for suite in root.findall("testsuite"):
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))


@each("code", [*range(0x300), 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFD, 0xFFFE, 0xFFFF, 0x1F600])
def test_junit_holds_every_character_or_names_it(code: int) -> None:
    text = f"a{chr(code)}b"
    root = ElementTree.fromstring(junit_xml(text, {text: [JUnitCase(text, text, text, text)]}).encode())
    kept = f"aU+{code:04X}b"
    attributes = [value for node in root.iter() for name, value in node.items() if name in ("name", "message", "type")]
    found = [*attributes, *[node.text for node in root.iter("failure")]]
    assert found in ([text] * 6, [kept] * 6)
    is_kept = code in (0x9, 0xA) or (code >= 0x20 and not 0xD800 <= code <= 0xDFFF and code not in (0xFFFE, 0xFFFF))
    assert (found == [text] * 6) == is_kept


def test_github_commands_are_one_line_each() -> None:
    lines = render_github(FOUND).splitlines()
    assert len(lines) == len(FOUND)
    assert all(line.split(" ")[0] in ("::error", "::warning", "::notice") for line in lines)


def test_positions_agree_with_the_source() -> None:
    positions = Positions()
    for offset in range(len(SOURCE.text) + 1):
        assert positions.of(SOURCE, offset) == SOURCE.position(offset)


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, render in RENDERED.items():
        (GOLDEN / name).write_bytes(render().encode("utf-8"))
