from execpolicy.judge.check import check
from execpolicy.judge.reasons import short_reason
from tests.support.judging import rulebook


def test_of_a_long_command_a_reason_shows_both_ends() -> None:
    words = " ".join(f"word{at}" for at in range(5_000))
    reason = short_reason(check(f"nosuch {words}", rulebook()))
    assert len(reason) < 1_200
    assert reason.startswith("`nosuch word0 word1 ")
    assert "word4999` needs approval: " in reason
