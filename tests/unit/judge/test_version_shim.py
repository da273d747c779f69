"""A shim of a version manager runs what a file of the project says."""

from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.each import each
from tests.support.judging import rulebook

CHOOSING = [
    (".tool-versions", "node path:./evil"),
    (".tool-versions", "nodejs 20\nnode ref:main"),
    (".tool-versions", "node ../../evil"),
    (".node-version", "../../evil"),
    (".nvmrc", "x/y"),
    ("mise.toml", '[env]\n_.source = "x.sh"'),
    (".mise.toml", ""),
    (".config/mise/config.toml", ""),
    (".prototools", ""),
]
PLAIN = [
    (".tool-versions", "node 20.1.0 18\npython 3.11.7 # the usual\n\n"),
    (".node-version", "20\n"),
    (".nvmrc", "lts"),
    ("package.json", "{}"),
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and shims in front of ``PATH``."""
    shims = tmp_path / "home" / ".local/share/mise/shims"
    shims.mkdir(parents=True)
    (shims / "node").symlink_to("/usr/bin/mise")
    monkeypatch.setenv("PATH", f"{shims}:/usr/bin:/bin")
    (tmp_path / "project" / "sub").mkdir(parents=True)
    return tmp_path / "project"


def decided(script: str, folder: Path) -> str:
    return check(script, rulebook(""), situation=Situation(str(folder))).decision.word


def put(folder: Path, file: str, text: str) -> Path:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@each(("file", "text"), CHOOSING)
def test_what_the_file_names_may_be_anything(file: str, text: str, project: Path) -> None:
    made = put(project, file, text)
    assert decided("node --version", project) == decided("node -v | head", project / "sub") == "prompt"
    assert decided("cd sub && node --version", project) == "prompt"
    assert decided("ls", project) == "allow"
    made.unlink()
    assert decided("node --version", project) == "allow"
    assert decided("cd sub && node --version", project) == "allow"
    assert decided('cd "$x" && node --version', project) == "prompt"


@each(("file", "text"), PLAIN)
def test_plain_versions_choose_among_what_is_installed(file: str, text: str, project: Path) -> None:
    made = put(project, file, text)
    assert decided("node --version", project) == "allow"
    made.unlink()


def test_without_shims_in_front_nothing_changes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project, ".tool-versions", "node path:./evil")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert decided("node --version", project) == "allow"


def test_a_rule_of_a_person_covers_a_shim(project: Path) -> None:
    put(project, ".tool-versions", "node path:./evil")
    rules = rulebook('prefix_rule(pattern=["node", "--version"])')
    assert check("node --version", rules, situation=Situation(str(project))).decision.word == "allow"
