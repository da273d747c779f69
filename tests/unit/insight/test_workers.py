"""Child processes decide the same as this one, and nothing is lost when they die."""

import pickle

import pytest

from execpolicy.core.rules import PrefixRule
from execpolicy.errors import UsageError
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.workers import Workers, decide_all
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from tests.support.judging import PLACE, rulebook

RULES = 'prefix_rule(["git", "push"], decision="forbidden")\nprefix_rule(["make"])\n'
POLICY = PortablePolicy.of(rulebook(RULES), situation=PLACE)
OTHER = PortablePolicy.of(rulebook(), situation=PLACE)
COMMANDS = [f"make t{at}" for at in range(500)] + [f"git push o{at}" for at in range(500)] + [("ls", "-la"), "\ud800"]


def test_children_decide_the_same() -> None:
    alone = decide_all(COMMANDS, [POLICY, OTHER], children=0)
    told: list[int] = []
    assert decide_all(COMMANDS, [POLICY, OTHER], children=2, progress=told.append) == alone
    assert sum(told) == len(COMMANDS)
    assert [one[0][0] for one in alone[:-2]] == [0] * 500 + [2] * 500


def test_a_child_that_dies_loses_nothing() -> None:
    alone = decide_all(COMMANDS, [POLICY], children=0)
    with Workers([POLICY], children=2) as workers:
        for child in workers._children:
            child.kill()
        assert workers.decide(COMMANDS) == alone


def test_workers_can_be_used_again() -> None:
    with Workers([POLICY], children=1) as workers:
        told: list[int] = []
        assert workers.decide(COMMANDS) == workers.decide(COMMANDS, told.append)
        assert sum(told) == len(COMMANDS)
        assert workers.decide([]) == []


def test_work_can_begin_before_all_of_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = decide_all(COMMANDS, [POLICY], children=0)
    for children in (0, 2):
        with Workers([POLICY], children=children) as workers:
            workers.begin(COMMANDS[:300])
            workers.begin(COMMANDS[100:500])
            assert workers.decide(COMMANDS) == alone
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    assert decide_all(COMMANDS, [POLICY], children=2) == alone


def test_a_policy_that_travels_decides_the_same() -> None:
    arrived = pickle.loads(pickle.dumps(POLICY))
    assert arrived == POLICY
    assert arrived.rulebook() is POLICY.rulebook()
    for command in ("git push -f", "make", "ls", "rm -rf /"):
        here = check(command, rulebook(RULES), situation=PLACE)
        there = check(command, arrived.rulebook(), situation=arrived.situation())
        assert here.to_json() == there.to_json()


def test_equal_rules_have_equal_keys_whoever_else_refers_to_their_texts() -> None:
    def book(reasons: list[str]) -> Rulebook:
        rules = [PrefixRule(["make", str(at)], justification=why) for at, why in enumerate(reasons)]
        return Rulebook(rules)

    shared = ["because"] * 2
    copied = ["".join(shared[0]), "".join([*shared[0]])]
    assert PortablePolicy.of(book(shared), situation=PLACE) == PortablePolicy.of(book(copied), situation=PLACE)


def test_text_is_put_above_the_built_in_layer() -> None:
    policy = PortablePolicy.of(RULES, situation=PLACE)
    assert check("make", policy.rulebook()).decision.word == "allow"
    assert check("ls", policy.rulebook()).decision.word == "allow"
    assert PortablePolicy.of(policy) is policy


def test_what_fails_closed_arrives_so() -> None:
    policy = PortablePolicy.of(Rulebook(rulebook().statements, fail_closed=True), situation=PLACE)
    arrived = pickle.loads(pickle.dumps(policy))
    assert policy.key != OTHER.key
    assert check("ls", arrived.rulebook(), situation=PLACE).decision.word == "prompt"


def test_another_python_refuses_the_bytes() -> None:
    data, fail_closed, cwd, home, *_ = POLICY.plain()
    with pytest.raises(UsageError, match="made by execpolicy 0, Python 2"):
        PortablePolicy(data, fail_closed, cwd, home, "flow", "execpolicy 0, Python 2.7").rulebook()
