"""What others take as it is: hooks of pre-commit, the action, the container file, the plugin of pytest, the grammar."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from execpolicy.lang.scan import BUILTINS
from execpolicy.layers.requirements import read_requirements
from tests.support.running import run_captured

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def run(command: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.pathsep.join([str(BIN), "/usr/bin", "/bin"]), "HOME": str(cwd), "LANG": "C.UTF-8", **more}
    return run_captured(["bash", "-c", command], cwd=cwd, env=environment, timeout=120)


@pytest.fixture
def team(tmp_path: Path) -> Path:
    rules = tmp_path / ".codex" / "rules"
    rules.mkdir(parents=True)
    (rules / "team.rules").write_text(
        "prefix_rule(\n"
        '    pattern=["ship", "release"],\n'
        '    decision="forbidden",\n'
        '    justification="the pipeline does it",\n'
        '    match=["ship release"],\n'
        '    not_match=["ship plan"],\n'
        ")\n"
    )
    (tmp_path / ".codex" / "team.cases").write_text("forbidden: sudo ship release\nprompt: ship plan\n")
    return tmp_path


def hooks() -> dict[str, dict[str, str]]:
    """The hooks of pre-commit, by id: the file only uses the flat part of YAML."""
    found: dict[str, dict[str, str]] = {}
    for block in re.split(r"^- ", (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"), flags=re.MULTILINE)[1:]:
        fields = dict(line.strip().split(": ", 1) for line in block.splitlines())
        found[fields["id"]] = fields
    return found


def test_hooks_of_pre_commit_pass_and_fail(team: Path) -> None:
    known = hooks()
    assert list(known) == ["execpolicy-fmt", "execpolicy-lint", "execpolicy-test"]
    for hook in known.values():
        assert hook["language"] == "python"
        assert re.search(hook["files"], ".codex/rules/team.rules")
        given = hook.get("args", "[]").strip("[]").split(", ")
        files = [] if hook.get("pass_filenames") == "false" else [".codex/rules/team.rules"]
        command = " ".join([hook["entry"], *given, *files])
        done = run(command, team)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    (team / ".codex/team.cases").write_text("allow: ship release\n")
    assert run("execpolicy test .codex", team).returncode == 1
    (team / ".codex/rules/team.rules").write_text('prefix_rule( pattern=["bash"] )\n')
    assert run("execpolicy lint .codex/rules/team.rules", team).returncode == 1
    run("execpolicy fmt .codex/rules/team.rules", team)
    assert (team / ".codex/rules/team.rules").read_text() == 'prefix_rule(pattern=["bash"])\n'


def test_steps_of_the_action(team: Path) -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    steps = [step for step in re.findall(r"^      run: (.*)$", text, re.MULTILINE) if step.startswith("execpolicy")]
    assert [step.split()[1] for step in steps] == ["fmt", "lint", "test"]
    inputs = {"PATHS": ".codex", "SEVERITY": "warning", "GITHUB_ACTIONS": "true"}
    for step in steps:
        done = run(step, team, **inputs)
        assert done.returncode == 0, (step, done.stdout, done.stderr)
    (team / ".codex/rules/bad.rules").write_text('prefix_rule(pattern=["bash"])\n')
    done = run(steps[1], team, **inputs)
    assert done.returncode == 1
    assert "::error file=.codex/rules/bad.rules,line=1" in done.stdout
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(
        re.findall(r"^  ([a-z-]+):\n    description", text, re.MULTILINE)
    )


def _stages() -> list[list[tuple[str, str]]]:
    """The instructions of the container file, by stage: word and rest."""
    found: list[list[tuple[str, str]]] = []
    for line in (ROOT / "Containerfile").read_text("utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            found.append([])
        if word.isupper():
            found[-1].append((word, rest))
    return found


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is missing")
def test_what_the_container_file_builds_lints_the_folder_that_is_mounted(team: Path, tmp_path: Path) -> None:
    """Its steps, in a root of their own, with this Python: an engine and its images need a daemon and the network."""
    build, final = _stages()
    source, installed = tmp_path / "source", tmp_path / "installed"
    left_out = shutil.ignore_patterns(".git", ".venv", "build", "dist", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, source, ignore=left_out)
    installed.mkdir()
    root = ["--tmpfs", "/"]
    for entry in sorted(Path("/").iterdir()):
        if entry.name not in ("dev", "proc", "source", "installed") and not entry.is_symlink():
            root += ["--ro-bind", str(entry), str(entry)]
        elif entry.is_symlink():
            root += ["--symlink", os.readlink(entry), str(entry)]
    root += ["--dev", "/dev", "--proc", "/proc", "--bind", str(tmp_path), str(tmp_path)]
    venv.create(tmp_path / "base", with_pip=True)  # the Python of the image, in which nothing is installed

    def inside(words: list[str], *more: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": f"{tmp_path}/base/bin:/usr/bin:/bin", "TMPDIR": str(tmp_path)}
        return run_captured(["bwrap", *root, *more, "--", *words], env=environment, timeout=300)

    assert ("COPY", ". /source") in build
    (command,) = [rest for word, rest in build if word == "RUN"]
    done = inside(["sh", "-c", command], "--bind", str(source), "/source", "--bind", str(installed), "/installed")
    assert done.returncode == 0, done.stderr
    assert ("COPY", "--from=build /installed /usr/local") in final
    said = dict(final)
    (entry_point,) = json.loads(said["ENTRYPOINT"])
    user = [
        "--unshare-user",
        "--uid",
        "1000",
        "--setenv",
        "HOME",
        str(tmp_path),
        "--bind",
        str(installed),
        "/installed",
    ]
    there = ["--ro-bind", str(team), "/mounted", "--chdir", "/mounted"]  # `-v "$PWD:/work:ro"`
    lint = inside([f"/installed/bin/{entry_point}", "lint", ".codex/rules"], *user, *there)
    assert (lint.returncode, "All checks passed" in lint.stdout) == (0, True), lint.stderr
    shown = inside([f"/installed/bin/{entry_point}", *json.loads(said["CMD"])], *user, *there)
    assert shown.stdout.startswith("Usage: execpolicy")
    assert said["USER"] == "judge"
    assert said["WORKDIR"] == "/work"


@pytest.mark.parametrize("asked", [["--execpolicy"], ["-o", "execpolicy=true"]])
def test_plugin_of_pytest(team: Path, asked: list[str]) -> None:
    # by name, so that it does not matter whether this checkout was installed since the plugin exists
    command = [sys.executable, "-m", "pytest", "-q", "--disable-plugin-autoload", "-p", "execpolicy.pytest_plugin"]
    (team / ".codex/team.cases").write_text("forbidden: sudo ship release\nallow: ship plan\nprompt: ship plan\n")
    done = run_captured([*command, *asked, ".codex"], cwd=team)
    assert "1 failed, 4 passed" in done.stdout
    assert "expected allow, got prompt: `ship plan` needs approval" in done.stdout
    without = run_captured([*command, ".codex"], cwd=team)
    assert "no tests ran" in without.stdout
    (team / ".codex/rules/bad.rules").write_text("x = (\n")
    broken = run_captured([*command, *asked, ".codex"], cwd=team)
    assert "`(` is never closed" in broken.stdout


def test_grammar_for_editors_names_what_the_language_has() -> None:
    grammar = json.loads((ROOT / "editors" / "rules.tmLanguage.json").read_text("utf-8"))
    repository = grammar["repository"]
    assert all(include["include"].lstrip("#") in repository for include in grammar["patterns"])
    builtin = re.compile(repository["builtin"]["match"])
    assert all(builtin.search(f"{name} (pattern=[])") for name in BUILTINS)
    assert builtin.search("other(pattern=[])") is None
    for name, text in (
        ("parameter", 'pattern=["a"]'),
        ("constant", "True"),
        ("keyword", "for x in y:"),
        ("number", "10"),
    ):
        assert re.search(repository[name]["match"], text)
    decision = re.compile(repository["string"]["patterns"][2]["match"])
    for text in ('decision = "forbidden"', "decision='allow'"):
        assert (found := decision.search(text)) is not None
        assert found[2] == text.rpartition("=")[2].strip()
    assert decision.search('predecision="allow"') is None


def test_grammar_for_editors_keeps_a_comment_to_its_line() -> None:
    """A quote behind `# noqa` opens no string, and `def f` is a definition first."""
    grammar = json.loads((ROOT / "editors" / "rules.tmLanguage.json").read_text("utf-8"))
    comment = grammar["repository"]["comment"]
    assert (comment["begin"], comment["end"]) == ("#", "$")
    assert all(
        re.search(comment["patterns"][0]["match"], text) for text in ("# noqa: EP101", "#NOQA", "# execpolicy: noqa")
    )
    order = [include["include"] for include in grammar["patterns"]]
    assert order.index("#definition") < order.index("#keyword")


def test_requirements_of_the_team_page_are_requirements(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "team.md").read_text("utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "requirements.toml"
    path.write_text(example)
    read = read_requirements(str(path))
    assert read.problem is None
    assert len(read.rules) == 2
    assert len(tomllib.loads(example)["rules"]["prefix_rules"]) == 2
    for used in set(re.findall(r"id: (execpolicy-\w+)", page)):
        assert used in hooks()
