"""What is forbidden, put together by a shell script of words that it holds, where what runs is only known then."""

import pytest

from tests.support.judging import decision

RULES = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\n'


@pytest.mark.parametrize(
    "script",
    [
        'declare -A m=([a]=git [b]=push); for k in a b; do set -- "$@" "${m[$k]}"; done; "$@" origin',
        '[[ git-push =~ ^([a-z]+)-([a-z]+)$ ]] && "${BASH_REMATCH[@]:1}"',
        'arr=(push git); for ((i=1;i>=0;i--)); do o+=("${arr[i]}"); done; "${o[@]}"',
        "push() { git $FUNCNAME; }; push",
        "cat > g.sh <<'X'\ngit \"$@\"\nX\nbash g.sh push",
        "x=push; git $y",
    ],
)
def test_it_is_found(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        'echo "now run: git push"; "$RUNNER" test',
        'msg="please use git push"; "$EDITOR" x',
        'push() { git commit -m "$1"; }; push x',
        'branch=push; git checkout "$1"',
        'git status; "$CMD" x',
        'git "$1"',
    ],
)
def test_what_is_said_elsewhere_is_not(script: str) -> None:
    assert decision(script, RULES) != "forbidden"
