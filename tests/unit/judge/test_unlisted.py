"""What programs on no list are evidently given to run, and what is only text to them."""

from __future__ import annotations

import pytest

from execpolicy.core.decision import Decision
from execpolicy.judge.check import check
from execpolicy.judge.stored import restored, store
from tests.support.judging import PLACE, decision, rulebook

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
    compiled = restored(store(rulebook(RULES)))  # whose entries are read when one is first asked for
    assert check(script, compiled, situation=PLACE).decision is Decision.FORBIDDEN


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
