"""``git`` and ``make``, allowed by rule: shell text in arguments is found, and computed arguments are not granted."""

import pytest

from tests.support.each import each
from tests.support.judging import decision

RULES = """
prefix_rule(pattern = ["git", "push"], decision = "forbidden")
prefix_rule(pattern = ["curl"], decision = "forbidden")
prefix_rule(pattern = ["git"])
prefix_rule(pattern = ["make"])
"""

FORBIDDEN = [
    'make --eval="x:;git push $z"',
    "x='--eval=x:;git push'; make \"$x\"",
    'm="x:;git push"; make --eval "$m"',
    "make -sE 'x:;git push'",
    "make 'A!=git push'",
    "make 'A:=${shell git push}'",
    "make 'A:=$(call shell,git push)'",
    "make SHELL=git .SHELLFLAGS=push",
    "make .SHELLFLAGS='-c curl #'",
    "make --eval='.SHELLFLAGS = -c curl #'",
    "make A='$(eval x:;git push)' x",
    "make A='${eval x:;git push}' x",
    "make A='$(eval $(B))' B='x:;git push' x",
    "make --eval='$(eval x:;git push)'",
    "make MAKEFLAGS='--eval=x:;git push'",
    "make 'A=`git push`'",
    "make 'A=$$(git push)'",
    "make A='x; git push'",
    "git -c alias.x='!git' x push",
    "git -c alias.x='!f() { git \"$@\"; }; f' x push",
    "git -c alias.a=b -c alias.b='!git' a push",
    'git config alias.p "!git"; git p push',
    "x='!git push'; git config alias.p \"$x\"; git p",
    'git rebase -ix "git push" HEAD~1',
    'git rebase --exec="git push $z" HEAD~1',
    'git grep -nO"curl x" hello',
    "git clone -c core.sshCommand='curl x' ssh://h/x d",
    "git clone -qc core.sshCommand='curl x' ssh://h/x d",
    'git -c remote.o.url="ext::curl x" fetch o',
    'git -c url."ext::curl ".insteadOf=x fetch x',
    'git fetch "ext::sh -c git% push"',
    "git -c credential.helper='x;git push' credential fill",
    "git -c x.y=. for-each-repo --config=x.y push",
    "git -c rebase.instructionFormat='%s%nexec git push' rebase -i HEAD~1",
    "git subtree push --prefix=d . x",
    "git -c sequence.editor='git push' rebase -i HEAD~1",
    "GIT_SEQUENCE_EDITOR='git push' git rebase -i HEAD~1",
    "echo 'exec git push' > .git/rebase-merge/git-rebase-todo; git rebase --continue",
    "echo 'x git push' | tee -a .git/worktrees/w/rebase-merge/git-rebase-todo; git rebase --continue",
    "echo 'exec git push' > todo; git -c sequence.editor='cp todo' rebase -i HEAD~1",
    "echo 'exec git push' > todo; git -c core.editor='cp todo' rebase -i HEAD~1",
    "echo 'exec git push' > todo; git config sequence.editor 'cp todo'; git rebase -i HEAD~1",
    "echo 'exec git push' > todo; GIT_SEQUENCE_EDITOR='cp todo' git rebase -i HEAD~1",
    "echo 'exec git push' > todo; export EDITOR='cp todo'; git rebase -i HEAD~1",
]
UNKNOWN = [
    'make "$x"',
    'make --eval="$x"',
    "find . -name x | xargs make",
    'make -f "$x"',
    "ls | make -f -",
    "git $x",
    'git rebase "$x"',
    'git config "$k" push',
    'git config alias.x "$v"',
    'git -c "$x" status',
    'git -c core.pager="$x" log',
    "git -c core.hooksPath=. commit",
    "git --exec-path=./evil log",
    "git config --rename-section foo alias",
    "git -c sequence.editor='cp todo' rebase -i HEAD~1",
    "git -c core.editor='cp todo' rebase -i HEAD~1",
    "git config sequence.editor 'cp todo'",
]
ALLOWED = [
    "make -j$(nproc) all",
    "make test",
    "make -C src V=1 all",
    'make test NAME="$x"',
    'git commit -m "$m"',
    'git -C "$d" log',
    'git config user.name "$n"',
    "git config alias.st status",
    "git rebase main",
    "git -c sequence.editor=: rebase -i HEAD~1",
    "git -c core.editor=true rebase --continue",
    "git config sequence.editor",
    'git add "$f"',
]


@each("script", FORBIDDEN)
def test_text_that_runs_a_forbidden_command_is_found(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize("script", UNKNOWN)
def test_what_could_be_such_text_is_not_granted(script: str) -> None:
    assert (
        decision(script, RULES.replace('prefix_rule(pattern = ["git", "push"], decision = "forbidden")', ""))
        == "prompt"
    )


@pytest.mark.parametrize("script", ALLOWED)
def test_ordinary_calls_are_granted(script: str) -> None:
    assert decision(script, "\n".join(RULES.split("\n")[3:])) == "allow"


@each("script", ["vim -es -c 'call setline(1, \"git push\")' -c wq build.sh; bash build.sh"])
def test_what_a_filter_puts_into_the_file_that_is_run(script: str) -> None:
    rules = 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")\n' + "".join(
        f'prefix_rule(pattern = ["{name}"])\n'
        for name in ("sed", "gsed", "perl", "ruby", "gawk", "ed", "bash", "ex", "vim", "patch", "git")
    )
    assert decision(script, rules) == "forbidden"
