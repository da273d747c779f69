"""Many rules of one program are found by words as one after the other."""

import random

from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import PrefixRule
from execpolicy.core.rules_by_words import RulesByWords

WORDS = ("a", "b", "A", "c", "ß", "ss")


def test_the_same_rules_match_in_the_same_order() -> None:
    chance = random.Random(2)
    for _ in range(20):
        rules = [
            PrefixRule(
                PrefixPattern(
                    "p",
                    tuple(tuple(chance.sample(WORDS, chance.randint(1, 2))) for _ in range(chance.randint(0, 4))),
                    canonical_matching=chance.random() < 0.2,
                )
            )
            for _ in range(120)
        ]
        policy = Policy(rules)
        for _ in range(60):
            argv = ("p", *chance.choices(WORDS, k=chance.randint(0, 5)))
            wanted = [rule for rule in rules if rule.pattern.matches_rest(argv)]
            assert [id(match.rule) for match in policy.matches(argv)] == [id(rule) for rule in wanted]


def test_of_many_rules_few_are_compared() -> None:
    rules = [PrefixRule(PrefixPattern.of(["p", "sub", f"x{at}"])) for at in range(10_000)]
    index = RulesByWords(rules)
    for _ in range(20):
        found = index.candidates(("p", "sub", "x7", "y"))
    assert found == [rules[7]]
