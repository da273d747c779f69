"""Tokens: nothing is lost, and the table of operators is the grammar's."""

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.lang.lexer import call_tokens, tokenize
from execpolicy.lang.terminals import KEYWORDS, OPERATORS, SyntaxProblem
from execpolicy.resources import grammar_folder


def kinds(text: str) -> list[str]:
    return [token.type for token in tokenize(text)]


def test_the_grammar_names_the_same_terminals() -> None:
    with open(os.path.join(grammar_folder(), "rules.lark"), encoding="utf-8") as file:
        named = dict(re.findall(r'^([A-Z_]+): "([^"]+)"$', file.read(), re.MULTILINE))
    ours = {name: spelling for spelling, name in {**OPERATORS, **KEYWORDS}.items()}
    assert named == ours


@given(st.text(alphabet="ab \"'\\\n\r\t#(){}[]=,.:;rf1x!", max_size=40), st.booleans())
def test_tokens_are_the_text(text: str, whole: bool) -> None:
    problem = None
    try:
        tokens = tokenize(text, whole_rules=whole)
    except SyntaxProblem as found:
        problem = found
    if problem is not None:
        assert 0 <= problem.start <= problem.end <= len(text)
        return
    assert "".join(token.text for token in tokens) == text
    assert all(text.startswith(token.text, token.start) for token in tokens)


def test_blank_lines_and_comments_have_no_indentation() -> None:
    text = "if x:\n  y\n# c\n\n   # d\n  z\n"
    assert kinds(text).count("INDENT") == kinds(text).count("DEDENT") == 1


def test_line_breaks_in_brackets_end_nothing() -> None:
    assert kinds("f(\n)") == ["NAME", "LPAR", "LINE_BREAK", "RPAR", "NEWLINE"]


def test_an_f_string_is_opened_up() -> None:
    assert kinds("f'a{{{b!r}'") == [
        "FSTRING_START",
        "FSTRING_TEXT",
        "FSTRING_OPEN",
        "NAME",
        "FSTRING_BANG",
        "NAME",
        "FSTRING_CLOSE",
        "FSTRING_END",
        "NEWLINE",
    ]


def test_an_f_string_may_use_its_own_quotes_inside() -> None:
    assert "STRING" in kinds('f"{x["a"]}"')


@pytest.mark.parametrize(
    "text",
    [
        'prefix_rule(pattern=["a", "b"], decision="allow")',
        'prefix_rule(pattern=["a", ["b", "c"]], decision="prompt", match=["a b"], justification="why")',
        'prefix_rule(\n    pattern = ["a"],\n    match = [\n        ["a", "b"],\n    ],\n)',
        "prefix_rule(pattern=[], canonical_matching=True)",
        'network_rule(host="h", protocol="https", decision="deny")',
        'host_executable(name="git", paths=["/usr/bin/git"])\r\n',
        'prefix_rule(pattern=["a"])  # noqa',
    ],
)
def test_a_call_of_plain_literals_is_one_token(text: str) -> None:
    assert kinds(text)[0] == "RULE_CALL"


@pytest.mark.parametrize(
    "text",
    [
        'prefix_rule(pattern=["a" "b"])',
        'prefix_rule(pattern=["a"], pattern=["b"])',
        'prefix_rule(pattern=["a\\n"])',
        'prefix_rule(pattern=["a"]); x',
        'prefix_rule(["a"])',
        "prefix_rule(pattern=[['a']])",
        "prefix_rule(pattern=[x])",
        'prefix_rule(pattern=[[["a"]]])',
        'prefix_rule(pattern=["a"],,)',
        'x = prefix_rule(pattern=["a"])',
        'if x:\n  prefix_rule(pattern=["a"])',
        '(\nprefix_rule(pattern=["a"])\n)',
        '"""\nprefix_rule(pattern=["a"])\n"""',
    ],
)
def test_anything_else_is_taken_apart(text: str) -> None:
    try:
        found = kinds(text)
    except SyntaxProblem:
        return
    assert "RULE_CALL" not in found


@pytest.mark.parametrize(
    ("text", "message", "start", "end"),
    [
        ("a\tb", "tabs are not allowed", 1, 2),
        ("while x: pass", "cannot use reserved keyword `while`", 0, 5),
        ("x = 012", "integer cannot have leading 0, got `012`", 4, 7),
        ('x = "a\ny"', "unfinished string literal", 4, 6),
        ('x = """a\n', "unfinished string literal", 4, 9),
        ('x = "\\ud800"', "invalid string escape sequence `ud800`", 5, 11),
        ("if x:\n  y\n z", "incorrect indentation", 10, 11),
        ("\ufeffx", "invalid input `U+FEFF`", 0, 1),
        ('f"}"', "standalone `}` in an f-string", 2, 3),
    ],
)
def test_refusals(text: str, message: str, start: int, end: int) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        tokenize(text)
    assert (caught.value.message, caught.value.start, caught.value.end) == (message, start, end)


def test_a_string_that_begins_with_r_is_not_a_raw_string() -> None:
    with pytest.raises(SyntaxProblem):
        tokenize('"r\\U"')
    assert [token.type for token in tokenize('r"\\U"')] == ["STRING", "NEWLINE"]


def test_the_tokens_of_a_call_are_those_of_the_lexer() -> None:
    texts = [
        'prefix_rule(pattern=["git", ["status", "a b"],], decision = "allow")',
        'prefix_rule(\n  # why, "x"\n  pattern=["git"],  # more\n  canonical_matching=True,\n)',
        'host_executable(name="git", paths=[])',
    ]
    for text in texts:
        (whole,) = [token for token in tokenize(text) if token.type == "RULE_CALL"]
        expected = tokenize(text, whole_rules=False)[:-1]
        assert [(t.type, t.text, t.start) for t in call_tokens(whole.text)] == [
            (t.type, t.text, t.start) for t in expected
        ]
