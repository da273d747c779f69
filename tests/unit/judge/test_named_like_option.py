"""A file that is called like an option with the path of a secret, and the words that may be its name."""

from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.folders import named_like_option
from execpolicy.judge.situation import Situation
from tests.support.each import each
from tests.support.judging import rulebook

MAY_BE_IT = [
    "wc *",
    "wc -l $x",
    "du -sh *",
    "hexdump *",
    'for f in *; do wc -l "$f"; done',
    'while read -r f; do wc "$f"; done < list',
    "ls | xargs wc",
    "cd sub && wc *",
]
IS_NOT = ["wc -l ./*", "wc -l *.py", "wc a.py", "ls"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in (tmp_path, tmp_path / "sub"):
        folder.mkdir(exist_ok=True)
        (folder / "a.py").touch()
    return tmp_path


def decided(script: str, folder: Path) -> str:
    return check(script, rulebook(), situation=Situation(str(folder))).decision.word


@each("script", MAY_BE_IT + IS_NOT)
def test_it_is_allowed_where_none_lies(script: str, project: Path) -> None:
    (project / "-x").touch()
    assert decided(script, project) == "allow"


@each("script", MAY_BE_IT)
def test_it_is_asked_about_where_one_lies(script: str, project: Path) -> None:
    for name in ("--files0-from=.env", "-f.env"):
        (project / name).touch()
        (project / "sub" / name).touch()
    assert decided(script, project) == "prompt"


@pytest.mark.parametrize(
    "script",
    [
        "git ls-files | xargs wc -l",
        "wc -l $(git ls-files)",
        "wc */*/*",
        "wc **/*",
        "ls sub | xargs wc",
        "(cd sub; git ls-files) | xargs wc",
    ],
)
@pytest.mark.parametrize("place", [".", "sub"])
def test_a_folder_counts_with_what_may_lie_in_it(script: str, place: str, project: Path) -> None:
    assert decided(script, project) == "allow"
    (project / place / "--files0-from=").mkdir()
    assert decided(script, project) == ("prompt" if place == "." or "sub" in script else "allow")


def test_more_names_than_are_looked_at_are_asked_about(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_like_option, "_MOST_NAMES", 1)
    assert decided("wc *", project) == "prompt"


@each("script", IS_NOT)
def test_what_cannot_be_its_name_is_allowed(script: str, project: Path) -> None:
    (project / "--files0-from=.env").touch()
    assert decided(script, project) == "allow"
