"""Every one of these runs ``git push`` with GNU parallel 20221122, as tried with a stub ``git``."""

import pytest

from tests.support.judging import decision

RULES = (
    'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n'
    'prefix_rule(pattern=[["cat", "echo", "parallel", "printf"]])\n'
)


@pytest.mark.parametrize(
    "script",
    [
        "parallel -a <(echo push) git",
        "parallel --arg-file <(echo push) git {}",
        "parallel --arg-file=<(echo push) git",
        "echo push > f; parallel -af git",
        "parallel git :::: <(echo push)",
        "parallel {1} {2} ::: git :::: <(echo push)",
        "parallel -a <(echo git) -a <(echo push) {1} {2}",
        "parallel --arg-sep ,, git ,, push",
        "parallel --arg-file-sep=,, git ,, <(echo push)",
        "parallel -d ';' {} <<< 'x;git push'",
        "parallel -0 git < <(printf 'push\\0')",
        "parallel -N2 {2} {1} ::: push git",
        "parallel -X {2} {1} ::: push git",
        "parallel --colsep , {2} {1} ::: push,git",
        "parallel --colsep '\\t' {2} {1} < <(printf 'push\\tgit\\n')",
        "parallel --header : {b} {a} ::: a push ::: b git",
        "parallel --header : --colsep , '{b} {a}' <<< $'a,b\\npush,git'",
        "parallel -I ,, git ,, ::: push",
        "parallel -ixx git xx ::: push",
        "parallel --replace=xx git xx ::: push",
        "parallel --bnr xx git xx ::: a/push",
        "parallel git {.} ::: push.x",
        "parallel git {/} ::: a/push",
        "parallel git {//} ::: push/a",
        "parallel git {1/.} ::: a/push.c",
        "parallel git {-1} ::: a ::: push",
        "parallel --plus git {..} ::: push.c.d",
        "parallel --plus git {+.} ::: a.push",
        "parallel --plus git {%.c} ::: push.c",
        "parallel --plus git {#a} ::: apush",
        "parallel --plus git {/x/push} ::: x",
        "parallel --plus git {:-push} ::: ''",
    ],
)
def test_items_stand_in_their_places(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize(
    "script",
    ["parallel {} ::: a", "parallel {0} {-0} {-2} {999999} {1 ::: a", "parallel {{/} {:} {%} {+} {=} ::: a.b/c"],
)
def test_what_is_no_place_stays(script: str) -> None:
    assert decision(script, RULES) == "prompt"


def test_another_command_is_not_that_one() -> None:
    assert (
        decision("parallel -a <(echo pull) git; echo push", RULES + 'prefix_rule(pattern=["git", "pull"])') == "allow"
    )
