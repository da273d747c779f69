"""The value of a secret variable that a script prints without naming it in the words of a program that prints."""

import pytest

from tests.support.judging import decision

LOOKS_LIKE_A_CONDITION = [
    "echo '[[ '; x=$GITHUB_TOKEN; echo ' ]]'; echo \"$x\"",
    "# [[\nx=$GITHUB_TOKEN\n# ]]\necho $x",
    "cat <<E\n[[ $GITHUB_TOKEN ]]\nE",
    'cat <<< "[[ $GITHUB_TOKEN ]]"',
    'x="[[ $GITHUB_TOKEN ]]"; echo "$x"',
    "grep -n '[[ ' a; for x in $GITHUB_TOKEN; do echo $x; done; grep -n ' ]]' a",
    "[[ a == $(cat <<< $GITHUB_TOKEN >&2) ]]",
    '[[ a == $(x=$GITHUB_TOKEN; echo "$x" >&2) ]]',
    '[[ a == "$(for x in $GITHUB_TOKEN; do echo "$x" >&2; done)" ]]',
    "[[ a == `cat <<< $GITHUB_TOKEN >&2` ]]",
]
TRACED = [
    "set -x; [[ -n $GITHUB_TOKEN ]]",
    "set -eux\nif [[ -z ${GITHUB_TOKEN:-} ]]; then echo none; fi",
    "set -o xtrace; [[ $GITHUB_TOKEN ]] && echo set",
    "bash -x -c '[[ $GITHUB_TOKEN ]] && echo set'",
    "bash -c 'set -x; [[ -n $GITHUB_TOKEN ]]'",
]
LAST_WORD = [
    'test -n "$GITHUB_TOKEN"; echo "$_"',
    'test a = "$GITHUB_TOKEN" || cat <<< $_',
    'if test -z "$GITHUB_TOKEN"; then echo none; else echo "${_%x}"; fi',
    'test "$GITHUB_TOKEN"; for x in $_; do echo $x; done',
    'test -n "$GITHUB_TOKEN" && ls "${_:0:9}"',
]
LETTER_BY_LETTER = [
    "for c in {a..z}; do [[ ${GITHUB_TOKEN:0:1} == $c ]] && printf %s $c; done",
    "for c in {a..z}; do [[ $GITHUB_TOKEN == ghp_$c* ]] && printf %s $c; done",
    "for c in {a..z}; do [[ $GITHUB_TOKEN < $c ]] && printf %s $c; done",
    'for c in {a..z}; do [ "${GITHUB_TOKEN:0:1}" = "$c" ] && printf %s $c; done',
    'for c in {a..z}; do [ -z "${GITHUB_TOKEN##$c*}" ] && printf %s $c; done',
    'for c in {a..z}; do test "${GITHUB_TOKEN%"${GITHUB_TOKEN#?}"}" = $c && printf %s $c; done',
    "for c in {a..z}; do [[ -z ${GITHUB_TOKEN##$c*} ]] && printf %s $c; done",
]
CONTINUED = [
    "echo $GITHUB\\\n_TOKEN",
    "x=$GITHUB\\\n_TOKEN; echo $x",
    "x=$\\\n{GITHUB_TOKEN}; echo $x",
    "echo $\\\nGITHUB_TOKEN",
    'echo "$GITHUB_TO\\\nKEN"',
    "cat <<E\n$GITHUB_TO\\\nKEN\nE",
    'cat <<< "${GITHUB_TO\\\nKEN}"',
    "for x in $GITHUB\\\n_TOKEN; do echo $x; done",
]
ONLY_ASKED = [
    "[[ -n $GITHUB_TOKEN ]] && echo set",
    '[[ -z "${GITHUB_TOKEN:-}" ]] && echo none',
    "[[ $GITHUB_TOKEN == '' || $GITHUB_TOKEN == \"changeme\" ]] && echo none",
    "[[ ! ( $GITHUB_TOKEN && -f a ) ]]",
    'if [ -z "${GITHUB_TOKEN+x}" ]; then echo none; fi',
    '[ "x$GITHUB_TOKEN" = "x" ] && echo none',
    '[ -n "$GITHUB_TOKEN" ] && [ "$GITHUB_TOKEN" != "$x" ]',
    'set -x; [[ ${#GITHUB_TOKEN} -gt 3 ]]; echo "${GITHUB_TOKEN:+set}"',
    '[ -n "$GITHUB_TOKEN" ] \\\n  && echo set',
]


@pytest.mark.parametrize("script", LOOKS_LIKE_A_CONDITION)
def test_what_only_looks_like_a_condition_hands_on_a_secret(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize("script", TRACED)
def test_a_trace_prints_what_a_condition_compares(script: str) -> None:
    assert decision(script) == "prompt"


def test_a_shell_that_is_told_to_trace_prints_what_is_compared() -> None:
    asked = '[ -n "$GITHUB_TOKEN" ] && echo set'
    assert decision(["bash", "-lc", asked]) == "allow"
    assert decision(["bash", "-xc", asked]) == "prompt"
    assert decision(["sh", "-e", "-o", "xtrace", "-c", asked]) == "prompt"
    assert decision(["bash", "-xc", "for i in 1 2; do echo $i; done"]) == "allow"


@pytest.mark.parametrize("script", LAST_WORD)
def test_the_last_word_of_a_test_can_be_printed(script: str) -> None:
    assert decision(script) == "prompt"
    assert decision(script, shell="zsh") == "prompt"


@pytest.mark.parametrize("script", LETTER_BY_LETTER)
def test_a_secret_is_not_guessed_letter_by_letter(script: str) -> None:
    assert decision(script) == "prompt"


INCOMPLETE = (
    '[ "$GITHUB_TOKEN" -a ]',
    '[ -a "$GITHUB_TOKEN" ]',
    '[ -n "$GITHUB_TOKEN" -o ]',
    'test "$GITHUB_TOKEN" -a -a x',
    '[ a -a -f -a "$GITHUB_TOKEN" ]',
    '[ x y -a "$GITHUB_TOKEN" ]',
    '[ "(" -a "$GITHUB_TOKEN" ]',
    '[ "$GITHUB_TOKEN" = "(" ]',
    '[ -n "$GITHUB_TOKEN" -a 1 -eq x ]',
    '[ -f "$GITHUB_TOKEN" ]',
    '[ -t "$GITHUB_TOKEN" ]',
)
COMPLETE = (
    '[ -n "$GITHUB_TOKEN" ]',
    '[ "$GITHUB_TOKEN" ] && echo set',
    '[ -z "$GITHUB_TOKEN" -a -z "$GH_TOKEN" ] && echo none',
    '[ -n "$GITHUB_TOKEN" -a -f a.txt ] && echo y',
    'if [ "$GITHUB_TOKEN" = "" ]; then echo no; fi',
    '[ ! -n "$GITHUB_TOKEN" ] || ls',
    'test -n "$GITHUB_TOKEN" -a -d src',
    '[ "$GITHUB_TOKEN" = x -o "$A" = y ]',
)


@pytest.mark.parametrize("script", INCOMPLETE)
def test_a_test_that_lacks_an_operand_complains_with_the_secret(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize("script", COMPLETE)
def test_a_test_that_lacks_nothing_only_asks(script: str) -> None:
    assert decision(script) == "allow"


@pytest.mark.parametrize("script", CONTINUED)
def test_the_name_of_a_secret_may_go_on_in_the_next_line(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize("script", ONLY_ASKED)
def test_whether_a_secret_is_there_may_be_asked(script: str) -> None:
    assert decision(script) == "allow"
