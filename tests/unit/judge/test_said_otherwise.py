"""What is forbidden, said to a program of which nothing is known in other letters than those of the rule."""

import pytest

from tests.support.judging import decision

RULES = 'prefix_rule(pattern=["mytool"])\nprefix_rule(pattern=["git", "push"], decision="forbidden")\n'


@pytest.mark.parametrize(
    "script",
    [
        "mytool key g i t space p u s h Return",
        "mytool --delay 5 g i t space p u s h",
        "mytool 'key g' 'key i' 'key t' 'key space' 'key p' 'key u' 'key s' 'key h'",
        "mytool -k g -k i -k t -k space -k p -k u -k s -k h",
        "mytool KEY_G KEY_I KEY_T KEY_SPACE KEY_P KEY_U KEY_S KEY_H",
        "mytool 34 23 20 57 25 22 31 35 28",
        "mytool keyevent 35 37 48 62 44 49 47 36 66",
        "mytool '[103,105,116,32,112,117,115,104]'",
        "mytool --hex 6769742070757368",
        "mytool --b64=Z2l0IHB1c2g=",
        "mytool 'git%20push'",
        "mytool 'git\\x20push'",
        "mytool 'git\\u0020push'",
        "mytool 'git&#32;push'",
        "mytool g; mytool i; mytool t; mytool space; mytool push Return",
        "mytool send 'git pu'; mytool send sh",
        "for k in g i t space p u s h; do mytool key $k; done",
    ],
)
def test_it_is_found(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        "mytool key ctrl+c",
        "mytool --token abcdefabcdef0123",
        "mytool 10 20 30 40 50 60",
        "mytool a b c d e f g",
        "mytool 'x%20y'",
        "mytool 'a\\x41b c'",
        "mytool --use git; mytool --use push",
        "for k in a b c d e f; do mytool key $k; done",
    ],
)
def test_other_letters_say_other_things(script: str) -> None:
    assert decision(script, RULES) == "allow"
