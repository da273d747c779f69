"""In a partial clone git fetches what it needs and lacks: it is asked about there."""

import subprocess
from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.judging import rulebook

PARTIAL = '[core]\n\tbare = false\n[remote "origin"]\n\tpromisor = true\n\tpartialclonefilter = blob:none\n'


def clone(place: Path, settings: str) -> Path:
    (place / ".git").mkdir(parents=True)
    (place / ".git" / "config").write_text(settings)
    (place / "sub").mkdir()
    return place


def said(script: str, place: Path) -> str:
    return check(script, rulebook(), situation=Situation(str(place), home="/nowhere")).decision.word


READING = (
    "git diff HEAD~1 HEAD",
    "git log -p",
    "git status",
    "git show HEAD:a",
    "git rev-parse HEAD:a",
    "cd sub && git log",
)


@pytest.mark.parametrize("script", READING)
def test_what_reads_objects_is_asked_about(script: str, tmp_path: Path) -> None:
    assert said(script, clone(tmp_path / "whole", "[core]\n\tbare = false\n")) == "allow"
    assert said(script, clone(tmp_path / "partial", PARTIAL)) == "prompt"
    assert said(script, clone(tmp_path / "old", "[extensions]\n\tpartialClone = origin\n")) == "prompt"


@pytest.mark.parametrize(
    "script", ["git --version", "git branch", "git rev-parse --show-toplevel", "git ls-files", "ls"]
)
def test_what_reads_none_is_not(script: str, tmp_path: Path) -> None:
    assert said(script, clone(tmp_path, PARTIAL)) == "allow"


def test_the_clone_is_the_one_that_git_finds(tmp_path: Path) -> None:
    whole, partial = clone(tmp_path / "whole", ""), clone(tmp_path / "partial", PARTIAL)
    assert said("git -C ../partial log", whole) == said("cd ../partial && git log", whole) == "prompt"
    assert said("git log", partial / "sub") == "prompt"
    linked = partial / ".git" / "worktrees" / "linked"
    linked.mkdir(parents=True)
    (linked / "commondir").write_text("../..\n")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".git").write_text(f"gitdir: {linked}\n")
    assert said("git log", tmp_path / "linked") == "prompt"
    (linked / "commondir").write_bytes(b"a\0b\n")
    assert said("git log", tmp_path / "linked") == "allow"  # git finds no repository there


def test_an_answer_is_not_remembered_beyond_a_change(tmp_path: Path) -> None:
    place = clone(tmp_path, "")
    assert said("git log", place) == "allow"
    (place / ".git" / "config").write_text(PARTIAL)
    assert said("git log", place) == "prompt"
    (place / ".git" / "config").write_text("")
    assert said("git log", place) == "allow"


def test_settings_too_long_to_read_may_say_it(tmp_path: Path) -> None:
    assert said("git log", clone(tmp_path, "# " + "x" * 1_000_000)) == "prompt"


def test_git_does_fetch_there(tmp_path: Path) -> None:
    """What this is about, done by git itself."""

    def git(*words: str, cwd: Path) -> str:
        author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        return subprocess.run(["git", *author, *words], cwd=cwd, check=True, capture_output=True, text=True).stdout

    source = tmp_path / "source"
    source.mkdir()
    git("init", "-q", cwd=source)
    git("config", "uploadpack.allowFilter", "true", cwd=source)
    for text in ("one", "two"):
        (source / "a").write_text(text)
        git("add", "a", cwd=source)
        git("commit", "-q", "-m", text, cwd=source)
    git("clone", "-q", "--no-checkout", "--filter=blob:none", source.as_uri(), "partial", cwd=tmp_path)
    packs = tmp_path / "partial" / ".git" / "objects" / "pack"
    before = {each.name for each in packs.iterdir()}
    assert said("git diff HEAD~1 HEAD", tmp_path / "partial") == "prompt"
    git("diff", "HEAD~1", "HEAD", cwd=tmp_path / "partial")
    assert {each.name for each in packs.iterdir()} > before
