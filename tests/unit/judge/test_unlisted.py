"""What programs on no list are evidently given to run, and what is only text to them."""

from __future__ import annotations

import pytest

from tests.support.judging import decision

RULES = (
    'prefix_rule(pattern=["rm"], decision="forbidden")\nprefix_rule(pattern=["git", "push"], decision="forbidden")\n'
    'prefix_rule(pattern=["mytool"])\n'
)


@pytest.mark.parametrize(
    "script",
    [
        "mytool -- rm x",
        "mytool --title a -- git push",
        "mytool -e 'rm x'",
        "mytool -c git push",
        "mytool --exec rm",
        "mytool --on-exit-cmd='git push'",
        "mytool start git push origin",
        "mytool ':!git push'",
        "mytool 'os.execute(\"git push\")'",
        "mytool '(system \"rm x\")'",
    ],
)
def test_what_is_evidently_run(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        "mytool rm x",
        "mytool create 'git push fails since Monday'",
        "mytool -m 'rm x' --body='git push'",
        "mytool --dry-run rm",
        "mytool -x rm",
        "mytool git log",
        "mytool -- -v",
    ],
)
def test_what_is_text_or_a_name(script: str) -> None:
    assert decision(script, RULES) == "allow"


def test_what_an_entry_knows_is_not_guessed_at() -> None:
    assert decision("grep -e 'git push' a.txt", RULES) == "allow"
    assert decision("jq -e '.a' rm", RULES) == "allow"
