"""What a decision costs, in counts that every machine agrees on, against the recorded budget.

An executed instruction, a loaded module or a live block of memory is the same here and in CI, unlike a millisecond.
"""

import json
import sys
from pathlib import Path

import pytest

from tests.support.running import run_captured

ROOT = Path(__file__).parents[2]
BUDGETS = ROOT / "tests" / "data" / "budgets.json"
RECORD = "if this is meant, run `python -m benchmarks.record_budgets` and say in the commit what it buys"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
OVER = 1.10
UNDER = 0.75

Counts = dict[str, dict[str, int]]


def differences(counted: Counts, budget: Counts) -> list[str]:
    """What is more than 10 % over its budget, more than 25 % under it, or not in both."""
    found = []
    for kind in sorted({*counted, *budget}):
        now, then = counted.get(kind, {}), budget.get(kind, {})
        for name in sorted({*now, *then}):
            if name not in then:
                found.append(f"{name}: {now[name]:,} {kind}, and no budget is recorded")
            elif name not in now:
                found.append(f"{name}: a budget of {then[name]:,} {kind} for something that is not counted")
            elif now[name] > then[name] * OVER:
                found.append(f"{name}: {now[name]:,} {kind} are over the budget of {then[name]:,}")
            elif now[name] < then[name] * UNDER:
                found.append(f"{name}: {now[name]:,} {kind} are far below the budget of {then[name]:,}: record it")
    return found


@pytest.fixture(scope="module")
def counted() -> Counts:
    """The counts of this checkout, under a Python that they are recorded for."""
    recorded = json.loads(BUDGETS.read_text("utf-8"))
    if VERSION not in recorded:
        pytest.skip(f"bytecode differs between versions and none is recorded for {VERSION}, only {', '.join(recorded)}")
    done = run_captured([sys.executable, "-P", str(ROOT / "benchmarks" / "counts.py")])
    assert done.returncode == 0, done.stderr
    found: Counts = json.loads(done.stdout)
    return found


def test_nothing_costs_more_than_its_budget(counted: Counts) -> None:
    budgets = json.loads(BUDGETS.read_text("utf-8"))
    found = differences(counted, budgets[VERSION])
    assert not found, "\n".join([*found, RECORD])


def test_costs_grow_as_they_should(counted: Counts) -> None:
    """A decision does not depend on the rules for other programs; loading and scripts are linear."""
    counts = counted["instructions"]
    assert counts["argv against 1,000 rules, 100 times"] == counts["argv against 100 rules, 100 times"]
    assert counts["load 1,000 saved rules"] <= 10 * counts["load 100 saved rules"]
    for kind in ("plain", "general"):
        for step in ("read", "judge"):
            assert counts[f"{step}: 40 {kind} pipelines"] <= 11 * counts[f"{step}: 4 {kind} pipelines"], (step, kind)


@pytest.mark.parametrize(
    ("count", "words"),
    [(111, "are over the budget of 100"), (110, ""), (100, ""), (75, ""), (74, "are far below the budget of 100")],
)
def test_a_tenth_more_is_too_much_and_a_quarter_less_is_worth_recording(count: int, words: str) -> None:
    found = differences({"modules": {"check": count}}, {"modules": {"check": 100}})
    assert [line for line in found if words and words in line] == found
    assert bool(found) == bool(words)


def test_every_count_has_a_budget_and_every_budget_is_counted() -> None:
    assert differences({"modules": {"new": 1}}, {"blocks": {"old": 1}}) == [
        "old: a budget of 1 blocks for something that is not counted",
        "new: 1 modules, and no budget is recorded",
    ]
