"""What replay advises over days of work in four ecosystems: no suggested rule may come to allow a harmful line."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.rules import PrefixRule
from execpolicy.insight.history import History
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.replay import Replay, replay
from execpolicy.insight.suggestible import Grant
from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.judging import rulebook

ADVICE = Path(__file__).parents[2] / "data" / "advice"
HARMFUL = (ADVICE / "harmful.txt").read_text("utf-8").splitlines()
DAYS = sorted(path.stem for path in ADVICE.glob("*-?.txt"))
PLACE = Situation("/project")
ECOSYSTEMS = sorted({name[:-2] for name in DAYS})


@cache
def day(name: str) -> Replay:
    counts = Counter((ADVICE / f"{name}.txt").read_text("utf-8").splitlines())
    history = History(counts=counts)
    return replay(history, PortablePolicy.of(rulebook(), situation=PLACE), suggestions=200)


def rules_of(report: Replay) -> list[PrefixRule]:
    return [Grant(one.prefix, one.unless).rule() for one in report.suggestions.rules]


def test_there_are_enough_harmful_lines_and_days() -> None:
    assert len(HARMFUL) >= 400
    assert len(DAYS) == 20


@cache
def asked_without() -> list[str]:
    """The harmful lines that no built-in entry allows: there the rules are not to blame."""
    return [line for line in HARMFUL if check(line, rulebook(), situation=PLACE).decision is not Decision.ALLOW]


@pytest.mark.parametrize("ecosystem", ECOSYSTEMS)
def test_no_suggested_rule_allows_a_harmful_line(ecosystem: str) -> None:
    rules = {rule for name in DAYS if name.startswith(ecosystem) for rule in rules_of(day(name))}
    advised = rulebook().with_statements(*rules)
    assert len(rules) >= 10
    assert [line for line in asked_without() if check(line, advised, situation=PLACE).decision is Decision.ALLOW] == []


@pytest.mark.parametrize("name", DAYS)
def test_every_prompted_command_is_accounted_for(name: str) -> None:
    report = day(name)
    saved = sum(one.saved for one in report.suggestions.rules)
    refused = sum(times for _, times, _ in report.suggestions.refused)
    assert saved + refused + len(report.suggestions.once) == report.tally.decisions["prompt"]


@pytest.mark.parametrize("name", DAYS[::5])
def test_every_suggested_rule_says_what_it_leaves_out(name: str) -> None:
    for one in day(name).suggestions.rules:
        assert one.unless == ("*",) or "-*" in one.unless
