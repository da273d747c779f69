"""JSON with comments: what it holds, and where it is broken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.errors import RuleFileError
from execpolicy.exchange.tool_entry import parse_jsonc
from execpolicy.source import Source

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        ('// c\n{"a": 1 /* x */, // y\n}', {"a": 1}),
        ("[1, 2,]", [1, 2]),
        ("[1, 2, /* c */\n ]", [1, 2]),
        (
            '{"a": "// no comment", "b": "/* nor this */", "c": ",]"}',
            {"a": "// no comment", "b": "/* nor this */", "c": ",]"},
        ),
        ('["\\"// x", 1,]', ['"// x', 1]),
        ("\ufeff[1]", [1]),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ("/**/[/* ** */]//", []),
        ('"a\\\\"', "a\\"),
    ],
)
def test_comments_and_trailing_commas_are_passed_over(text: str, value: Any) -> None:
    assert parse_jsonc(Source("x", text)) == value


@given(VALUES)
def test_plain_json_is_what_it_is(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=1), json.dumps(value, ensure_ascii=False)):
        assert parse_jsonc(Source("x", text)) == value


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3),
        ("[1, /* x\n", 1, 5),
        ("[,]", 1, 2),
        ("[1,,]", 1, 4),
        ("{,}", 1, 2),
        ('{"a":,}', 1, 6),
        ('// c\n{"a" 1}', 2, 6),
        ('["a\nb"]', 1, 4),
        ("", 1, 1),
        ("[1] 2", 1, 5),
        ("\ufeff{]", 1, 3),
    ],
)
def test_what_is_broken_is_found_where_it_is(text: str, line: int, column: int) -> None:
    with pytest.raises(RuleFileError) as caught:
        parse_jsonc(Source("x.json", text))
    (found,) = caught.value.diagnostics
    assert (found.code, found.path, found.line, found.column) == ("EP016", "x.json", line, column)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "[" * 100_000, '{"a":' * 50_000])
def test_nothing_else_gets_through_or_kills(text: str) -> None:
    with pytest.raises(RuleFileError):
        parse_jsonc(Source("x", text))
