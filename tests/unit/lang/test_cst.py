"""The tree as tools see it."""

import pytest

from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.parse import parse
from execpolicy.source import Source

TEXT = """\
# head
prefix_rule(pattern=["git", ["status", "log"]], decision="allow")

def more(name):
    prefix_rule(pattern=[name], decision = "prompt")  # in a function

for tool in ["a", "b"]:
    more(tool)
[prefix_rule([x]) for x in ["c"]]
prefix_rule(
    # why
    pattern = ["d", r"\\e"],
    justification = "a" + "b",
); pass
x = prefix_rule
"""


@pytest.fixture
def tree() -> SyntaxTree:
    return parse(Source("t.rules", TEXT))


def test_statements(tree: SyntaxTree) -> None:
    assert [(s.kind, s.call is not None, tree.lines_of(s.span)) for s in tree.statements] == [
        ("rule_call", True, (2, 2)),
        ("def_stmt", False, (4, 5)),
        ("for_stmt", False, (7, 8)),
        ("simple_stmt", False, (9, 9)),
        ("simple_stmt", False, (10, 14)),
        ("simple_stmt", False, (15, 15)),
    ]


def test_calls(tree: SyntaxTree) -> None:
    assert [(call.name, tree.position(call.start), call.context) for call in tree.calls] == [
        ("prefix_rule", (2, 1), ()),
        ("prefix_rule", (5, 5), ("def_stmt",)),
        ("prefix_rule", (9, 2), ("list_comprehension",)),
        ("prefix_rule", (10, 1), ()),
    ]


def test_arguments_and_literals(tree: SyntaxTree) -> None:
    first, second, third, fourth = tree.calls
    pattern = first.argument("pattern")
    assert pattern is not None
    assert pattern.value.literal() == ["git", ["status", "log"]]
    assert tree.source.snippet(pattern.span) == 'pattern=["git", ["status", "log"]]'
    assert [tree.source.snippet(item.span) for item in pattern.value.items] == ['"git"', '["status", "log"]']
    assert second.argument("pattern").value.is_literal is False  # type: ignore[union-attr]  # it is there
    positional = third.argument("pattern")
    assert positional is not None
    assert positional.name is None
    assert fourth.argument("pattern").value.strings() == ("d", "\\e")  # type: ignore[union-attr]  # it is there
    assert fourth.argument("justification").value.kind == "other"  # type: ignore[union-attr]  # it is there
    assert fourth.argument("match") is None


def test_lines_lead_to_calls(tree: SyntaxTree) -> None:
    (call,) = tree.calls_at_line(5)
    assert call.text == 'prefix_rule(pattern=[name], decision = "prompt")'
    assert tree.calls_at_line(3) == ()


def test_a_line_with_two_calls_leads_nowhere() -> None:
    tree = parse(Source("t", 'prefix_rule(pattern=["a"]); prefix_rule(pattern=["b"])\n'))
    assert len(tree.calls_at_line(1)) == 2


def test_comments_and_positions(tree: SyntaxTree) -> None:
    assert [(c.text, tree.position(c.start)) for c in tree.comments()] == [
        ("# head", (1, 1)),
        ("# in a function", (5, 55)),
        ("# why", (11, 5)),
    ]
    assert [tree.source.snippet(tree.line_span(line)) for line in range(1, TEXT.count("\n") + 2)] == TEXT.split("\n")
    for offset in range(len(TEXT) + 1):
        assert tree.position(offset) == tree.source.position(offset)


def test_comments_inside_of_a_whole_call() -> None:
    text = '# 0\nprefix_rule(  # 1 "\n    pattern=["a#"  # 2 ]\n    ,  # x=True\n    ],\n    # 3\n)  # 4\n'
    tree = parse(Source("t", text))
    assert tree.nodes[0].kind == "rule_call"
    assert [c.text for c in tree.comments()] == ["# 0", '# 1 "', "# 2 ]", "# x=True", "# 3", "# 4"]
    assert all(text.startswith(c.text, c.start) for c in tree.comments())
    (call,) = tree.calls
    assert [(a.name, a.value.literal()) for a in call.arguments] == [("pattern", ["a#"])]


@pytest.mark.parametrize(
    "text",
    ["prefix_rule()", "a.prefix_rule(b)", "prefix_rule.x(b)", 'x = "prefix_rule(pattern=[])"', "# prefix_rule()"],
)
def test_what_is_and_is_not_a_call(text: str) -> None:
    calls = parse(Source("t", text)).calls
    assert len(calls) == (text == "prefix_rule()")
    assert all(call.arguments == () for call in calls)


def test_splats_hide_positions() -> None:
    (call,) = parse(Source("t", "prefix_rule(*a, **b)")).calls
    assert [argument.name for argument in call.arguments] == ["*", "**"]
    assert call.argument("pattern") is None


def test_what_a_comment_quotes_is_no_argument() -> None:
    text = 'prefix_rule(  # "first"\n    pattern=["a", ["b"]],  # "said" [\n    decision="allow",  # "last" (\n)\n'
    (call,) = parse(Source("a.rules", text)).calls
    assert [(each.name, each.value.literal(), text[each.start : each.end]) for each in call.arguments] == [
        ("pattern", ["a", ["b"]], 'pattern=["a", ["b"]]'),
        ("decision", "allow", 'decision="allow"'),
    ]
