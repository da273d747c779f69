"""What a rule is there for, beside others that are as strict."""

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.lint.sight import RuleSight, deciding_command


def rule(text: str, decision: Decision = Decision.FORBIDDEN, *, exact: bool = False) -> PrefixRule:
    return PrefixRule(PrefixPattern.of(text.split()), decision, exact=exact)


@pytest.mark.parametrize(
    ("by_meaning", "others", "found"),
    [
        ("nobody --danger", [rule("nobody --danger", exact=True)], "nobody --zz --danger"),
        ("nobody a -x -y", [rule("nobody a -x -y", exact=True)], "nobody -x -y a"),
        ("nobody --danger", [rule("nobody --danger", Decision.PROMPT, exact=True)], "nobody --danger"),
        ("git push -f", [rule("git push --force")], None),
        ("git push -f", [rule("git push", Decision.PROMPT)], "git push -f"),
        ("git push -f", [rule("git push -f", exact=True)], "git push +x"),
    ],
)
def test_what_is_left_to_a_rule_by_meaning(by_meaning: str, others: list[PrefixRule], found: str | None) -> None:
    own = rule(by_meaning)
    rules = [own, *others]
    words = deciding_command(own, rules, RuleSight(rules))
    assert (None if words is None else " ".join(words)) == found


def test_what_is_left_to_a_rule_that_allows() -> None:
    own = rule("git push", Decision.ALLOW)
    assert deciding_command(own, [own, rule("git", Decision.ALLOW)], RuleSight([])) is None
    assert deciding_command(own, [own, rule("git pull", Decision.ALLOW)], RuleSight([])) == ("git", "push")
