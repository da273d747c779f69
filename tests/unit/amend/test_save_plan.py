"""What is proposed for a script, and whether it helps."""

from __future__ import annotations

import pytest

from execpolicy.amend.preview import preview
from execpolicy.amend.save_plan import outcome, plan
from execpolicy.core.decision import Decision
from execpolicy.core.exclusion import NOTHING_MORE
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.safety.dangers import build_dangerous
from execpolicy.source import Place

HERE = Situation("/project", home="/home/me", real_path=str)
EMPTY = Rulebook()


def rulebook(*rules: tuple[str, Decision]) -> Rulebook:
    return Rulebook(
        PrefixRule(PrefixPattern.of(prefix.split()), decision, place=Place("a.rules", line))
        for line, (prefix, decision) in enumerate(rules, 1)
    )


def known(script: str, rules: Rulebook = EMPTY) -> list[str]:
    found = plan(read_command(script), rules, HERE).proposals
    return [" ".join(each.known) for each in found]


@pytest.mark.parametrize(
    ("script", "prefixes"),
    [
        ("foo bar", ["foo bar"]),
        ("foo && bar x | baz; foo", ["foo", "bar x", "baz"]),
        ("timeout 5 foo bar", ["foo bar"]),
        ("bash -c 'foo bar'", ["foo bar"]),
        ("if foo; then bar; fi", ["foo", "bar"]),
        ("foo 2>&1 >/dev/null", ["foo"]),
        ('git push "$BRANCH"', ["git push"]),
        ("sudo foo bar", ["sudo foo bar"]),
        ("watch foo", ["watch foo", "foo"]),
    ],
)
def test_each_command_is_proposed_and_saving_all_of_them_is_enough(script: str, prefixes: list[str]) -> None:
    assert known(script) == prefixes
    proposals = plan(read_command(script), EMPTY, HERE).proposals
    assert [each.exact is None for each in proposals] == ["$" in each.shown for each in proposals]
    chosen = [each.narrowest for each in proposals if each.narrowest is not None]
    assert outcome(read_command(script), chosen, EMPTY, HERE).decision is Decision.ALLOW
    assert plan(read_command(script), EMPTY, HERE).obstacles == ()


def test_a_rule_that_contains_the_word_covers_what_a_program_runs_because_of_it() -> None:
    found = plan(read_command("find . -name x -delete"), EMPTY, HERE)
    assert [each.known for each in found.proposals] == [("find", ".", "-name", "x", "-delete")]
    assert found.obstacles == ()


def test_what_is_allowed_already_is_not_proposed() -> None:
    assert known("foo && bar", rulebook(("foo", Decision.ALLOW))) == ["bar"]
    assert known("foo", rulebook(("foo", Decision.ALLOW))) == []


def test_a_single_command_can_be_insisted_on() -> None:
    allowed = rulebook(("foo", Decision.ALLOW))
    found = plan(read_command("foo bar"), allowed, HERE, insist=True)
    assert [each.known for each in found.proposals] == [("foo", "bar")]


def test_the_reusable_prefix_stands_beside_the_exact_one() -> None:
    (proposal,) = plan(read_command("git push origin main"), EMPTY, HERE).proposals
    assert (proposal.known, proposal.reusable) == (("git", "push", "origin", "main"), ("git", "push"))


@pytest.mark.parametrize("word", ["prompt", "forbidden"])
def test_a_stricter_rule_cannot_be_saved_away_and_is_named(word: str) -> None:
    decision = Decision.parse(word)
    assert decision is not None
    found = plan(read_command("foo x"), rulebook(("foo", decision)), HERE)
    verb = "asks about" if word == "prompt" else "forbids"
    assert (found.proposals, found.obstacles) == ((), (f"a rule (a.rules:1) {verb} `foo x`",))


@pytest.mark.parametrize(
    ("script", "refused"),
    [
        ("cat <<EOF\nx\nEOF\n", "here-document"),
        ("foo --token abcdef", "plain text"),
        ("git", "too broad"),
        ("foo 'a\nb'", "more than one line"),
        ("foo $X", "only `foo` is known before it runs"),
    ],
)
def test_some_commands_get_no_proposal_and_a_reason(script: str, refused: str) -> None:
    (proposal,) = plan(read_command(script), EMPTY, HERE).proposals
    assert proposal.narrowest is None
    assert refused in str(proposal.refused)


def test_a_script_that_is_not_understood_gets_no_proposal() -> None:
    found = plan(read_command("foo 'x"), EMPTY, HERE)
    assert found.proposals == ()
    assert len(found.obstacles) == 1
    assert "the script is not understood" in found.obstacles[0]


def test_a_file_that_is_written_gets_a_rule() -> None:
    found = plan(read_command("foo > x"), EMPTY, HERE)
    assert (found.settles, found.obstacles) == (True, ())
    assert [rule.paths for rule in found.writes] == [("./x",)]


def test_a_file_that_no_rule_covers_is_an_obstacle() -> None:
    found = plan(read_command("foo > .git/x"), EMPTY, HERE)
    assert (found.settles, found.writes) == (False, ())
    assert ".git/x" in found.obstacles[0]


def test_words_that_are_not_known_are_shown_as_written() -> None:
    (proposal,) = plan(read_command("git push 'a b' $X"), EMPTY, HERE).proposals
    assert proposal.shown == "git push 'a b' $X"


def test_a_preview_is_judged_and_names_what_is_dangerous() -> None:
    shown = preview(["git", "push"], EMPTY, HERE)
    assert "git push more words" in shown.covered
    assert {"git", "git --option push", "git push > file", "VARIABLE=value git push"} <= set(shown.not_covered)
    assert not set(shown.covered) & set(shown.not_covered)
    assert shown.dangerous == ()


def test_a_preview_of_exactly_a_command_covers_no_further_word() -> None:
    shown = preview(["git", "push"], EMPTY, HERE, unless=NOTHING_MORE)
    assert "git push" in shown.covered
    assert {"git push more words", "git push --any-option"} <= set(shown.not_covered)
    assert shown.careful(["git", "push"]) is None


def test_a_preview_names_the_dangerous_forms_that_come_along() -> None:
    entry = {"name": "force", "program": "foo", "reason": "x", "flags": ["--force"]}
    shown = preview(["foo"], Rulebook([build_dangerous(entry)]), HERE)
    assert shown.dangerous == ("foo --force",)
    assert preview(["foo", "--force"], Rulebook([build_dangerous(entry)]), HERE).dangerous == ("foo --force",)
