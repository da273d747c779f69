"""Explanations: the tree, the rules with their places, and the counterfactual."""

import json
from pathlib import Path

import pytest

from execpolicy.insight.explain import NOT_PROMISED, Explanation, explain, explain_verdict, explanation_text
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.situation import Situation
from tests.support.each import each
from tests.support.judging import PLACE, rulebook

RULES = """\
prefix_rule(pattern = ["git", "push"], decision = "prompt", justification = "others see it")
prefix_rule(pattern = ["git", "push", "-f"], decision = "forbidden", justification = "destroys")
prefix_rule(pattern = ["make"])
"""


def explained(script: str, rules: str = RULES) -> Explanation:
    book = rulebook(rules)
    read = read_command(script)
    return explain_verdict(judge_script(read, book, PLACE))


def test_the_rule_that_decided_is_named_with_its_place() -> None:
    part = explained("git push -f").parts[0]
    assert [(note.effect, note.place) for note in part.rules] == [
        ("matched", "test.rules:1"),
        ("decided", "test.rules:2"),
    ]
    assert part.reason == "`git push -f` is forbidden: destroys (test.rules:2)"


def test_a_wrapper_is_opened() -> None:
    part = explained("sudo git push").parts[0]
    assert part.decision == "prompt"
    assert [inner.shown for inner in part.inner] == ["git push"]


def test_a_near_miss_says_which_word() -> None:
    part = explained("git pull").parts[0]
    assert ("near", "word 2 is `pull`, the rule wants `push`") in [(note.effect, note.why) for note in part.rules]


def test_a_blocked_grant_says_what_blocks_it() -> None:
    part = explained("make > ../log").parts[0]
    assert (part.code, part.blocks[0][0]) == ("blocked", "write")
    assert [note.effect for note in part.rules] == ["blocked"]


def test_a_dangerous_command_is_not_its_own_warning_twice() -> None:
    advice = explained("rm -rf build", rules="").advice
    assert advice is not None
    assert [warning.partition(":")[0] for warning in advice.warnings] == ["`rm -rf build` is dangerous"]


def test_the_counterfactual_is_proven() -> None:
    advice = explained("frobnicate all && frobnicate some").advice
    assert advice is not None
    assert advice.proven
    assert all(rule.startswith('prefix_rule(pattern=["frobnicate"') for rule in advice.rules)


def test_where_no_rule_can_help_it_says_why() -> None:
    advice = explained("git push -f").advice
    assert advice is not None
    assert not advice.proven
    assert any("test.rules:2" in obstacle for obstacle in advice.obstacles)


def test_an_allowed_command_needs_no_advice() -> None:
    explanation = explained("make all")
    assert explanation.advice is None
    assert explanation.reason == "every command is covered"


def test_text_and_json_say_the_same() -> None:
    explanation = explained("cd x && sudo git push -f; $y z")
    text = explanation_text(explanation)
    body = json.loads(json.dumps(explanation.to_json()))
    assert body["decision"] == "forbidden"
    for part in body["commands"]:
        assert part["reason"] in text
    assert "\x1b[" not in text
    assert "\x1b[31m" in explanation_text(explanation, color=True)


def test_what_an_allow_without_commands_rests_on_is_said() -> None:
    explanation = explained("[[ -f x ]]")
    assert "rests on script-understood (structured), condition-harmless" in explanation_text(explanation)
    found = explanation.to_json()["grounds"]
    assert [(each["code"], each["span"]) for each in found] == [
        ("script-understood", [0, 10]),
        ("condition-harmless", [0, 10]),
    ]


@each(
    "script, paragraph",
    [
        ("make test", "1"),
        ("deploy", "3"),
        ("cat $(cat names)", "4"),
        ("xargs cat < names", "4"),
        ('while read f; do cat "$f"; done < names', "4"),
        ("tr a-z b-za < notes | sh", "6"),
    ],
)
def test_what_is_not_promised_is_named_by_its_paragraph(script: str, paragraph: str) -> None:
    text = explanation_text(explained(script, 'prefix_rule(pattern=["make", "test"])'))
    assert text.splitlines()[-1].startswith(f"  not promised (`execpolicy help guarantees`): {paragraph}. ")


def test_every_paragraph_that_is_named_is_on_the_page() -> None:
    page = (Path(__file__).parents[3] / "docs" / "guarantees.md").read_text("utf-8")
    assert [paragraph for paragraph in NOT_PROMISED.values() if f"\n### {paragraph}\n" not in page] == []


def test_control_characters_are_never_printed_raw() -> None:
    assert "\x1b" not in explanation_text(explained("ls '\x1b[8m' \u202e"))


@pytest.mark.parametrize(
    "script",
    [
        "tox -e lint",
        "kubectl delete pod x",
        "terraform apply plan.out",
        "pytest -q",
        "foo a b",
        "make test && tox -e lint",
    ],
)
def test_the_first_advice_is_for_exactly_these_words(script: str) -> None:
    advice = explained(script, rules="").advice
    assert advice is not None
    assert advice.proven
    assert all(rule.endswith('unless=["*"])') for rule in advice.rules)


def test_the_wider_advice_names_the_worst_that_it_leaves_out() -> None:
    advice = explained("pytest -q tests", rules="").advice
    assert advice is not None
    wider = next(remedy for remedy in advice.remedies if remedy.kind == "wider")
    assert wider.lines == (
        'prefix_rule(pattern=["pytest", "-q"], decision="allow", unless=["-*", "/*", "~*", "..", "@*", "*://*"])',
    )
    assert "`pytest -q -p evil`" in (wider.reach or "")


@pytest.mark.parametrize("script", ["tox -e lint", "kubectl delete pod x", "npm ci", "frobnicate"])
def test_where_more_may_do_harm_nothing_wider_is_advised(script: str) -> None:
    advice = explained(script, rules="").advice
    assert advice is not None
    assert "wider" not in [remedy.kind for remedy in advice.remedies]


def test_what_does_not_suffice_is_no_wider_than_the_words() -> None:
    advice = explained("env A=1 make", rules="").advice
    assert advice is not None
    assert not advice.proven
    assert advice.rules == ('prefix_rule(pattern=["make"], decision="allow", unless=["*"])',)


@pytest.mark.parametrize(
    ("script", "rules"),
    [
        ("echo a > b.txt", ['write_rule(paths=["./b.txt"], decision="allow")']),
        ("cd . && echo a", None),
        ("echo a > b.txt; echo c >> /var/tmp/d", ["./b.txt", "/var/tmp/d"]),
        ("frobnicate x > b.txt", ["./b.txt", '["frobnicate", "x"]']),
        ("echo a > /dev/null; frobnicate", ['["frobnicate"]']),
    ],
)
def test_for_a_write_a_write_rule_is_advised(script: str, rules: list[str] | None) -> None:
    advice = explained(script).advice
    if rules is None:
        assert advice is None or not any("write_rule" in rule for rule in advice.rules)
        return
    assert advice is not None
    assert advice.proven
    assert not advice.obstacles
    assert len(advice.rules) == len(rules)
    for rule, part in zip(advice.rules, rules, strict=True):
        assert part in rule
    notes = [note for section in advice.sections(()) for note in section.notes]
    assert any("Codex does not know" in note and "`write_rule`" in note for note in notes) is ("b.txt" in str(rules))


@pytest.mark.parametrize("script", ["echo a > .git/config", "echo a > $x", "cd sub && echo a > b", "echo a > 'b[1]'"])
def test_for_a_write_that_needs_a_person_none_is_advised(script: str) -> None:
    advice = explained(script).advice
    assert advice is not None
    assert "write_rule" not in str(advice)
    assert {remedy.kind for remedy in advice.remedies if remedy.proven} <= {"workspace"}


@pytest.mark.parametrize(
    ("script", "kinds"),
    [
        ("touch a", ["rules", "write", "workspace"]),
        ("echo a > b", ["rules", "workspace"]),
        ("curl https://api.example.com/x", ["rules", "network"]),
        ("curl 'http://[x/y'", ["rules"]),
        ("curl ftp://example.com/x", ["rules"]),
        ("frobnicate a", ["rules"]),
        ("frobnicate $(make)", []),
    ],
)
def test_every_kind_of_change_that_settles_it_is_offered(script: str, kinds: list[str], tmp_path: Path) -> None:
    advice = explain(script, rulebook(), situation=Situation(str(tmp_path))).advice
    assert advice is not None
    assert [remedy.kind for remedy in advice.remedies if remedy.proven] == kinds


def test_a_pack_that_fits_the_project_is_offered(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    advice = explain("FOO=1 pytest", rulebook(), situation=Situation(str(tmp_path))).advice
    assert advice is not None
    assert [remedy.command for remedy in advice.remedies] == ["execpolicy init python"]
    assert not advice.obstacles
