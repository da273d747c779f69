"""What fuzzy finders run beside a list and on keys."""

import pytest

from tests.support.judging import decision

FORBID = 'prefix_rule(pattern=["rm"], decision="forbidden")\n'


@pytest.mark.parametrize(
    "script",
    [
        "fzf --preview 'rm {}'",
        "fzf --preview='ls; rm x'",
        "fzf --preview ls --preview 'rm x'",
        "fzf --info-command 'rm x'",
        "fzf --bind 'enter:execute(rm {})'",
        "fzf --bind='a:up,enter:execute-silent[rm {}]+abort'",
        "fzf --bind enter:become:'rm {}'",
        "fzf --bind 'ctrl-r:reload(rm x)+down'",
        "fzf --bind ',:execute(rm x)'",
        "fzf --bind '::execute(rm x)'",
        "fzf --bind 'a:up+execute{rm x}'",
        "fzf --bind 'a:execute(echo (a); rm x)'",
        "fzf --bind 'a:execute/rm x/,b:up'",
        "fzf --bind a:up --bind 'b:execute(rm x)'",
        "sk --preview 'rm x'",
        "sk -c 'rm x'",
        "FZF_DEFAULT_COMMAND='rm x' fzf",
    ],
)
def test_a_forbidden_command_is_found(script: str) -> None:
    assert decision(script, FORBID) == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        "fzf --bind 'a:transform(echo up)'",
        "fzf --bind 'a:frobnicate'",
        "fzf --bind 'a:execute(date)x'",
        "fzf --bind 'a:ls'",
        "fzf --bind 'a:execute(ls)+execute(make)'",
        "fzf --bind 'a:EXECUTE(ls)'",
        "fzf --bind 'a:execute(echo {r})'",
        "fzf --preview 'echo {r1}'",
        "fzf --preview 'ls {+r}'",
        """fzf --preview "cat '{}'" """,
        """fzf --preview 'cat "{}"'""",
        """fzf --preview "head -5 'a{}b'" """,
        """fzf --preview 'echo "$(ls)" "{q}"'""",
        """fzf --preview "echo $'{}'" """,
        "fzf --preview 'echo `ls {}`'",
        "fzf --preview 'ls # {}'",
        "fzf --preview 'cat <<X\n{}\nX'",
        """fzf --bind "a:execute(echo '{}')" """,
        'fzf --bind "a:execute($x)"',
        'fzf --preview "$p"',
        "fzf --preview=$p",
        "fzf --preview 'sort {}'",
        "fzf --preview 'make {}'",
        "fzf --history=x",
    ],
)
def test_what_is_not_known_is_asked_about(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize(
    "script",
    [
        "ls | fzf -m",
        "fzf --preview 'head -5 {}'",
        "fzf --preview 'cat {+}'",
        "fzf -m --preview 'wc -l {+}'",
        "fzf -m --preview 'cat {*}'",
        "fzf --bind 'ctrl-a:select-all+accept,b:up'",
        "fzf --bind 'ctrl-r:reload(find . -name x)+first'",
        "fzf --bind 'enter:execute(cat {})' --bind focus:transform-header:'wc -l {}'",
    ],
)
def test_choosing_is_harmless(script: str) -> None:
    assert decision(script) == "allow"
