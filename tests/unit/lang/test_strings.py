"""String literals: decoded as Starlark does, encoded so that they decode to the same text."""

import pytest
import starlark
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.lexer import tokenize
from execpolicy.lang.parse import parse
from execpolicy.lang.terminals import SyntaxProblem, decode_string, encode_string
from execpolicy.source import Source


def evaluated(literal: str) -> object:
    module = starlark.Module()
    tree = starlark.parse("x", f"x = {literal}\n", starlark.Dialect.standard())
    starlark.eval(module, tree, starlark.Globals.standard())
    return module["x"]


@given(st.text(alphabet="ab01789xuU{}nrt\\\\\\\"'\n\r é", max_size=20), st.sampled_from(["", "r"]))
def test_decoding_agrees_with_starlark(body: str, prefix: str) -> None:
    for quote in ('"', "'", '"""', "'''"):
        literal = f"{prefix}{quote}{body}{quote}"
        try:
            tokens = tokenize(literal)
        except SyntaxProblem:
            continue
        if [token.type for token in tokens] != ["STRING", "NEWLINE"]:
            continue
        assert decode_string(literal) == evaluated(literal), literal


@given(st.text())
def test_encoding_round_trips(text: str) -> None:
    literal = encode_string(text)
    assert decode_string(literal) == text
    assert evaluated(literal) == text


@pytest.mark.parametrize(
    ("text", "literal"), [("a", '"a"'), ('a"b\\', '"a\\"b\\\\"'), ("é", '"é"'), ("\u202e\n\x1b", '"\\u202e\\n\\x1b"')]
)
def test_invisible_characters_are_escaped(text: str, literal: str) -> None:
    assert encode_string(text) == literal


def tree(text: str) -> SyntaxTree:
    return parse(Source("t", text))


@pytest.mark.parametrize(
    "text",
    [
        'prefix_rule(pattern=["a", ["b", "c"]], decision="allow", match=["a b", ["a", "c"]], canonical_matching=True)',
        'prefix_rule(\n    pattern = [\n        "a",\n        ["b"],\n    ],\n    decision = "prompt",\n)',
        'network_rule(host="[::1]", protocol="https", decision="deny", justification="a = b, c")',
        "prefix_rule(pattern=[])",
        'prefix_rule(  # a = "b"\n    pattern=["a", # [\n      ["b"]  # ]\n    ]  # "\n    , decision="prompt" # c\n)',
    ],
)
def test_whole_calls_have_the_arguments_that_the_parser_finds(text: str) -> None:
    whole, parsed = tree(text).calls[0], tree(text + " ; pass").calls[0]
    assert not isinstance(whole.node, type(parsed.node))
    assert [(a.name, a.start, a.end, a.value.literal()) for a in whole.arguments] == [
        (a.name, a.start, a.end, a.value.literal()) for a in parsed.arguments
    ]
    spans = [(item.start, item.end) for argument in whole.arguments for item in argument.value.items]
    assert spans == [(item.start, item.end) for argument in parsed.arguments for item in argument.value.items]
