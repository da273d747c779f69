"""Places, warnings and errors of compiled rule files."""

import pytest

from execpolicy.errors import RuleFileError
from execpolicy.lang.compile import compile_source, compile_sources
from execpolicy.source import Source


def places(text: str) -> list[str]:
    return [str(statement.place) for statement in compile_source(Source("f.rules", text)).statements]


def failure(text: str) -> tuple[str, int, int]:
    with pytest.raises(RuleFileError) as caught:
        compile_source(Source("f.rules", text))
    found = caught.value.diagnostics[0]
    return found.code, found.line, found.column


def test_literal_calls_are_placed_at_their_first_line() -> None:
    text = '# comment\nprefix_rule(\n  pattern = ["a"],\n)\n\nprefix_rule(pattern=["b"], decision="allow")\n'
    assert places(text) == ["f.rules:2", "f.rules:6"]


def test_calls_in_functions_loops_and_comprehensions_are_placed() -> None:
    text = (
        "def f(x):\n"
        "  prefix_rule(pattern = [x])\n"
        'f("a")\n'
        'for y in ["b", "c"]:\n'
        "  prefix_rule(pattern = [y])\n"
        '[prefix_rule(pattern = [z]) for z in ["d"]]\n'
    )
    assert places(text) == ["f.rules:2", "f.rules:5", "f.rules:5", "f.rules:6"]


def test_alternatives_in_first_position_make_one_rule_each() -> None:
    assert places('prefix_rule(pattern = [["a", "b"], "c"])\n') == ["f.rules:1", "f.rules:1"]


def test_errors_say_where() -> None:
    assert failure('x = 1\nprefix_rule(pattern = ["a"], decision = "deny")\n') == ("EP002", 2, 1)
    assert failure("x = 1\ny = (\n")[:2] == ("EP001", 3) or failure("x = 1\ny = (\n")[0] == "EP001"
    assert failure("a = 1\nb = nope\n") == ("EP001", 2, 5)
    assert failure('prefix_rule(pattern = ["a"])\nfail("no")\n') == ("EP002", 2, 1)


def test_the_first_bad_call_comes_before_a_later_run_time_error() -> None:
    assert failure('prefix_rule(pattern = [])\nfail("later")\n')[1] == 1


def test_a_failing_example_is_placed_at_its_call() -> None:
    assert failure('\n\nprefix_rule(pattern = ["a"], match = ["b"])\n') == ("EP003", 3, 1)
    assert failure('prefix_rule(pattern = ["a"], not_match = ["a b"])\n') == ("EP004", 1, 1)


def test_rebinding_a_builtin_is_accepted_with_a_warning() -> None:
    compiled = compile_source(Source("f.rules", 'def prefix_rule(**kw):\n  pass\nprefix_rule(pattern = ["a"])\n'))
    assert compiled.statements == ()
    assert [(w.code, w.line, w.severity) for w in compiled.warnings] == [("EP007", 1, "warning")]


def test_a_failing_example_in_file_one_stops_before_file_two() -> None:
    sources = [Source("1.rules", 'prefix_rule(pattern=["a"], match=["b"])\n'), Source("2.rules", "((\n")]
    with pytest.raises(RuleFileError) as caught:
        compile_sources(sources)
    assert caught.value.diagnostics[0].path == "1.rules"


def test_write_rule_examples_are_checked() -> None:
    text = (
        'write_rule(paths = ["./build/**", "/tmp/*"], match = ["build/a/b", "/tmp/x"], not_match = ["/tmp/a/b", "x"])\n'
    )
    assert len(compile_source(Source("f.rules", text)).statements) == 1
    assert failure('write_rule(paths = ["./build/**"], not_match = ["build/x"])\n')[0] == "EP004"
    assert failure('write_rule(paths = ["build"])\n')[0] == "EP002"


def test_an_example_may_mean_the_rule_in_other_words() -> None:
    text = 'prefix_rule(pattern=["rm", "-rf"], decision="forbidden", match=["{}"])\n'
    for meant in ("rm -rf x", "rm -r -f x", "rm x --force -R"):
        assert compile_source(Source("f.rules", text.format(meant))).statements
    assert failure(text.format("rm -r x")) == ("EP003", 1, 1)
    assert failure(text.format("rm -r -f x").replace("forbidden", "allow")) == ("EP003", 1, 1)
    with pytest.raises(RuleFileError):
        compile_source(Source("f.rules", text.format("rm -r -f x")), literal=True)


def test_a_counter_example_is_compared_by_words() -> None:
    text = 'prefix_rule(pattern=["rm", "-rf"], decision="forbidden", not_match=["rm -r -f x"])\n'
    assert compile_source(Source("f.rules", text)).statements
