"""What a script holds behind more commands than are read is still restricted, and costs no more than what is read."""

import pytest

from execpolicy.judge.objections import MOST, with_named
from execpolicy.programs.catalog import facts_of
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


PARTS = LIMITS.parts + 1
DENSE = {
    "words": "echo " + "x " * PARTS,
    "expansions": "echo " + "$x" * PARTS,
    "quotes": "echo " + "''" * PARTS,
    "quoted expansions": f'echo "{"$x" * PARTS}"',
    "redirections": "echo " + ">f " * PARTS,
    "elements": f"a=({'$x ' * PARTS})",
    "a here-document": f"cat <<E\n{'$x' * PARTS}\nE",
    "backquotes": "echo " + "`x`" * (LIMITS.commands + 1),
}
"""Commands of which no end is seen, because they have more parts than are read."""


@pytest.mark.parametrize("dense", DENSE.values(), ids=DENSE)
def test_a_dense_command_hides_no_forbidden_one(dense: str) -> None:
    for hidden in ("git push", 'bash -c "git push"', "git -C x push"):
        assert decision(f"{dense}\n{hidden}", RULES) == "forbidden"
        assert decision(f"{dense.replace('E', 'F')}\n{dense}\n{hidden}", RULES) == "forbidden"


@pytest.mark.parametrize("hidden", HIDDEN)
def test_padding_hides_no_forbidden_command(hidden: str) -> None:
    assert decision(":;" * COUNT + hidden, RULES) == "forbidden"


@pytest.mark.parametrize("padding", ["a ", "'' ", '"', "$a "])
def test_a_command_of_more_words_than_any_is_left_there(padding: str) -> None:
    """It hides nothing either, and of the rest of it nothing is made."""
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
        assert len(script.commands) <= LIMITS.commands + LIMITS.behind + 3 * MOST
        assert facts_of(script).budget.left == LIMITS.refused


@pytest.mark.parametrize("dense", DENSE.values(), ids=DENSE)
def test_the_parts_of_a_dense_script_are_counted(dense: str) -> None:
    script = read_script(dense)
    assert script.status == "opaque"
    assert sum([len(word.pieces) or 1 for command in script.commands for word in command.words]) <= 2 * LIMITS.parts
    assert sum([len(command.redirects) for command in script.commands]) <= LIMITS.parts
