"""Examples, cases, coverage and the JUnit report."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from execpolicy.cli.group import cli
from execpolicy.core.decision import Decision
from execpolicy.diagnostics.render_formats import junit_xml
from execpolicy.errors import RuleFileError
from execpolicy.insight.testing import RuleTests, Trial, junit_suites, read_cases
from execpolicy.source import Source
from tests.support.judging import PLACE, rulebook

RULES = """\
prefix_rule(pattern = ["git", "push"], decision = "prompt", match = ["git push"], not_match = ["git pull"])
prefix_rule(pattern = ["make"])
prefix_rule(pattern = ["never"])
"""


def test_cases_are_read_in_both_forms() -> None:
    text = '# comment\nallow: ls -la\n\n{"argv": ["git", "push"], "decision": "prompt", "name": "push"}\n'
    first, second = read_cases(Source("x.cases", text))
    assert (first.command, first.expected, first.line) == ("ls -la", Decision.ALLOW, 2)
    assert (second.command, second.title, second.line) == (("git", "push"), "push", 4)


@pytest.mark.parametrize(
    "line",
    ["ls -la", "deny: ls", "allow:", "{", '{"decision": "allow"}', '{"decision": "allow", "script": "x", "extra": 1}'],
)
def test_a_bad_case_is_reported_with_its_line(line: str) -> None:
    with pytest.raises(RuleFileError) as caught:
        read_cases(Source("x.cases", f"allow: ls\n{line}\n"))
    assert caught.value.diagnostics[0].line == 2


def test_every_example_is_a_test_and_coverage_counts_what_fired() -> None:
    tests = RuleTests()
    tests.load([Source("a.rules", RULES)])
    assert [trial.title for trial in tests.trials] == ["matches git push", "does not match git pull"]
    book = rulebook().with_statements(*tests.statements)
    tests.run_cases(read_cases(Source("x.cases", "allow: make all\nforbidden: make\n")), book, PLACE)
    tests.run_history([("git push", 7)], book, PLACE)
    assert [trial.failure is None for trial in tests.trials] == [True, True, True, False]
    assert [(one.examples, one.cases, one.history, one.fired) for one in tests.coverage()] == [
        (1, 0, 7, True),
        (0, 2, 0, True),
        (0, 0, 0, False),
    ]


def test_every_fault_of_a_broken_file_is_a_failed_test() -> None:
    tests = RuleTests()
    broken = (
        'prefix_rule(pattern=["a"], match=["b"])\n'
        'prefix_rule(pattern=["c"] decision="allow")\n'
        'prefix_rule(pattern=["d"], justification=" ")\n'
        'prefix_rule(pattern=["e"], not_match=["e f"])\n'
    )
    tests.load([Source("a.rules", broken), Source("b.rules", RULES)])
    assert [(trial.title, trial.line, trial.column, trial.failure) for trial in tests.trials[:4]] == [
        ("loads", 1, 1, "the `match` example `b` is not matched by `a`; widen the pattern, or remove the example"),
        ("loads", 2, 27, "unexpected identifier `decision`, expected `)`; is a comma missing?"),
        ("loads", 3, 1, "invalid rule: justification cannot be empty; say why, or leave it out"),
        (
            "loads", 4, 1,
            "the `not_match` example `e f` is matched: it begins with `e`; narrow the pattern, or remove the example",
        ),
    ]  # fmt: skip
    assert [trial.failure for trial in tests.trials[4:]] == [None, None]
    assert len(tests.statements) == 3


def test_junit_has_a_suite_a_file_and_survives_odd_text() -> None:
    trials = [
        Trial(group="g", title="a\x00<b>", line=1),
        Trial(group="g", title="c", line=2, failure="no\udc80"),
        Trial(group="h", title="loads", line=0),
    ]
    root = ElementTree.fromstring(junit_xml("execpolicy test", junit_suites(trials)))
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in root] == [
        ("g", "2", "1"),
        ("h", "1", "0"),
    ]
    assert [(case.get("name"), case.get("line")) for case in root[0]] == [("aU+0000<b>", "1"), ("c", "2")]
    assert [failure.get("message") for failure in root.iter("failure")] == ["noU+DC80"]


def test_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.rules").write_text(RULES)
    (tmp_path / "good.cases").write_text("allow: make\n")
    runner = CliRunner()
    passed = runner.invoke(cli, ["test", "--cov", "--cov-fail-under", "60", str(tmp_path)], standalone_mode=False)
    assert passed.return_value == 0
    assert "3 passed, 0 failed" in passed.output
    assert "2 of 3 rules were seen to fire" in passed.output
    below = runner.invoke(cli, ["test", "--cov-fail-under", "90", str(tmp_path)], standalone_mode=False)
    assert below.return_value == 1
    (tmp_path / "bad.cases").write_text("forbidden: make\n")
    failed = runner.invoke(cli, ["test", "--junit", str(tmp_path / "j.xml"), str(tmp_path)], standalone_mode=False)
    assert failed.return_value == 1
    assert "expected forbidden, got allow" in failed.output
    assert "bad.cases" in (tmp_path / "j.xml").read_text()


def test_a_rule_that_did_not_fire_names_a_command_that_only_it_decides() -> None:
    tests = RuleTests()
    text = (
        'prefix_rule(pattern=["rm"], decision="prompt")\n'
        'prefix_rule(pattern=["rm", "-rf"], decision="forbidden")\n'
        'prefix_rule(pattern=["rm", "-r", "-f", "x"], decision="forbidden")\n'
    )
    tests.load([Source("t", text)])
    assert [one.deciding for one in tests.coverage()] == [("rm",), ("rm", "-rf"), None]
