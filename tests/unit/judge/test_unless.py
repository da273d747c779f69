"""Allow rules that leave something out: in any spelling, by looks and by meaning, wherever rules go."""

from __future__ import annotations

import json
import marshal

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.exclusion import left_out_by, samples_of
from execpolicy.core.policy import Policy
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import RuleFileError
from execpolicy.exchange.exporting import _of_statement
from execpolicy.formatting.format import format_source
from execpolicy.insight.diff import policy_diff
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.stored_policy import plain_policy, policy_of
from execpolicy.lang.compile import compile_source
from execpolicy.lang.render import render, render_prefix_rule
from execpolicy.source import Source


def rules(text: str) -> list[PrefixRule]:
    return [each for each in compile_source(Source("x.rules", text)).statements if isinstance(each, PrefixRule)]


PYTEST = 'prefix_rule(pattern=["pytest"], unless=["-p", "-c", "--rootdir", "/*", ".."])'


@pytest.mark.parametrize(
    "line", ["pytest", "pytest -q", "pytest tests/a.py::test_b -x", 'pytest -k "a or b"', "pytest 2>&1"]
)
def test_what_is_not_left_out_is_allowed(line: str) -> None:
    assert check(line, Rulebook(rules(PYTEST))).decision is Decision.ALLOW


@pytest.mark.parametrize(
    "line",
    [
        "pytest -p evil",
        "pytest -pevil",
        "pytest -qp evil",
        "pytest -q -c /tmp/x",
        "pytest -c=x",
        "pytest --rootdir=x",
        "pytest --rootdir x",
        "pytest --rootd x",
        "pytest --root x",
        "pytest -- -p",
        "pytest /tmp",
        "pytest --ignore=/tmp",
        "pytest a/../..",
        'pytest "$x"',
        "pytest $x",
        "pytest tests/$x",
        "pytest $(cat f)",
        "pytest {-p,evil}",
        "pytest -*",
    ],
)
def test_what_may_be_left_out_is_asked_about(line: str) -> None:
    assert check(line, Rulebook(rules(PYTEST))).decision is Decision.PROMPT


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ("--package", "cargo test -p x"),
        ("--package", "cargo test -px"),
        ("--manifest-path", "cargo test --manif x"),
        ("--config", "cargo test --config=x"),
        ("-p", "cargo test --package x"),
    ],
)
def test_other_names_of_an_option_count(entry: str, line: str) -> None:
    rule = f'prefix_rule(pattern=["cargo", "test"], unless=["{entry}"])'
    assert check("cargo test -v", Rulebook(rules(rule))).decision is Decision.ALLOW
    assert check(line, Rulebook(rules(rule))).decision is Decision.PROMPT


@pytest.mark.parametrize(
    ("task", "entry", "words"),
    [
        ("pytest", "-o", "--override-ini=a=b"),
        ("uv run pytest", "-o", "--override x"),
        ("python -m pytest", "-c", "--config-f=x"),
        ("pytest", "-p", "@options"),
        ("mypy", "-p", "--package x"),
        ("black", "-c", "--code x"),
        ("npx eslint", "-o", "--output-f x"),
        ("mvn test", "-s", "--settings x"),
        ("dotnet test", "-p", "/p:x=y"),
        ("dotnet test", "-p", "--p:x=y"),
        ("dotnet test", "-p", "-property:x=y"),
    ],
)
def test_other_names_count_where_the_options_of_the_program_are_known(task: str, entry: str, words: str) -> None:
    rule = f'prefix_rule(pattern={json.dumps(task.split())}, unless=["{entry}"])'
    assert check(f"{task} a", Rulebook(rules(rule))).decision is Decision.ALLOW
    assert check(f"{task} {words}", Rulebook(rules(rule))).decision is Decision.PROMPT


@pytest.mark.parametrize(
    ("entry", "words", "found"),
    [
        ("*", ["x"], True),
        ("*", [], False),
        ("-*", ["--any"], True),
        ("-*", ["any"], False),
        ("-exec", ["--exec=x"], True),
        ("--global-setup", ["--globalSetup=x"], True),
        ("--script-shell", ["--script_shell", "x"], True),
        ("CC=", ["CC=evil"], True),
        ("CC=", ["CCC=evil"], False),
        ("deploy", ["test", "deploy"], True),
        ("publish", [":app:publish"], True),
        ("deploy", ["deployed"], False),
        ("/*", ["-f/tmp/x"], True),
        ("/*", ["--file=/tmp/x"], True),
        ("/*", ["A=/tmp"], True),
        ("/*", ["a/b"], False),
        ("--config", ["-c"], False),
        ("-p", [None], True),
    ],
)
def test_entries(entry: str, words: list[str | None], found: bool) -> None:
    assert (left_out_by((entry,), words) is not None) is found


@pytest.mark.parametrize("entry", ["*", "-*", "-p", "--config", "CC=", "deploy", "/*", ".."])
def test_an_entry_leaves_out_its_samples(entry: str) -> None:
    assert all(left_out_by((entry,), [sample]) == entry for sample in samples_of(entry))


@pytest.mark.parametrize("given", ["[]", '"-p"', "[1]", '[""]', '["--"]', '[" -p"]', "True"])
def test_a_bad_list_is_an_error(given: str) -> None:
    with pytest.raises(RuleFileError):
        rules(f'prefix_rule(pattern=["a"], unless={given})')


def test_only_an_allow_rule_leaves_something_out() -> None:
    with pytest.raises(RuleFileError):
        rules('prefix_rule(pattern=["a"], decision="prompt", unless=["-p"])')


def test_examples_know_what_is_left_out() -> None:
    rules('prefix_rule(pattern=["a"], unless=["-p"], match=["a b"], not_match=["a -p"])')
    with pytest.raises(RuleFileError):
        rules('prefix_rule(pattern=["a"], unless=["-p"], match=["a -p"])')


def test_it_is_kept_rendered_and_formatted() -> None:
    (rule,) = rules(PYTEST)
    assert rules(render(rule)) == [rule]
    assert rules(render_prefix_rule(["pytest"], unless=rule.unless)) == [rule]
    policy = Policy([rule])
    plain = marshal.loads(marshal.dumps(plain_policy(policy)))
    assert policy_of(plain).rules[0].unless == rule.unless
    assert rules(format_source(Source("x.rules", PYTEST))) == [rule]


def test_no_agent_is_told_more_than_is_allowed() -> None:
    (rule,) = rules(PYTEST)
    assert _of_statement(rule, [], lambda _: ("exact", ""))[:2] == ([], "stricter")
    assert Policy([rule]).allowed_prefixes() == ()


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ('prefix_rule(pattern=["a"])', 'prefix_rule(pattern=["a"], unless=["-p"])', {"allow → no rule"}),
        ('prefix_rule(pattern=["a"], unless=["-p", "-c"])', 'prefix_rule(pattern=["a"], unless=["-p"])', None),
        ('prefix_rule(pattern=["a"], unless=["-p"])', 'prefix_rule(pattern=["a"], unless=["-p"])', set()),
        ('prefix_rule(pattern=["a"], unless=["*"])', 'prefix_rule(pattern=["a"])', None),
    ],
)
def test_a_difference_in_what_is_left_out_is_found(before: str, after: str, kinds: set[str] | None) -> None:
    found = policy_diff(Policy(rules(before)), Policy(rules(after)))
    assert bool(found) == (kinds is None or bool(kinds))


def test_two_rules_that_leave_out_different_things_are_not_one_that_leaves_out_nothing() -> None:
    two = rules('prefix_rule(pattern=["a"], unless=["-p"])\nprefix_rule(pattern=["a"], unless=["-c"])')
    assert policy_diff(Policy(two), Policy(rules('prefix_rule(pattern=["a"])')))
