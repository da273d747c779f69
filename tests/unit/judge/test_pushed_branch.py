"""The branch that a push without a name pushes: the one that is checked out, where no setting says another."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.judging import rulebook

RULES = """
prefix_rule(pattern=[["git", "cat", "npm", "cd"]])
prefix_rule(pattern=["git", "push", "origin", "main"], decision="forbidden")
"""
SETTINGS = [
    "push.default upstream",
    "remote.origin.push HEAD:main",
    "remote.origin.mirror true",
    "branch.topic.pushRemote x",
    "remote.pushDefault x",
    "branch.topic.merge refs/heads/main",
    "include.path other",
    "includeIf.gitdir:x.path other",
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("GIT_DIR", "GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "home" / "project"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "topic"], cwd=folder, check=True)
    return folder


def set_up(project: Path, *arguments: str) -> None:
    subprocess.run(["git", "config", *arguments], cwd=project, check=True, env={"HOME": str(project.parent)})


def decided(project: Path, script: str) -> str:
    place = Situation(str(project), home=str(project.parent))
    return check(script, rulebook(RULES), shell="bash", situation=place).decision.word


@pytest.mark.parametrize(
    "script",
    [
        "git push",
        "git push -u",
        "git push origin",
        "git push --force-with-lease",
        "git push -u origin HEAD",
        "git push origin @",
        "git -C . push",
        "git add . && git commit -qm x && git push",
        "git -C . add . && git -C . push",
        "cd sub && cat a && git push",
        "git push --help",
    ],
)
def test_a_push_of_another_branch_is_not_the_rule(project: Path, script: str) -> None:
    (project / "sub").mkdir()
    set_up(project, "branch.topic.merge", "refs/heads/topic")
    set_up(project, "branch.main.merge", "refs/heads/main")
    assert decided(project, script) == "allow"


@pytest.mark.parametrize(
    "script",
    [
        "git checkout main; git push",
        "git -C . switch main; git push",
        "git config push.default upstream; git push",
        "git -c push.default=upstream push",
        "npm test && git push",
        "GIT_DIR=x git push",
        "export GIT_DIR=x; git push",
        'cd "$x" && git push',
        'git -C "$x" push',
        "git branch -M main && git push",
        "bash -c 'git push'",
        "git checkout main; git push origin HEAD",
        "git push origin x:HEAD",
    ],
)
def test_a_script_that_may_change_the_branch_is_asked_about(project: Path, script: str) -> None:
    assert decided(project, script) != "allow"


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("scope", ["--local", "--global", "--worktree"])
def test_a_setting_that_may_say_another_branch_is_asked_about(project: Path, setting: str, scope: str) -> None:
    set_up(project, "--local", "extensions.worktreeConfig", "true")
    assert decided(project, "git push") == "allow"
    set_up(project, scope, *setting.split())
    assert decided(project, "git push") == "prompt"


def test_settings_in_other_forms(project: Path) -> None:
    config = project / ".git" / "config"
    text = config.read_text("utf-8")
    for more in (
        "[push] default = upstream",
        "[Push]\n\tDefault=upstream",
        '[branch "topic"]\nx = a\\\nb',
        "[INCLUDE]\npath=x",
    ):
        config.write_text(f"{text}\n{more}\n", "utf-8")
        assert decided(project, "git push") == "prompt"


def test_the_branch_itself_and_no_branch_are_asked_about(project: Path) -> None:
    for head in ("ref: refs/heads/main", "0" * 40, "ref: refs/heads/.invalid"):
        (project / ".git" / "HEAD").write_text(head + "\n", "utf-8")
        assert decided(project, "git push") == "prompt"
        assert decided(project, "git push origin HEAD") == ("forbidden" if head.endswith("main") else "prompt")


def test_a_linked_work_tree_has_its_own_branch(project: Path) -> None:
    identity = ("-c", "user.name=dev", "-c", "user.email=dev@example.com")
    subprocess.run(["git", *identity, "commit", "-qm", "x", "--allow-empty"], cwd=project, check=True)
    subprocess.run(["git", "worktree", "add", "-q", "-b", "main", "../tree"], cwd=project, check=True)
    assert decided(project.parent / "tree", "git push") == "prompt"
    assert decided(project, "git push") == "allow"
