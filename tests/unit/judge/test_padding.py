"""What a script holds behind more commands than are read is still restricted, and costs no more than what is read."""

import pytest

from execpolicy.judge.unread import MOST, with_named
from execpolicy.programs.shelf import facts_of
from execpolicy.shell import salvage
from execpolicy.shell.limits import LIMITS
from execpolicy.shell.read import read_script
from tests.support.judging import decision, rulebook

RULES = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\nprefix_rule(pattern=[":"])\n'
COUNT = LIMITS.commands * 2 + 1
"""More commands than are read, and than are looked for behind them."""
HIDDEN = (
    "git push",
    "sudo git push -f",
    'bash -c "git push"',
    "git -C x push",
    "git 'push'",
    'g"i"t pu\\\nsh',
    "/usr/bin/git push",
    "x=$(git push)",
)


@pytest.mark.parametrize("hidden", HIDDEN)
def test_padding_hides_no_forbidden_command(hidden: str) -> None:
    assert decision(":;" * COUNT + hidden, RULES) == "forbidden"


@pytest.mark.parametrize("padding", ["a ", "'' ", '"', "$a "])
def test_a_command_of_more_words_than_any_is_left_there(padding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It hides nothing either, and of the rest of it nothing is made."""
    monkeypatch.setattr(salvage, "_STEPS", 1_000)
    text = padding * LIMITS.characters
    script = read_script(f"{text}; git -C x push")
    assert script.seen.rest is not None
    assert script.seen.rest < len(text)
    assert decision(f"{text}; git -C x push", RULES) == "forbidden"


def test_decoys_hide_no_forbidden_command() -> None:
    assert decision("".join(f"git a{at};" for at in range(COUNT)) + "git -C x push", RULES) == "forbidden"


def test_nothing_behind_padding_is_allowed_or_forbidden_without_a_rule() -> None:
    assert decision(":;" * COUNT + "git status", RULES) == "prompt"


def test_the_work_for_a_script_that_is_too_large_does_not_grow() -> None:
    rules = rulebook(RULES)
    for count in (3, 6, 12):
        script = with_named(read_script("".join(f"git a{at};" for at in range(LIMITS.commands * count))), rules)
        assert len(script.commands) <= 2 * LIMITS.commands + 3 * MOST
        assert facts_of(script).budget.left == LIMITS.refused
