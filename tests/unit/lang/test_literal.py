"""The literal reader and Starlark agree, and the literal reader gives up on everything that it is not sure of."""

import pytest
from hypothesis import strategies as st

from execpolicy.lang.file_limits import DEFAULT
from execpolicy.lang.literal import record_literal
from execpolicy.lang.starlark_run import run_starlark
from tests.support.each import drawn

LITERAL = [
    "",
    "# only a comment\n",
    'prefix_rule(pattern=["git", "push"], decision="allow")\n',
    'prefix_rule(pattern=["a"])',
    'prefix_rule(["a", ["b", "c"]], "prompt", [], [], "why", True)\n',
    "prefix_rule(\n    pattern = ['a'],  # one\n    # two\n    match = [\"a b\", ['a', 'c'],],\n)  # three\n",
    'prefix_rule(pattern=["a\\\\b\\"c\\n"])\r\n\r\n# x\r\n',
    'network_rule(host="h", protocol="https", decision="deny")\n   \nhost_executable(name="g", paths=[])\n',
    'safe_command(name="x", operands=3, flags=["-a"])\n',
    """prefix_rule(pattern=['say "hi"', "it's", '', ""], # "one", it's [two]\n decision='allow')\n""",
    'prefix_rule (pattern\n=\n["a"], match=[],\r\n)  \n',
    'prefix_rule(pattern=["a", "b\\"c", "d"],\n# )\n)\nprefix_rule(pattern=["x"])',
    "prefix_rule(pattern=[" + '"a", ' * 2000 + "])\n",
    "prefix_rule(" + "\n" * 4000 + 'pattern=["a"])\n',
]

NOT_LITERAL = [
    'x = 1\nprefix_rule(pattern=["a"])\n',
    ' prefix_rule(pattern=["a"])\n',
    'prefix_rule(pattern=["a" "b"])\n',
    'prefix_rule(pattern=["a", , "b"])\n',
    'prefix_rule(pattern=["a"], pattern=["b"])\n',
    'prefix_rule(decision="allow", ["a"])\n',
    'prefix_rule(pattern=["""a"""])\n',
    'prefix_rule(pattern=[f"a"])\n',
    'prefix_rule(pattern=["a\\x41"])\n',
    'prefix_rule(pattern=["a"]); prefix_rule(pattern=["b"])\n',
    'prefix_rule(pattern=["a"]) prefix_rule(pattern=["b"])\n',
    'prefix_rule(pattern=["a"]\n',
    '\tprefix_rule(pattern=["a"])\n',
    'prefix_rule(pattern=["a"])\rprefix_rule(pattern=["b"])\n',
    "# comment\r",
    'other_rule(pattern=["a"])\n',
    "prefix_rule(pattern=[007])\n",
    "prefix_rule(pattern=[1.5])\n",
    'prefix_rule(True=["a"])\n',
    'prefix_rule\n(pattern=["a"])\n',
    'prefix_rule(pattern=["a"],, decision="allow")\n',
    'prefix_rule(pattern=["a"] decision="allow")\n',
    "prefix_rule(,)\n",
    'prefix_rule(7=["a"])\n',
    'prefix_rule(pattern=[["a", ["b"]]])\n',
    'prefix_rule(pattern=[pattern="a"])\n',
    'prefix_rule(pattern=("a"))\n',
    'prefix_rule(pattern=["a"\rb])\n',
    'prefix_rule(pattern=["a\n"])\n',
    "prefix_rule(" + "\n" * 5000 + 'pattern=["a"])\n',
]


def calls(text: str, *, starlark: bool) -> object:
    recording = run_starlark(text, DEFAULT) if starlark else record_literal(text)
    assert recording is not None
    if recording.failure is not None:
        return "failure"
    return [(call.name, call.line, call.args, call.kwargs) for call in recording.calls]


@pytest.mark.parametrize("text", LITERAL)
def test_literal_files_are_read_as_starlark_reads_them(text: str) -> None:
    assert calls(text, starlark=False) == calls(text, starlark=True)


@pytest.mark.parametrize("text", NOT_LITERAL)
def test_everything_else_is_left_to_starlark(text: str) -> None:
    assert record_literal(text) is None


PIECES = st.sampled_from(
    list("abAB\"'\\[](),=# \n\r\t;:.+-*{}")
    + ["prefix_rule", "pattern", "decision", "True", "None", '"""', 'prefix_rule(pattern=["a"])\n', '["x", "y"]', "007"]
)


@drawn(40, 400, st.sampled_from(LITERAL), st.lists(st.tuples(st.integers(0, 120), st.booleans(), PIECES), max_size=4))
def test_mutated_files_never_differ_from_starlark(text: str, edits: list[tuple[int, bool, str]]) -> None:
    for at, replace, piece in edits:
        at = min(at, len(text))
        text = text[:at] + piece + text[at + replace :]
    if record_literal(text) is not None:
        assert calls(text, starlark=False) == calls(text, starlark=True)
