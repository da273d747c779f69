import copy
import json
import operator
import pickle

import pytest

from execpolicy.cli.output import dumps
from execpolicy.core.decision import Decision
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import UsageError
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook

ALL = (Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN)
WORDS = ("allow", "prompt", "forbidden")


def test_strictest_wins_is_max() -> None:
    assert max(Decision.ALLOW, Decision.FORBIDDEN, Decision.PROMPT) is Decision.FORBIDDEN
    assert max(Decision.ALLOW, Decision.PROMPT) is Decision.PROMPT


@pytest.mark.parametrize("word", WORDS)
def test_words_round_trip(word: str) -> None:
    decision = Decision.parse(word)
    assert decision is not None
    assert decision.word == decision.value == str(decision) == f"{decision}" == format(decision) == word
    assert type(decision.value) is type(str(decision)) is str
    assert Decision(word) is Decision(decision) is decision


@pytest.mark.parametrize("word", ["Allow", "deny", "", "prompt-user", " allow"])
def test_other_words_are_no_decision(word: str) -> None:
    assert Decision.parse(word) is None


def test_a_decision_equals_its_word_and_no_other_one() -> None:
    for decision, word in zip(ALL, WORDS, strict=True):
        assert [other for other in WORDS if decision == other] == [word]
        assert [other for other in WORDS if other == decision] == [word]
        assert [other for other in WORDS if decision != other] == [other for other in WORDS if other is not word]
        assert [other for other in ALL if decision != other] == [other for other in ALL if other is not decision]
        assert hash(decision) == hash(word)
        assert {word: 1}[decision] == {decision: 1}[word] == 1
        assert WORDS.index(decision) == ALL.index(decision)


@pytest.mark.parametrize("word", ["forbid", "ask", "deny", "Forbidden", "", "forbidden "])
@pytest.mark.parametrize("decision", ALL)
def test_comparing_with_any_other_text_is_an_error(decision: Decision, word: str) -> None:
    for compare in (operator.eq, operator.ne):
        for pair in ((decision, word), (word, decision)):
            with pytest.raises(UsageError, match="a decision must be one of `allow`, `prompt` or `forbidden`, not"):
                compare(*pair)


@pytest.mark.parametrize("other", [0, 1, 2, True, None, 1.0, b"allow", ("allow",), object()])
def test_what_is_no_text_is_unequal(other: object) -> None:
    for decision in ALL:
        for pair in ((decision, other), (other, decision)):
            assert operator.ne(*pair) is True
            assert operator.eq(*pair) is False


ORDER = (operator.lt, operator.le, operator.gt, operator.ge)


def test_decisions_are_ordered_by_strictness() -> None:
    for compare in ORDER:
        for low, one in enumerate(ALL):
            for high, other in enumerate(ALL):
                assert compare(one, other) is compare(low, high), (compare, one, other)


@pytest.mark.parametrize("other", ["allow", "forbidden", "deny", 1, 1.5, None, b"allow"])
@pytest.mark.parametrize("decision", ALL)
def test_nothing_else_is_ordered_against_a_decision(decision: Decision, other: object) -> None:
    for compare in (*ORDER, max):
        for pair in ((decision, other), (other, decision)):
            with pytest.raises(TypeError, match="among decisions"):
                compare(*pair)


def test_json_gives_the_word() -> None:
    assert json.dumps({"decision": Decision.FORBIDDEN}) == '{"decision": "forbidden"}'
    assert json.dumps({Decision.ALLOW: 1}) == '{"allow": 1}'
    assert dumps([Decision.PROMPT]) == '["prompt"]'


@pytest.mark.parametrize("decision", ALL)
def test_a_decision_stays_the_same_object_in_copies(decision: Decision) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(decision, protocol)) is decision
    assert copy.copy(decision) is decision
    assert copy.deepcopy(decision) is decision


def test_a_loop_that_compares_words_runs_what_is_allowed_alone() -> None:
    """As the README has it."""
    rules = Rulebook([PrefixRule(["ls"]), PrefixRule(["rm"], "forbidden")])
    ran, asked, refused = [], [], []
    for command in ("ls", "make", "cd src && rm -rf x"):
        verdict = check(command, rules)
        if verdict.decision == "forbidden":
            refused.append(command)
        elif verdict.decision == "prompt":
            asked.append(command)
        else:
            ran.append(command)
    assert (ran, asked, refused) == (["ls"], ["make"], ["cd src && rm -rf x"])
    assert verdict.decision == "forbidden"
    match verdict.decision:
        case "allow":
            pytest.fail("it is forbidden")
        case "forbidden":
            pass
