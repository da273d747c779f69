import pickle

import pytest

from execpolicy.core.decision import Decision


def test_strictest_wins_is_max() -> None:
    assert max(Decision.ALLOW, Decision.FORBIDDEN, Decision.PROMPT) is Decision.FORBIDDEN
    assert max(Decision.ALLOW, Decision.PROMPT) is Decision.PROMPT


@pytest.mark.parametrize("word", ["allow", "prompt", "forbidden"])
def test_words_round_trip(word: str) -> None:
    decision = Decision.parse(word)
    assert decision is not None
    assert decision.word == str(decision) == word


@pytest.mark.parametrize("word", ["Allow", "deny", "", "prompt-user", " allow"])
def test_other_words_are_no_decision(word: str) -> None:
    assert Decision.parse(word) is None


def test_a_decision_stays_the_same_object_through_pickle() -> None:
    assert pickle.loads(pickle.dumps(Decision.PROMPT)) is Decision.PROMPT
