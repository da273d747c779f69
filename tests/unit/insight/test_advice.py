"""What replay advises over days of work in four ecosystems, against what a careful engineer thinks of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from execpolicy.amend.save_plan import Grant
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import split
from execpolicy.core.rules import PrefixRule
from execpolicy.insight.history import History
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.replay import Replay, replay
from execpolicy.insight.suggest import Suggestion
from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.judging import rulebook
from tests.support.working_days import DAYS, DAYS_OF, judgement_of, judgements, working_day

HARMFUL = (Path(__file__).parents[2] / "data" / "advice" / "harmful.txt").read_text("utf-8").splitlines()
PLACE = Situation("/project")


@cache
def day(ecosystem: str, number: int) -> Replay:
    history = History(counts=Counter(working_day(ecosystem, number)))
    return replay(history, PortablePolicy.of(rulebook(), situation=PLACE), suggestions=200)


@cache
def suggested() -> dict[str, Suggestion]:
    """Every rule of every day, by its line."""
    return {one.line: one for each in DAYS for one in day(*each).suggestions.rules}


def rule_of(one: Suggestion) -> PrefixRule:
    return Grant(one.prefix, one.unless).rule()


def allowed_with(rules: Iterable[PrefixRule], lines: Iterable[str]) -> list[str]:
    advised = rulebook().with_statements(*rules)
    return [line for line in lines if check(line, advised, situation=PLACE).decision is Decision.ALLOW]


@cache
def not_built_in() -> list[str]:
    """The harmful lines that no built-in entry allows: there the rules are not to blame."""
    return [line for line in HARMFUL if check(line, rulebook(), situation=PLACE).decision is not Decision.ALLOW]


def test_there_are_enough_harmful_lines_and_days() -> None:
    assert len(set(HARMFUL)) == len(HARMFUL) >= 1_000
    assert len(HARMFUL) - len(not_built_in()) <= 5
    assert len(DAYS) == 48
    assert len({frozenset(working_day(*each)) for each in DAYS}) == 48


def test_no_suggested_rule_allows_a_harmful_line() -> None:
    rules = [rule_of(one) for one in suggested().values()]
    assert len(rules) >= 120
    assert allowed_with(rules, not_built_in()) == []


@pytest.mark.parametrize("ecosystem", DAYS_OF)
def test_no_suggested_rule_alone_allows_a_harmful_line(ecosystem: str) -> None:
    """A stricter rule or entry could hide another's leak: each alone, on the lines of its own programs."""
    for line, one in suggested().items():
        if any(one in day(*each).suggestions.rules for each in DAYS if each[0] == ecosystem):
            named = {one.prefix[0], one.prefix[-1]}
            near = [each for each in not_built_in() if not named.isdisjoint(each.split())]
            assert allowed_with([rule_of(one)], near) == [], line


@pytest.mark.parametrize("each", DAYS, ids=[f"{ecosystem}-{number}" for ecosystem, number in DAYS])
def test_every_prompted_command_is_accounted_for(each: tuple[str, int]) -> None:
    report = day(*each)
    saved = sum(one.saved for one in report.suggestions.rules)
    refused = sum(times for _, times, _ in report.suggestions.refused)
    assert saved + refused + len(report.suggestions.once) == report.tally.decisions["prompt"]
    assert all(why for _, _, why in report.suggestions.refused)


def test_the_prompts_that_a_careful_engineer_would_save_are_saved() -> None:
    wanted = saved = 0
    for each in DAYS:
        with_them = rulebook().with_statements(*[rule_of(one) for one in day(*each).suggestions.rules])
        for command, times in working_day(*each).items():
            row = judgement_of(command)
            assert row is not None, command
            before = check(command, rulebook(), situation=PLACE).decision
            after = check(command, with_them, situation=PLACE).decision
            if row.save == "free":
                assert before is Decision.ALLOW, command
            elif row.save == "no":
                assert after is not Decision.ALLOW, command
            elif before is not Decision.ALLOW:
                wanted += times
                saved += times * (after is Decision.ALLOW)
    assert wanted >= 600
    assert saved >= 0.9 * wanted


def test_no_rule_is_wider_than_what_the_engineer_would_write() -> None:
    """The smallest rule is exactly the words, or those behind which other files of the project may stand."""
    for line, one in suggested().items():
        row = judgement_of(one.example)
        assert row is not None, one.example
        if one.unless == ("*",):
            continue
        assert "-*" in one.unless, line
        assert row.rule != "=", line
        assert list(one.prefix)[: len(row.rule.split())] == row.rule.split(), line


def test_a_rule_with_a_word_less_is_not_needed_or_would_allow_harm() -> None:
    """Tried for every suggested rule: the shorter one covers other commands, or the harmful ones among them."""
    for line, one in suggested().items():
        shorter = PrefixRule(rule_of(one).pattern.of(one.prefix[:-1]), unless=one.unless) if one.prefix[1:] else None
        if shorter is None or allowed_with([shorter], [one.example]) == []:
            continue
        worse = [each for each in not_built_in() if each.split()[0] == one.prefix[0]]
        assert allowed_with([shorter], worse) or not allowed_with([shorter], [one.example]), line


def test_every_row_of_the_table_can_be_read() -> None:
    for row in judgements():
        assert row.ecosystem in ("any", *DAYS_OF)
        assert row.save in ("yes", "no", "free")
        assert row.save != "yes" or row.rule == "=" or (split(row.shape) or ())[: len(row.rule.split())], row
