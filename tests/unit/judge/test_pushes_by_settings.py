"""Settings of a remote, and the plumbing behind ``git push``, push as its options do."""

import pytest

from tests.support.each import each
from tests.support.judging import decision

FORCED = [
    "git config remote.origin.mirror true; git push",
    "git config --global remote.origin.mirror 1",
    "git config set --local remote.Origin.mirror yes",
    "git config --replace-all remote.o.push +main:main",
    "git config --add remote.o.push +main && git push o",
    "git config -f --get remote.o.mirror true",
    'git config remote.o.mirror "$x"',
    'git config remote.o.push "$x"',
    "bash -c 'git config remote.o.mirror true'",
    "git remote add --mirror=push o url",
    "git remote add --mirr o url",
    "git clone --mirror a b && cd b && git push",
    "git clone --mirror a b && git -C b push origin",
    "git clone -c remote.origin.mirror=true a b",
    "git clone --config remote.origin.push=+main a b",
    "git -c remote.o.mirror push o",
    "git -c remote.o.mirror=true p",
    'git -c remote.o.push="$x" push',
    "git -c remote.o.mirror=true subtree push -P x o main",
    "git send-pack --force url main",
    "git send-pack url +main",
    "git send-pack --mirror url",
    "git send-pack --stdin url < refs",
    "git http-push --force https://x main",
    "git subtree push --prefix x o +main",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.o.mirror GIT_CONFIG_VALUE_0=true git push",
    "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.o.push GIT_CONFIG_VALUE_0=+main; git push",
    "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.o.mirror GIT_CONFIG_VALUE_0=true git push",
    "GIT_CONFIG_PARAMETERS=\"'remote.o.mirror=true'\" git push",
    "git push --mirror",
    "git push o +main",
]
NOT_FORCED = [
    "git config remote.o.mirror false; git push",
    "git config remote.o.push main:main; git push",
    "git config --get remote.o.push +x",
    "git config --unset remote.o.push ^+",
    "git config remote.o.url +x",
    "git config user.name +x",
    "git config push.default current; git push",
    "git remote add --mirror=fetch o url",
    "git remote add o url",
    "git clone --mirror a b",
    "git clone --mirror a b && git -C b push https://x/y main",
    "git -c remote.o.mirror=true fetch o",
    "git -c remote.o.mirror=false push o",
    "git send-pack url main",
    "git subtree push --prefix x o main",
]
DELETED = [
    "git config remote.o.push :main",
    "git config remote.o.mirror true",
    "git send-pack url :main",
    "git http-push -D url main",
    "git push --mirror",
    "git push o +:main",
]


def rules(option: str) -> str:
    return f'prefix_rule(["git"])\nprefix_rule(["git", "push", "{option}"], "forbidden")\n'


@each("script", FORCED)
def test_it_forces(script: str) -> None:
    assert decision(script, rules("--force")) == "forbidden"


@pytest.mark.parametrize("script", DELETED)
def test_it_deletes(script: str) -> None:
    assert decision(script, rules("--delete")) == "forbidden"


@pytest.mark.parametrize("script", NOT_FORCED)
def test_it_does_not_force(script: str) -> None:
    assert decision(script, rules("--force")) != "forbidden"


@pytest.mark.parametrize(
    "script", ["git config remote.o.mirror true", "git send-pack --force url", "git push --mirror"]
)
def test_where_nothing_forbids_it_nothing_changes(script: str) -> None:
    assert decision(script, 'prefix_rule(["git"])\n') == "allow"


@pytest.mark.parametrize(
    "script",
    [
        "git subrepo push x",
        "git flow feature publish x",
        "git town sync",
        "git machete traverse --push",
        "git lfs push origin x",
        "git publish",
    ],
)
def test_programs_that_push_by_git_are_found(script: str) -> None:
    rules = 'prefix_rule(pattern=[["git", "gh", "glab"]])\nprefix_rule(pattern=["git", "push"], decision="forbidden")\n'
    assert decision(script, rules) == "forbidden"


@pytest.mark.parametrize("script", ["git stash push", "git lfs status", "git flow feature start x", "gh repo create x"])
def test_others_push_nothing(script: str) -> None:
    rules = 'prefix_rule(pattern=[["git", "gh", "glab"]])\nprefix_rule(pattern=["git", "push"], decision="forbidden")\n'
    assert decision(script, rules) == "allow"
