"""Answers and their wire forms."""

from __future__ import annotations

import pytest

from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import (
    Abort,
    Approved,
    ApprovedExecpolicyAmendment,
    ApprovedForSession,
    Denied,
    NetworkAmendment,
    ReviewDecision,
    TimedOut,
    decision_from_json,
    decision_to_json,
    is_approval,
)
from execpolicy.errors import UsageError

_AMENDMENT = ApprovedExecpolicyAmendment(ExecPolicyAmendment(("git", "status")))


@pytest.mark.parametrize(
    ("decision", "wire"),
    [
        (Approved(), "approved"),
        (ApprovedForSession(), "approved_for_session"),
        (_AMENDMENT, {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": ["git", "status"]}}),
        (
            NetworkAmendment("example.com", "deny"),
            {"network_policy_amendment": {"network_policy_amendment": {"host": "example.com", "action": "deny"}}},
        ),
        (Denied(), "denied"),
        (Denied("use make"), {"denied": {"rejection": "use make"}}),
        (TimedOut(), "timed_out"),
        (Abort(), "abort"),
    ],
)
def test_wire_forms(decision: ReviewDecision, wire: object) -> None:
    assert decision_to_json(decision) == wire
    assert decision_from_json(wire) == decision


@pytest.mark.parametrize(
    ("word", "decision"),
    [
        ("accept", Approved()),
        ("acceptForSession", ApprovedForSession()),
        ({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["git", "status"]}}, _AMENDMENT),
        ("decline", Denied()),
        ("cancel", Abort()),
    ],
)
def test_words_of_the_app_server(word: object, decision: ReviewDecision) -> None:
    assert decision_from_json(word) == decision


@pytest.mark.parametrize(
    "wrong",
    [
        "yes",
        "",
        None,
        True,
        {},
        {"approved": {}},
        {"denied": {}},
        {"denied": "no"},
        {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": "git"}},
        {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": [1]}},
        {"approved_execpolicy_amendment": {}},
        {"network_policy_amendment": {"network_policy_amendment": {"host": "x", "action": "ask"}}},
        {"denied": {"rejection": "x"}, "abort": {}},
    ],
)
def test_what_is_no_answer(wrong: object) -> None:
    with pytest.raises(UsageError):
        decision_from_json(wrong)


def test_which_answers_are_a_yes() -> None:
    yes = [Approved(), ApprovedForSession(), _AMENDMENT, NetworkAmendment("x", "allow")]
    no = [NetworkAmendment("x", "deny"), Denied(), Denied("x"), TimedOut(), Abort()]
    assert all(is_approval(decision) for decision in yes)
    assert not any(is_approval(decision) for decision in no)


def test_a_long_rejection_is_cut_at_a_character() -> None:
    text = Denied("é" * 3000).text()
    assert text == "é" * 2048
    assert Denied("a" + "é" * 3000).text() == "a" + "é" * 2047
    assert Denied().text() == Denied("").text() == "rejected by user"
