"""git in a folder that is a bare repository of the project: real git obeys its settings, so it is asked about."""

import os
import subprocess
from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.each import each
from tests.support.judging import rulebook

FOUND = [
    "git -C fixtures/repo.git diff HEAD",
    "git -C fixtures -C repo.git status",
    "git -C ./fixtures/repo.git/refs log -1",
    "git -C link status",
    "cd fixtures/repo.git && git diff HEAD",
    "cd fixtures; cd repo.git; git status",
    "(cd fixtures/repo.git; git log -1)",
    "pushd fixtures/repo.git && git status",
    "bash -c 'cd fixtures/repo.git && git status'",
    "env git -C fixtures/repo.git status",
    "env -C fixtures/repo.git git status",
    "find . -name HEAD -execdir git status \\;",
    "d=fixtures/repo.git; git -C $d log -1",
    "d=fixtures/repo.git; cd $d; git log -1",
    'cd "$x" && git status',
    "git --git-dir=/tmp/x/.git log -1",
    "git --git-dir ../x/.git log -1",
    'git --git-dir="$x" log -1',
    "cd - && git status --short",
    "cd $(mktemp -d); git log -1",
    'for d in */; do cd "$d"; git status; cd ..; done',
    'pushd "$x"; git diff; popd',
    "git -C /tmp/elsewhere -c safe.directory=/tmp/elsewhere status",
]
NONE = [
    "git status",
    "git -C . status",
    "git -C sub status",
    "cd sub && git log -1",
    "cd fixtures && git diff HEAD",
    "git -C fixtures/own status",
    "git -C /nowhere status",
    "ls fixtures/repo.git",
    'cd "$(git rev-parse --show-toplevel)" && git status',
    "git blame -C README",
    "git --git-dir=.git log -1",
    'cd "$(git rev-parse --show-toplevel)" && ls',
    'git status; cd "$x"',
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a bare repository in it, whose settings name a program."""
    root = tmp_path_factory.mktemp("project")
    (root / "sub").mkdir()
    for words in (["init", "-q", "."], ["init", "-q", "--bare", "fixtures/repo.git"], ["init", "-q", "fixtures/own"]):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
    (root / "link").symlink_to("fixtures/repo.git")
    return root


def decided(script: str, project: Path, rules: str = "") -> str:
    return check(script, rulebook(rules), situation=Situation(str(project))).decision.word


@each("script", FOUND)
def test_it_is_asked_about(script: str, project: Path) -> None:
    assert decided(script, project) == "prompt"
    assert decided(script, project, 'prefix_rule(pattern=[["git", "cd", "pushd", "bash", "env"]])') == "prompt"


@each("script", ['git -C "$x" status', 'git --no-pager -C fixtures -C "$x" log -1'])
def test_a_rule_covers_a_folder_that_only_the_run_knows_and_an_entry_does_not(script: str, project: Path) -> None:
    assert decided(script, project) == "prompt"
    assert decided(script, project, 'prefix_rule(pattern=["git"])') == "allow"


@each("script", NONE)
def test_everything_else_is_as_before(script: str, project: Path) -> None:
    assert decided(script, project) == "allow"


def make_odd(place: Path, kind: str) -> None:
    """A folder as a clone may hold it that git takes for a repository in a way of its own."""
    place.mkdir()
    (place / "config").write_text(
        '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ran; false"\n'
    )
    if kind == "HEAD is a link to nothing":
        (place / "HEAD").symlink_to("refs/heads/main")
    else:
        (place / "HEAD").write_text("ref: refs/heads/main\n")
    if kind == "it is elsewhere":
        subprocess.run(["git", "init", "-q", "--bare", str(place / "common")], check=True, capture_output=True)
        (place / "commondir").write_text("common\n")
        (place / "common" / "config").write_text((place / "config").read_text())
        return
    for name in ("objects", "refs"):
        if kind == "objects and refs are files":
            (place / name).write_text("")
            (place / name).chmod(0o755)
        else:
            (place / name).mkdir()


@each("kind", ["HEAD is a link to nothing", "objects and refs are files", "it is elsewhere", "plain"])
def test_what_git_takes_for_a_repository_in_its_own_way(kind: str, tmp_path: Path) -> None:
    tmp_path = tmp_path / kind
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, capture_output=True)
    odd = tmp_path / "docs"
    make_odd(odd, kind)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    words = ["git", "-C", "docs", *(["--work-tree=."] if kind == "it is elsewhere" else []), "status"]
    subprocess.run(words, cwd=tmp_path, env=environment, check=False, capture_output=True)
    assert list(tmp_path.rglob("ran")), "git does not take it for one any more"
    assert decided("git -C docs status", tmp_path) == decided("git -C docs ls-remote", tmp_path) == "prompt"
    assert decided("cd docs && git diff", tmp_path) == "prompt"
    assert decided("git status", tmp_path) == "allow"


@each("script", ["git status", "git log -1", "git -C . diff", "true && git branch"])
def test_where_a_script_starts_in_one_it_is_asked_about_too(script: str, project: Path) -> None:
    """An agent's folder is where its last command went."""
    inside = project / "fixtures" / "repo.git"
    assert decided(script, inside) == "prompt"
    assert decided(script, inside / "refs") == "prompt"
    assert decided(script, project / "fixtures" / "own") == "allow"


def test_an_answer_is_not_remembered_beyond_the_folder_that_it_was_given_for(tmp_path: Path) -> None:
    book, here = rulebook(""), Situation(str(tmp_path))
    assert check("git status", book, situation=here).decision.word == "allow"
    make_odd(tmp_path / "docs", "plain")
    for part in (tmp_path / "docs").iterdir():
        part.rename(tmp_path / part.name)
    assert check("git status", book, situation=here).decision.word == "prompt"


def test_real_git_obeys_it(project: Path) -> None:
    """Why: the program that the settings name runs."""
    repository = project / "fixtures" / "repo.git"
    subprocess.run(["git", "config", "core.fsmonitor", "touch ran; false"], cwd=repository, check=True)
    subprocess.run(["git", "config", "core.bare", "false"], cwd=repository, check=True)
    subprocess.run(["git", "config", "core.worktree", str(project / "sub")], cwd=repository, check=True)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    subprocess.run(["git", "status"], cwd=repository, env=environment, check=False, capture_output=True)
    assert (project / "sub" / "ran").exists()


def test_nor_where_the_name_of_git_is_written_in_pieces(tmp_path: Path) -> None:
    book, here = rulebook(""), Situation(str(tmp_path))
    assert check("g''it status", book, situation=here).decision.word == "allow"
    make_odd(tmp_path / "docs", "plain")
    for part in (tmp_path / "docs").iterdir():
        part.rename(tmp_path / part.name)
    assert check("g''it status", book, situation=here).decision.word == "prompt"
