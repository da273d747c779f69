"""What links a repository tracks is read from its index, which git itself writes here."""

import subprocess
from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.folders.tracked_links import tracks_link
from execpolicy.judge.situation import Situation
from tests.support.judging import rulebook


def git(place: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=place, check=True, capture_output=True)


def clone(place: Path, *options: str) -> Path:
    place.mkdir()
    git(place, "init", "-q", *options)
    (place / "a" / "b").mkdir(parents=True)
    for name in ("a/b/x.py", "a/.gitignore", ".ignore", "z"):
        (place / name).write_text("x\n")
    (place / "link").symlink_to("z")
    git(place, "add", ".")
    return place


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)])
def test_a_link_is_found_by_its_name(options: tuple[str, ...], tmp_path: Path) -> None:
    place = clone(tmp_path / "p", *options)
    assert not tracks_link(str(place), b"ignore")
    assert tracks_link(str(place), b"link")
    (place / "a" / "b" / ".rgignore").symlink_to("/etc/hostname")
    assert not tracks_link(str(place), b"ignore")  # it came with no clone
    git(place, "add", ".")
    assert tracks_link(str(place), b"ignore")
    assert tracks_link(str(place / "a" / "b"), b"ignore")


def test_an_entry_that_is_only_meant_to_be_added_is_found(tmp_path: Path) -> None:
    place = clone(tmp_path / "p")
    (place / ".fdignore").symlink_to("z")
    git(place, "add", "-N", ".fdignore")  # with more flags
    assert tracks_link(str(place), b"ignore")


@pytest.mark.parametrize("setting", [("index.version", "4"), ("core.splitIndex", "true")])
def test_what_shortens_or_splits_the_index_may_hide_one(setting: tuple[str, str], tmp_path: Path) -> None:
    place = clone(tmp_path / "p")
    git(place, "config", *setting)
    git(place, "update-index", "--force-write-index", *(["--split-index"] if "Split" in setting[0] else []))
    if setting[0] == "index.version":
        git(place, "update-index", "--index-version", "4")
    assert tracks_link(str(place), b"ignore")


def test_submodules_may_hide_one(tmp_path: Path) -> None:
    place = clone(tmp_path / "p")
    (place / ".gitmodules").write_text('[submodule "s"]\n\tpath = s\n\turl = ../s\n')
    assert tracks_link(str(place), b"ignore")


def test_where_nothing_is_tracked_there_is_none(tmp_path: Path) -> None:
    assert not tracks_link(str(tmp_path), b"ignore")
    git(tmp_path, "init", "-q")
    assert not tracks_link(str(tmp_path), b"ignore")


def test_rg_is_asked_about_beside_an_ignore_file_below_that_leads_to_a_secret(tmp_path: Path) -> None:
    place = clone(tmp_path / "p")
    situation = Situation(str(place), home=str(tmp_path))

    def said(script: str) -> str:
        return check(script, rulebook(), situation=situation).decision.word

    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_rsa").write_text("[\n")
    assert said("rg x") == said("fd") == "allow"
    (place / "a" / "b" / ".ignore").symlink_to("../../x")
    git(place, "add", ".")
    assert said("rg x") == "allow"
    (place / "a" / "b" / ".ignore").unlink()
    (place / "a" / "b" / ".ignore").symlink_to(tmp_path / ".ssh" / "id_rsa")
    git(place, "add", ".")
    assert said("rg x") == said("fd") == said("cd a && rg x") == said("rg x | head") == "prompt"
    assert said("rg x a/b") == said("cd z; rg x a") == "prompt"
    other = Situation(str(tmp_path / "q"), home=str(tmp_path))
    (tmp_path / "q").mkdir()
    assert check("rg x ../p", rulebook(), situation=other).decision.word == "prompt"
    assert check("rg x", rulebook(), situation=other).decision.word == "allow"
    assert said("grep -r x .") == "allow"
