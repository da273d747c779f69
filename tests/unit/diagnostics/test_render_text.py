"""Diagnostics as a person sees them."""

import sys

import pytest

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.diagnostics.render_text import render_text, visible
from execpolicy.source import Source, Span
from tests.support.running import run_captured


def located(text: str, start: int, end: int, **more: object) -> Diagnostic:
    source = Source("d/x.rules", text)
    line, column = source.position(start)
    return Diagnostic(
        code="EP001",
        message="it is wrong",
        path=source.name,
        line=line,
        column=column,
        span=Span(start, end),
        source=source,
        **more,  # type: ignore[arg-type]  # the tests name fields that exist
    )


def test_place_line_underline_and_help() -> None:
    text = 'a = 1\nprefix_rule(pattern=["a" "b"])\n'
    start = text.index('"b"')
    assert render_text([located(text, start, start + 3, help="add a comma")]) == (
        "d/x.rules:2:26: error[EP001]: it is wrong\n"
        "  |\n"
        '2 | prefix_rule(pattern=["a" "b"])\n'
        "  |                          ^^^\n"
        "  = help: add a comma\n"
    )


def test_two_problems_are_separated_by_an_empty_line() -> None:
    text = render_text([located("ab", 0, 1), located("ab", 1, 2, severity="warning")])
    assert text.count("\n\n") == 1
    assert "warning[EP001]" in text


def test_without_a_source_there_is_only_the_place() -> None:
    whole = Diagnostic(code="EP005", message="cannot be read", path="x", help="check it")
    assert render_text([whole]) == "x: error[EP005]: cannot be read; check it\n"
    line = Diagnostic(code="EP002", message="m", path="x", line=3, severity="info")
    assert render_text([line]) == "x:3: info[EP002]: m\n"


def underline(text: str, start: int, end: int) -> tuple[str, str]:
    _, _, shown, under = render_text([located(text, start, end)]).splitlines()
    return shown[4:], under[4:]


@pytest.mark.parametrize(
    ("text", "start", "end", "shown", "under"),
    [
        ("\tx", 1, 2, "    x", "    ^"),
        ("ab\tx", 3, 4, "ab  x", "    ^"),
        ("日本x", 2, 3, "日本x", "    ^"),
        ("日本x", 0, 2, "日本x", "^^^^"),
        ("e\u0301x", 2, 3, "e\u0301x", " ^"),
        ("a\u202ex", 2, 3, "a\\u{202e}x", "         ^"),
        ("a\x1b[31mx", 6, 7, "a\\u{1b}[31mx", "           ^"),
        ("abc", 3, 3, "abc", "   ^"),
        ("abc\r", 0, 4, "abc", "^^^"),
        ("", 0, 0, "", "^"),
        ("ab\ncd", 0, 5, "ab", "^^"),
    ],
)
def test_the_underline_is_below_the_text(text: str, start: int, end: int, shown: str, under: str) -> None:
    block = render_text([located(text, start, end)]).splitlines()
    assert block[2][4:] == shown
    assert block[3][4:] == under


def test_a_long_line_is_cropped_around_the_problem() -> None:
    text = "a" * 500 + "X" + "b" * 10_000_000
    shown, under = underline(text, 500, 501)
    assert len(shown) < 200
    assert shown[under.index("^")] == "X"
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_colour_only_when_asked() -> None:
    assert "\x1b" not in render_text([located("ab", 0, 1, help="h")])
    painted = render_text([located("ab", 0, 1, help="h")], color=True)
    assert "\x1b[1;31merror[EP001]\x1b[0m" in painted


def test_nothing_in_a_message_steers_the_terminal() -> None:
    bad = Diagnostic(code="EP001", message="a\x1b[2Jb\nc", path="p\x07", line=1, help="h\u202e")
    text = render_text([bad])
    assert text == "p\\u{7}:1: error[EP001]: a\\u{1b}[2Jb\\u{a}c\n  = help: h\\u{202e}\n"
    assert visible("plain ä") == "plain ä"


def test_it_is_light_to_import() -> None:
    code = (
        "import sys; import execpolicy.diagnostics.render_text as r; r.render_text([]);"
        "print([m for m in ('lark', 're', 'dataclasses', 'typing', 'starlark') if m in sys.modules])"
    )
    loaded = run_captured(
        [sys.executable, "-S", "-I", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"], check=True
    )
    assert loaded.stdout.strip() == "[]"
