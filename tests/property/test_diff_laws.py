"""The difference of two policies, against brute force over all short commands."""

from itertools import product

from hypothesis import given, settings

from execpolicy.core.policy import Policy
from execpolicy.insight.diff import policy_diff
from tests.property.strategies import policies

WORDS = ["git", "Git", "GIT", "push", "PUSH", "-f", "-F", "é", "e\u0301", "É", "", "other"]
COMMANDS = [argv for length in (1, 2, 3) for argv in product(WORDS, repeat=length)]


@settings(max_examples=60, deadline=None)
@given(policies(), policies())
def test_diff_agrees_with_brute_force(before: Policy, after: Policy) -> None:
    real = set()
    for argv in COMMANDS:
        pair = (before.check(argv).decision, after.check(argv).decision)
        if pair[0] != pair[1]:
            real.add(pair)
    changes = policy_diff(before, after)
    for change in changes:
        assert before.check(change.example).decision == change.before
        assert after.check(change.example).decision == change.after
        assert change.before != change.after
    assert {(change.before, change.after) for change in changes} == real


@given(policies())
def test_a_policy_does_not_differ_from_itself(policy: Policy) -> None:
    assert policy_diff(policy, policy) == ()
