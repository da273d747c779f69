"""The grammar against the Starlark that evaluates: both accept the same texts."""

import json
from pathlib import Path

import pytest
import starlark
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from execpolicy.errors import RuleFileError
from execpolicy.lang.parse import parse
from execpolicy.lang.syntax_messages import unsupported
from execpolicy.source import Source
from tests.support.each import drawn, each
from tests.support.programs import PROGRAMS

DATA = Path(__file__).parents[2] / "data"
CASES = [json.loads(line) for line in (DATA / "lang/syntax_cases.jsonl").read_text("utf-8").splitlines()]
PEER = sorted({
    text
    for line in (DATA / "peer/codex_check.jsonl").read_text("utf-8").splitlines()
    for text in json.loads(line)["rules"]
})  # fmt: skip


def starlark_accepts(text: str) -> bool:
    dialect = starlark.Dialect.extended()
    dialect.enable_f_strings = True
    try:
        starlark.parse("x", text, dialect)
    except starlark.StarlarkError:
        return False
    return True


def assert_agreed(text: str) -> None:
    """Both accept ``text``, or both refuse it, or it uses what only Codex's Starlark has."""
    try:
        tree = parse(Source("x", text))
    except RuleFileError:
        assert not starlark_accepts(text)
        return
    assert "".join(token.text for token in tree.tokens) == text
    if not unsupported(tree):
        assert starlark_accepts(text)


@each("text", CASES)
def test_written_cases(text: str) -> None:
    assert_agreed(text)


@each("text", PEER)
def test_recorded_rule_files(text: str) -> None:
    assert_agreed(text)


def test_the_cases_hold_both_kinds() -> None:
    accepted = sum(starlark_accepts(text) for text in CASES)
    assert 100 < accepted < len(CASES) - 100


PIECES = [
    "", " ", "\n", "  ", "\t", "(", ")", "]", "}", ",", "=", ":", "*", '"', "'", "\\", "#", "f", ".", "1",
    "if ", "\r", "é", "in ",
]  # fmt: skip
MUTATIONS = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3), st.sampled_from(PIECES)), max_size=3)


@drawn(30, 300, PROGRAMS)
def test_generated_programs(text: str) -> None:
    assert_agreed(text)


@drawn(60, 600, PROGRAMS, MUTATIONS)
def test_generated_programs_with_errors(text: str, mutations: list[tuple[int, int, str]]) -> None:
    for at, length, new in mutations:
        at = min(at, len(text))
        text = text[:at] + new + text[at + length :]
    assume("{\\" not in text)
    assume("\r}" not in text)
    assert_agreed(text)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(alphabet="ab1 .=+-*/<>!:;,()[]{}\"'\\\n\r\t#frb", max_size=30))
def test_generated_noise(text: str) -> None:
    assume("{\\" not in text)
    assume("\r}" not in text)
    assert_agreed(text)


@pytest.mark.parametrize(
    ("text", "message", "line", "column", "help_part"),
    [
        ('prefix_rule(pattern=["a" "b"])', 'unexpected string literal `"b"`, expected `]`', 1, 26, "comma or `+`"),
        ('x = 1\nprefix_rule(pattern=["a"', "unexpected end of file, `[` is never closed", 2, 21, "missing `]`"),
        ("x = 1 < 2 < 3", "unexpected symbol `<`, expected end of statement", 1, 11, "do not chain"),
        ("x = [\ndef f():\n  pass", "`[` is never closed", 1, 5, "missing `]`"),
        ("  x = 1", "unexpected new indentation block, expected statement", 1, 3, "remove the blanks"),
        ("if x:\ny", "unexpected identifier `y`, expected an indented block", 2, 1, "indented"),
        ("f(a=1, a=2)", "repeated named argument", 1, 8, "give `a` once"),
        ("x = [*a]", "unexpected symbol `*`, expected expression", 1, 6, "only unpack in calls"),
        ('x = f"{a:>3}"', "unexpected symbol `:`, expected end of f-string expression `}`", 1, 9, "format spec"),
        ("for x in y: pass\nelse: pass", "unexpected keyword `else`, expected statement", 2, 1, "belongs to `if`"),
        ("x = 2 ** 3", "unexpected symbol `**`, expected end of statement", 1, 7, "no power operator"),
    ],
)
def test_errors_say_where_and_what_to_do(text: str, message: str, line: int, column: int, help_part: str) -> None:
    with pytest.raises(RuleFileError) as caught:
        parse(Source("p.rules", text))
    (found,) = caught.value.diagnostics
    assert (found.code, found.message, found.path, found.line, found.column) == (
        "EP001",
        message,
        "p.rules",
        line,
        column,
    )
    assert found.span is not None
    assert help_part in (found.help or "")


def test_several_problems_are_reported_in_order() -> None:
    with pytest.raises(RuleFileError) as caught:
        parse(Source("p", "1 = x\nbreak\ndef f(a, a): pass\n"))
    assert [found.line for found in caught.value.diagnostics] == [1, 2, 3]


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 50_000 + "]" * 50_000,
        "x = " + "not " * 50_000 + "1",
        "x = " + "1+" * 50_000 + "1",
        "(" * 20_000 + "a" + ")" * 20_000 + " = 1",
        "x: " + "(" * 20_000 + "a" + ")" * 20_000 + " = 1",
        "x = " + 'f"{' * 10_000 + "1" + '}"' * 10_000,
    ],
    ids=["list", "not", "plus", "target", "type", "f-string"],
)
def test_depth_is_no_problem(text: str) -> None:
    tree = parse(Source("deep", text))
    assert len(tree.statements) == 1
    assert tree.calls == ()


def test_unclosed_depth_is_an_error() -> None:
    with pytest.raises(RuleFileError, match="never closed"):
        parse(Source("deep", "[" * 100_000))


@pytest.mark.parametrize(
    ("text", "starts"),
    [('x = b"a" + rb"c"', [4, 11]), ('x = f"{1}{a}{ b !r}{c.d}"', [6, 19]), ("x = f'{a}'", []), ('f"{f"{a}"}"', [2])],
)
def test_syntax_that_only_codex_has(text: str, starts: list[int]) -> None:
    assert [problem.start for problem in unsupported(parse(Source("x", text)))] == starts
