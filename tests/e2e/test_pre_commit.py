"""The recipe for pre-commit on the team's page, as a team follows it: pre-commit clones, builds and runs the hooks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.running import run_captured

pytestmark = pytest.mark.slow
pytest.importorskip("pre_commit", reason="needs the extra `dev`")

ROOT = Path(__file__).parents[2]
RECIPE = re.search(r"```yaml\n(repos:\n.*?)```", (ROOT / "docs" / "team.md").read_text("utf-8"), re.DOTALL)
RULE = """prefix_rule(
    pattern=["ship", "release"],
    decision="forbidden",
    justification="the pipeline does it",
    match=["ship release"],
)
"""


class Team:
    """A repository with rules and the recipe, and the one that it names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "team"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))},
            "HOME": str(folder),
            "PRE_COMMIT_HOME": str(folder / "pre-commit"),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            **{f"GIT_{who}_{what}": "x@y.z" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }

    def run(self, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return run_captured(words, cwd=cwd or self.folder, env=self.environment)

    def commit(self, folder: Path, *tag: str) -> None:
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"], *([["tag", *tag]] if tag else [])):
            done = self.run("git", *words, cwd=folder)
            assert done.returncode == 0, done.stderr

    def hooks(self, *words: str) -> tuple[int, str]:
        """What all hooks say of what is staged."""
        self.run("git", "add", "-A")
        done = self.run("pre-commit", *(words or ["run"]), "--all-files", "--color", "never")
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Team:
    folder = tmp_path_factory.mktemp("pre-commit")
    probe = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder / "probe"), "hatchling"]
    if run_captured(probe, cwd=folder).returncode != 0:
        pytest.skip("pip reaches no packages, of which pre-commit builds the environment of the hooks")
    assert RECIPE is not None
    source = folder / "execpolicy"
    left = shutil.ignore_patterns(".git", ".venv", "build", "tests", "benchmarks", "_data", "__pycache__", "*_cache")
    shutil.copytree(ROOT, source, ignore=left)
    made = Team(folder)
    made.commit(source, "v0.1.0")
    (made.folder / ".codex" / "rules").mkdir(parents=True)
    (made.folder / ".codex" / "rules" / "team.rules").write_text(RULE)
    (made.folder / ".codex" / "team.cases").write_text("forbidden: sudo ship release\nprompt: ship plan\n")
    recipe, places = re.subn(r"https://\S+/OWNER/execpolicy", str(source), RECIPE[1])
    assert places == 1
    (made.folder / ".pre-commit-config.yaml").write_text(recipe)
    made.commit(made.folder)
    return made


def outcomes(text: str) -> dict[str, str]:
    return dict(re.findall(r"^(execpolicy \w+)\.*(?:\(.*\))?(Passed|Failed|Skipped)$", text, re.MULTILINE))


@pytest.fixture(autouse=True)
def _as_committed(team: Team) -> None:
    team.run("git", "reset", "-q", "--hard")


def test_what_is_in_order_passes(team: Team) -> None:
    status, text = team.hooks()
    assert status == 0, text
    assert outcomes(text) == {f"execpolicy {name}": "Passed" for name in ("fmt", "lint", "test")}


def test_a_rule_in_another_layout_is_brought_into_ours(team: Team) -> None:
    rules = team.folder / ".codex" / "rules" / "team.rules"
    rules.write_text(RULE.replace("    ", "  "))
    status, text = team.hooks()
    assert status == 1
    assert outcomes(text)["execpolicy fmt"] == "Failed"
    assert "files were modified by this hook" in text
    assert rules.read_text() == RULE
    assert team.hooks()[0] == 0


def test_a_finding_and_a_wrong_case_stop_a_commit(team: Team) -> None:
    (team.folder / ".codex" / "rules" / "team.rules").write_text(RULE + 'prefix_rule(pattern=["bash"])\n')
    (team.folder / ".codex" / "team.cases").write_text("allow: ship release\n")
    status, text = team.hooks()
    assert status == 1
    assert outcomes(text) == {"execpolicy fmt": "Passed", "execpolicy lint": "Failed", "execpolicy test": "Failed"}
    assert "EP402" in text
    assert "expected allow, got forbidden" in text
    assert team.run("pre-commit", "install").returncode == 0
    stopped = team.run("git", "commit", "-qm", "wrong")
    assert stopped.returncode == 1
    assert "EP402" in stopped.stdout + stopped.stderr


def test_a_commit_without_rules_starts_nothing(team: Team) -> None:
    (team.folder / "notes.txt").write_text("x\n")
    team.run("git", "add", "notes.txt")
    done = team.run("pre-commit", "run", "--color", "never")
    assert done.returncode == 0
    assert set(outcomes(done.stdout).values()) == {"Skipped"}
