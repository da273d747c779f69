"""A program that reads files of its project unasked is asked about where one of them is a link to a secret."""

from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.judging import rulebook


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_rsa").write_text("key\n")
    (tmp_path / "code" / "project" / "sub").mkdir(parents=True)
    return tmp_path


def said(script: str, home: Path, folder: str = "code/project") -> str:
    return check(script, rulebook(), situation=Situation(str(home / folder), home=str(home))).decision.word


def link(home: Path, name: str, to: str = "") -> None:
    path = home / "code" / "project" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to or home / ".ssh" / "id_rsa")


UNASKED = (
    ("npm pkg get name", "package.json"),
    ("npm query ':root'", "package.json"),
    ("npm ls --json --long", "node_modules/x/package.json"),
    ("npm ls", "node_modules/@a/x/node_modules/y/package.json"),
    ("npm ls", "packages/x/package.json"),
    ("cargo read-manifest", "Cargo.toml"),
    ("cargo read-manifest", "../Cargo.toml"),
    ("terraform fmt -check", "main.tf"),
    ("terraform fmt -check sub", "sub/main.tf"),
    ("gofmt -l .", "sub/x.go"),
    ("cd sub && gofmt -l ..", "other/x.go"),
    ("pyenv version", ".python-version"),
    ("cd sub && pyenv version", "sub/.python-version"),
    ("cd sub && pyenv version", "../.python-version"),
    ("shellcheck a.sh", ".shellcheckrc"),
    ("rg x", ".ignore"),
    ("rg x sub", "sub/.rgignore"),
    ("cd sub && fd", ".fdignore"),
)


@pytest.mark.parametrize(("script", "name"), UNASKED)
def test_a_link_beside_it_is_asked_about(script: str, name: str, home: Path) -> None:
    before = said(script, home)
    link(home, name)
    assert (before, said(script, home)) == ("allow", "prompt")


@pytest.mark.parametrize(("script", "name"), UNASKED)
def test_a_link_to_what_never_ends_is_asked_about(script: str, name: str, home: Path) -> None:
    link(home, name, "/dev/zero")
    assert said(script, home) == "prompt"


@pytest.mark.parametrize(("script", "name"), UNASKED)
def test_a_link_to_something_else_is_not(script: str, name: str, home: Path) -> None:
    (home / "code" / "shared").write_text("{}\n")
    link(home, name, str(home / "code" / "shared"))
    assert said(script, home) == "allow"


@pytest.mark.parametrize("script", ["ls", "grep -r x .", "cat README.md", "git status", "rg x", "wc -l README.md"])
def test_what_reads_nothing_unasked_is_not(script: str, home: Path) -> None:
    link(home, "package.json")
    assert said(script, home) == "allow"


def test_what_lies_in_the_home_folder_is_the_users_own(home: Path) -> None:
    (home / ".python-version").symlink_to(".ssh/id_rsa")
    assert said("pyenv version", home) == said("pyenv version", home, "") == "allow"


def test_a_name_that_is_secret_itself_is_no_link_to_be_found(home: Path) -> None:
    link(home, ".env", str(home / ".ssh" / "id_rsa"))
    assert said("npm ls", home) == "allow"


def test_a_folder_that_is_not_known_is_asked_about(home: Path) -> None:
    assert said('cd "$x" && npm ls', home) == "prompt"
    assert said('cd "$x" && pyenv version', home) == "prompt"


@pytest.mark.parametrize(
    "script", ["wc zz", "wc -l *", "md5sum ./zz", "for f in *; do wc -l $f; done", "wc all/dev/zero"]
)
def test_what_counts_reads_a_device_to_the_end(script: str, home: Path) -> None:
    assert said(script, home) == "allow"
    link(home, "zz", "/dev/zero")
    link(home, "all", "/")
    assert said(script, home) == "prompt"


def test_an_answer_is_not_remembered(home: Path) -> None:
    assert said("npm ls", home) == "allow"
    link(home, "package.json")
    assert said("npm ls", home) == "prompt"
    (home / "code" / "project" / "package.json").unlink()
    assert said("npm ls", home) == "allow"


def test_who_has_more_below_than_is_looked_at_is_asked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(30):
        (home / "code" / "project" / f"crate{at}").mkdir()
    from execpolicy.judge.folders import links_beside

    assert said("cargo read-manifest", home) == "allow"
    monkeypatch.setattr(links_beside, "_ENTRY", 1_000_000)
    assert said("cargo read-manifest", home) == "prompt"
