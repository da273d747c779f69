"""What holds for every policy."""

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

from execpolicy.core.decision import Decision
from execpolicy.core.policy import Policy
from execpolicy.core.rules import PrefixRule
from tests.property.strategies import commands, policies, rules
from tests.support.each import drawn


def ask(_: Sequence[str]) -> Decision:
    return Decision.PROMPT


@drawn(20, 100, policies(), rules(), commands())
def test_a_new_rule_never_relaxes_a_matched_command(policy: Policy, rule: PrefixRule, command: list[str]) -> None:
    before = policy.check(command).decision
    after = policy.with_statements(rule).check(command).decision
    if before is not None:
        assert after is not None
        assert after >= before


@drawn(20, 100, st.lists(rules(), max_size=5), st.randoms(), commands())
def test_the_order_of_rules_does_not_matter(some: list[PrefixRule], random: Random, command: list[str]) -> None:
    shuffled = list(some)
    random.shuffle(shuffled)
    one = Policy(some).check(command, fallback=ask)
    other = Policy(shuffled).check(command, fallback=ask)
    assert one.decision is other.decision
    assert sorted(map(repr, one.matches)) == sorted(map(repr, other.matches))


@drawn(20, 100, policies(), commands())
def test_the_index_finds_exactly_what_a_linear_search_finds(policy: Policy, command: list[str]) -> None:
    linear = {id(rule) for rule in policy.rules if rule.matched_prefix(command) is not None}
    assert {id(match.rule) for match in policy.matches(command)} == linear


@drawn(20, 100, policies(), policies(), commands())
def test_an_overlay_adds_its_matches(base: Policy, overlay: Policy, command: list[str]) -> None:
    merged = base.merged(overlay).check(command, fallback=ask)
    assert merged.decision >= max(
        (found for found in (base.check(command).decision, overlay.check(command).decision) if found is not None),
        default=Decision.PROMPT,
    )
