"""Laws of counting: parts add up, order does not matter, a batch is the same as one by one."""

from collections import Counter
from random import Random

import pytest
from hypothesis import strategies as st

from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.replay import replay
from execpolicy.insight.tally import History, HistoryDecider, Tally
from execpolicy.judge.check import check
from tests.support.each import drawn
from tests.support.judging import PLACE, rulebook

WORDS = ["git", "push", "status", "make", "cargo", "test", "rm", "-rf", "/", "&&", "|", ";", "sudo", "$(ls)", ">", "f"]
SCRIPTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
RULES = 'prefix_rule(["git", "push"], decision="forbidden")\nprefix_rule(["make"])\n'
POLICY = PortablePolicy.of(rulebook(RULES), situation=PLACE)
OTHER = PortablePolicy.of(rulebook('prefix_rule(["make"], decision="prompt")\n'), situation=PLACE)
DECIDER = HistoryDecider([POLICY, OTHER])


def tally(rows: list[str]) -> Tally:
    return Tally.of((DECIDER.decide(row), 1) for row in rows)


@drawn(10, 100, st.lists(SCRIPTS, max_size=12), st.integers(0, 12), st.randoms())
def test_partial_counts_add_up_in_any_order(rows: list[str], cut: int, chance: Random) -> None:
    whole = tally(rows)
    assert tally(rows[:cut]) + tally(rows[cut:]) == whole
    assert tally(rows[cut:]) + tally(rows[:cut]) == whole
    assert sum((tally([row]) for row in rows), Tally()) == whole
    assert whole.total == len(rows)
    shuffled = list(rows)
    chance.shuffle(shuffled)
    assert tally(shuffled) == whole


@drawn(10, 100, st.lists(SCRIPTS, max_size=12))
def test_a_replay_counts_what_check_says_and_says_the_same_in_any_order(rows: list[str]) -> None:
    found = replay(History(counts=Counter(rows)), POLICY, OTHER)
    one_by_one = Counter(check(row, POLICY.rulebook(), situation=PLACE).decision.word for row in rows)
    assert found.tally.decisions == one_by_one
    assert found.tally == tally(rows)
    assert sum(change.commands for change in found.changes) == found.tally.changes.total()
    backwards = replay(History(counts=Counter(rows[::-1])), POLICY, OTHER)
    left, right = found.to_json(), backwards.to_json()
    assert left == right


@drawn(10, 60, st.dictionaries(SCRIPTS, st.integers(1, 9), max_size=12))
def test_suggestions_save_exactly_what_they_say_and_nothing_dangerous(counts: dict[str, int]) -> None:
    found = replay(History(counts=Counter(counts)), POLICY).suggestions.rules
    after = rulebook(RULES + "\n".join(one.line for one in found))
    saved = 0
    for script, times in counts.items():
        before = check(script, POLICY.rulebook(), situation=PLACE).decision.word
        verdict = check(script, after, situation=PLACE)
        if before != verdict.decision.word:
            assert (before, verdict.decision.word) == ("prompt", "allow")
            assert all(one.opinion is None or one.opinion.verdict != "dangerous" for one in verdict.commands)
            saved += times
    assert saved == sum(one.saved for one in found)


@drawn(10, 100, st.lists(st.none() | SCRIPTS, max_size=12), st.integers(1, 5))
def test_a_batch_is_the_same_as_one_by_one(rows: list[str | None], size: int) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs the extra `replay`")
    from execpolicy.insight.batch import count_batch, evaluate_batch

    chunks = [rows[at : at + size] for at in range(0, len(rows), size)]
    array = pa.chunked_array([pa.array(chunk, pa.string()) for chunk in chunks], pa.string())
    expected = [None if row is None else check(row, POLICY.rulebook(), situation=PLACE).decision.word for row in rows]
    assert [row["decision"] for row in evaluate_batch(array, POLICY).to_pylist()] == expected
    assert count_batch(array, POLICY, OTHER) == tally([row for row in rows if row is not None])
    parts = [count_batch(pa.array(chunk, pa.string()), POLICY, OTHER) for chunk in chunks]
    assert sum(parts, Tally()) == count_batch(array, POLICY, OTHER)
