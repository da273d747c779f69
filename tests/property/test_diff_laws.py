"""The difference of two policies, against brute force over all short commands."""

from itertools import product

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import PrefixRule
from execpolicy.insight.diff import policy_diff
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from tests.property.strategies import policies

WORDS = ["git", "Git", "GIT", "push", "PUSH", "-f", "-F", "é", "e\u0301", "É", "", "other"]
COMMANDS = [argv for length in (1, 2, 3) for argv in product(WORDS, repeat=length)]
PUSHES = [
    ("git", *words)
    for length in (0, 1, 2, 3)
    for words in product(
        ["push", "-f", "--force", "--forc", "-uf", "origin", "+main", "--", "pull", "-v"], repeat=length
    )
]
DECISIONS = st.sampled_from([Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN])
SHELLS = [words for length in (1, 2, 3) for words in product(["sudo", "rm", "-rf", "-r", "-f", "x"], repeat=length)]


def decided(policy: Policy, book: Rulebook, argv: tuple[str, ...]) -> Decision | None:
    """What the rules of ``policy`` say surely of ``argv``; the judge says it for those that restrict."""
    found = [match.decision for match in policy.matches(argv)]
    for command in check(argv, book, situation=Situation("/nowhere")).commands:
        found += [match.decision for match in command.matches if isinstance(match, PrefixMatch) and not match.possible]
    return max(found, default=None)


def compare(before: Policy, after: Policy, commands: list[tuple[str, ...]]) -> None:
    old, new = (
        Rulebook([rule for rule in policy.rules if rule.decision is not Decision.ALLOW]) for policy in (before, after)
    )
    real = set()
    for argv in commands:
        pair = (decided(before, old, argv), decided(after, new, argv))
        if pair[0] != pair[1]:
            real.add(pair)
    changes = policy_diff(before, after)
    for change in changes:
        assert decided(before, old, change.example) == change.before
        assert decided(after, new, change.example) == change.after
        assert change.before != change.after
    assert {(change.before, change.after) for change in changes} >= real, (before.rules, after.rules)


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(policies(), policies())
def test_diff_agrees_with_brute_force(before: Policy, after: Policy) -> None:
    compare(before, after, COMMANDS[::7])


@st.composite
def policies_about(draw: st.DrawFn, commands: list[tuple[str, ...]]) -> Policy:
    found = [
        PrefixRule(PrefixPattern.of(draw(st.sampled_from(commands))), draw(DECISIONS))
        for _ in range(draw(st.integers(0, 3)))
    ]
    return Policy(found)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(policies_about(PUSHES), policies_about(PUSHES))
def test_diff_agrees_with_the_judge_about_pushes(before: Policy, after: Policy) -> None:
    compare(before, after, PUSHES[::9])


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(policies_about(SHELLS), policies_about(SHELLS))
def test_diff_agrees_with_the_judge_about_wrappers(before: Policy, after: Policy) -> None:
    compare(before, after, SHELLS[::3])


@given(policies())
def test_a_policy_does_not_differ_from_itself(policy: Policy) -> None:
    assert policy_diff(policy, policy) == ()
