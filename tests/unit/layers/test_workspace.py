"""The workspace setting: what it allows, what it never allows, and where it counts."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from execpolicy.cli.group import cli
from execpolicy.core.path_rules import WriteRule
from execpolicy.errors import UsageError
from execpolicy.insight.starters import packs
from execpolicy.judge.check import check
from execpolicy.judge.folders.git_state import is_ignored, is_restorable
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers, rulebook_of
from execpolicy.safety.entries import SafeCommand
from execpolicy.source import Source
from tests.support.judging import builtin

ROWS = [json.loads(line) for line in Path("tests/data/workspace.jsonl").read_text(encoding="utf-8").splitlines()]
FILES = {
    ".gitignore": "build/\nnode_modules\n",
    "a.txt": "a",
    "both/f": "x",
    "msg.txt": "m",
    "package.json": "{}",
    "src/b.py": "b",
    "src/clean.py": "c",
    "withrc/.npmrc": "r",
    ".github/workflows/ci.yml": "x",
}
UNTRACKED = {
    "build/x": "",
    "src/build/y": "",
    "node_modules/.bin/tsc": "",
    "data/d": "",
    "untracked": "",
    "src/b.py": "2",
}
LINKS = {"gh": ".github", "nm": "node_modules", "dotgit": ".git", "out": "../outside"}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-c", "user.email=a@b", "-c", "user.name=n", *arguments], cwd=folder, check=True, timeout=60)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home" / "p"
    (folder / "evil").mkdir(parents=True)
    (tmp_path / "home" / "outside").mkdir()
    git(folder, "init", "-q", "-b", "main", ".")
    write(folder, FILES | {"tracked/build/t": "t"})
    git(folder, "add", "-A", "-f", ".")
    git(folder, "commit", "-qm", "x")
    git(folder, "branch", "topic")
    git(folder, "branch", "both")
    git(folder, "remote", "add", "origin", "https://example.com/x")
    git(folder, "config", "core.hooksPath", "custom-hooks")
    write(folder, UNTRACKED)
    for name, target in LINKS.items():
        (folder / name).symlink_to(target)
    for name in ("HOME", "CODEX_HOME", "EXECPOLICY_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home" / {"HOME": ""}.get(name, f".{name}")))
    monkeypatch.chdir(folder)
    return folder


def init(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["init", *arguments], standalone_mode=False)


def decided(project: Path, script: str) -> str:
    options = LayerOptions.of_process(cwd=str(project), system_folder=None)
    rulebook = rulebook_of(load_layers(options))
    return check(script, rulebook, situation=Situation(str(project), home=options.home)).decision.word


def test_the_setting_allows_daily_work_and_nothing_that_loses_work_runs_unasked_or_leaves(project: Path) -> None:
    assert init("--yes").return_value == 0
    options = LayerOptions.of_process(system_folder=None)
    rulebook = rulebook_of(load_layers(options))
    wrong = {}
    for row in ROWS:
        situation = Situation(str(project), home=options.home)
        word = check(row["script"], rulebook, situation=situation).decision.word
        if (word == "allow") is not (row["decision"] == "allow"):
            wrong[row["script"]] = word
    assert not wrong


def test_the_private_temporary_folder_is_known_by_its_variable(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert init("--yes").return_value == 0
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    monkeypatch.setenv("TMPDIR", str(private))
    assert decided(project, 'echo x > "$TMPDIR/a"') == "allow"
    assert decided(project, 'd=$TMPDIR/a; mkdir -p "$d" && echo x > "$d/b"') == "allow"
    for script in ('echo x > "$TMPDIR/../a"', 'TMPDIR=/etc; echo x > "$TMPDIR/a"', 'rm -rf "$TMPDIR"'):
        assert decided(project, script) == "prompt", script
    private.chmod(0o777)
    assert decided(project, 'echo x > "$TMPDIR/a"') == "prompt"


def test_it_counts_in_the_project_that_is_trusted_alone(project: Path) -> None:
    untrusted = init("--workspace", "on")
    assert untrusted.return_value == 1
    assert "execpolicy trust" in untrusted.stderr
    assert decided(project, "touch new") == "prompt"
    assert init("--yes").return_value == 0
    assert decided(project, "touch new") == "allow"
    assert decided(project / "src", "touch new ../new") == "allow"
    assert decided(project.parent, "touch new") == "prompt"
    assert init("--workspace", "off").return_value == 0
    assert decided(project, "touch new") == "prompt"


def test_it_is_proposed_and_written_for_a_person_alone(project: Path) -> None:
    shown = init()
    assert shown.return_value == 1
    assert "workspace" in shown.output
    assert "node" in shown.output
    assert not (project.parent / ".EXECPOLICY_HOME").exists()
    assert init("--yes").return_value == 0
    setting = project.parent / ".EXECPOLICY_HOME" / "execpolicy.toml"
    assert setting.read_text() == f'[workspaces."{project}"]\nsetting = "on"\n'
    assert (
        "allow" not in subprocess.run(["git", "status", "--porcelain", ".codex"], capture_output=True, text=True).stdout
    )


def test_the_home_folder_is_no_workspace(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.parent)
    assert isinstance(init("--yes").exception, UsageError)
    write(
        project.parent / ".EXECPOLICY_HOME", {"execpolicy.toml": f'[workspaces."{project.parent}"]\nsetting = "on"\n'}
    )
    write(project.parent / ".CODEX_HOME", {"config.toml": f'[projects."{project.parent}"]\ntrust_level = "trusted"\n'})
    assert decided(project.parent, "touch new") == "prompt"


def test_a_private_temporary_folder_may_be_written(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert init("--yes").return_value == 0
    private = tmp_path / "temporary"
    private.mkdir(mode=0o700)
    monkeypatch.setenv("TMPDIR", str(private))
    assert decided(project, f"echo x > {private}/x") == "allow"
    private.chmod(0o777)
    assert decided(project, f"echo x > {private}/x") == "prompt"


def test_it_leaves_out_every_file_that_an_entry_obeys() -> None:
    statements = compile_source(Source("w", Path("rules/workspace/workspace.rules").read_text())).statements
    rule = next(one for one in statements if isinstance(one, WriteRule))
    entries = [*builtin().heuristics.entries]
    for pack in packs():
        entries += [one for one in compile_source(Source("p", pack.text)).statements if isinstance(one, SafeCommand)]
    obeyed = {name for entry in entries for name in getattr(entry, "obeys", ())}
    assert ".npmrc" in obeyed
    settings = {name for name in obeyed if not name.endswith(".*")}  # others are modules: code of the project
    assert not {name for name in settings if rule.matches(f"/p/a/{name}", root="/p", home=None)}


def test_a_changed_or_unknown_file_is_not_restorable_and_a_tracked_folder_is_not_ignored(project: Path) -> None:
    assert [is_restorable(f"{project}/{name}") for name in ("a.txt", "src/b.py", "untracked", "gh", "none")] == [
        True,
        *[False] * 4,
    ]
    folders = ("build", "src/build", "data/build", "tracked/build", "data", "nm")
    assert [is_ignored(f"{project}/{name}") for name in folders] == [*[True] * 3, *[False] * 3]
    write(project, {"src/.gitignore": "!build\n"})
    assert not is_ignored(f"{project}/src/build")
    (project / ".git" / "index").write_bytes(b"DIRC\0\0\0\4" + bytes(100))
    assert not is_ignored(f"{project}/build")
