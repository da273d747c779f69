"""``trust``: the rules of a project count, and the reason why they do not says how to change that."""

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, make_command_line


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    line = make_command_line(tmp_path, monkeypatch, capfd)
    rules = line.machine.project / ".codex" / "rules"
    rules.mkdir(parents=True, exist_ok=True)
    (rules / "p.rules").write_text('prefix_rule(pattern=["ship", "plan"])\nprefix_rule(pattern=["rm", "-rf", "out"])\n')
    return line


def config(line: CommandLine) -> Path:
    return line.machine.codex_home / "config.toml"


@pytest.mark.parametrize("spelling", ["{}", "{}/", "{}/.", None])
def test_trust_makes_rules_count(line: CommandLine, spelling: str | None) -> None:
    project = str(line.machine.project)
    config(line).write_text('model = "x"  # kept\n')
    arguments = [] if spelling is None else [spelling.format(project)]
    assert line.json("check", "--", "ship", "plan")["decision"] == "prompt"
    status, out, _ = line.run("trust", "--yes", *arguments)
    assert (status, out.splitlines()[1].split("  # ")[0]) == (
        0,
        '  prefix_rule(pattern=["ship", "plan"], decision="allow")',
    )
    assert config(line).read_text() == f'model = "x"  # kept\n\n[projects."{project}"]\ntrust_level = "trusted"\n'
    assert line.json("check", "--", "ship", "plan")["decision"] == "allow"
    assert line.run("trust", "--yes", "--revoke", *arguments)[0] == 0
    assert line.json("check", "--", "ship", "plan")["decision"] == "prompt"


def test_a_folder_that_was_made_again_is_trusted_anew(line: CommandLine) -> None:
    project = line.machine.project
    assert line.run("trust", "--yes")[0] == 0
    assert line.json("check", "--", "ship", "plan")["decision"] == "allow"
    shutil.copytree(project, f"{project}.copy")
    project.rename(f"{project}.old")
    Path(f"{project}.copy").rename(project)  # another folder at the path that was trusted
    assert line.json("check", "--cwd", str(project), "--", "ship", "plan")["decision"] == "prompt"
    assert line.run("trust", "--yes", str(project))[0] == 0
    assert line.json("check", "--cwd", str(project), "--", "ship", "plan")["decision"] == "allow"


def test_a_home_folder_and_a_relative_path(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(line.machine.project.parent))
    assert line.run("trust", "--yes", f"~/{line.machine.project.name}/")[0] == 0
    assert line.json("check", "--", "ship", "plan")["decision"] == "allow"
    monkeypatch.chdir(line.machine.project.parent)
    assert line.run("trust", "--yes", "--revoke", line.machine.project.name)[0] == 0


def test_it_asks_and_refuses_where_it_cannot(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    status, _, err = line.run("trust")
    assert (status, "pass --yes" in err) == (2, True)
    assert line.run("trust", "--yes", "nowhere")[0] == 2
    config(line).write_text("[broken\n")
    status, _, err = line.run("trust", "--yes")
    assert (status, "failed to parse" in err) == (1, True)
    assert config(line).read_text() == "[broken\n"


def test_the_home_folder_is_never_taken_for_the_project(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    home = line.machine.codex_home.parent
    monkeypatch.setenv("CODEX_HOME", str(home / ".codex"))
    (home / ".codex").mkdir(exist_ok=True)
    plain = home / "plain"
    plain.mkdir()
    monkeypatch.chdir(plain)
    _, out, _ = line.run("trust", "--yes")
    assert f"{plain} is trusted now" in out


@pytest.mark.parametrize("key", ["{}/", "~/{name}"])
def test_a_key_that_is_silently_ignored_is_named(line: CommandLine, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    project = line.machine.project
    monkeypatch.setenv("HOME", str(project.parent))
    written = key.format(project, name=project.name)
    config(line).write_text(f'[projects."{written}"]\ntrust_level = "trusted"\n')
    _, out, _ = line.run("list")
    assert f"trusts `{written}`, which is read letter by letter" in out
    assert f"execpolicy trust {project}`" in out


def test_reasons_name_the_rule_and_the_remedy(line: CommandLine) -> None:
    project = line.machine.project
    for words, rule in (("ship plan x", 1), ("rm -rf out", 2)):
        for _ in range(2):  # the second answer comes from the compiled rules
            body = line.json("check", "--", *words.split())
            (block,) = [each for each in body["blocked"] if each["code"] == "untrusted"]
            assert f"({project}/.codex/rules/p.rules:{rule}) does not count" in block["detail"]
            assert f"`execpolicy trust {project}`" in block["detail"]
            told = line.json("explain", "--format", "json", "--", *words.split())
            assert block["detail"] in told["reason"]
            assert told["advice"]["remedies"] == []  # the rule is there
    assert "blocked" not in line.json("check", "--", "ship", "deploy")
    assert "no rule mentions it" in line.json("explain", "--format", "json", "--", "ship", "deploy")["reason"]


def test_a_broken_file_is_the_reason_everywhere(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    line.rules.parent.mkdir(parents=True, exist_ok=True)
    line.rules.write_text("x = (\n")
    fault = f"{line.rules}:1: unexpected end of file, `(` is never closed"
    for words in ("ls", "foo"):
        told = line.json("explain", "--format", "json", "--", words)
        reason = told["reason"]
        assert bool(told["advice"]["remedies"]) == (words == "foo")  # what is safe needs the file repaired, and no rule
        assert reason.startswith(f"`{words}` needs approval: a rule file is broken")
        assert fault in reason
        (block,) = line.json("check", "--", words)["blocked"]
        assert (block["code"], fault in block["detail"]) == ("fail-closed", True)
    assert line.json("explain", "--format", "json", "--", "rm", "-rf", "x")["reason"].endswith("everything in them")
    envelope = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(envelope).encode())))
    answer = line.json("hook", "claude")["hookSpecificOutput"]["permissionDecisionReason"]
    assert "a rule file is broken, and until you repair it, only rules allow" in answer
    assert fault in answer
    _, _, err = line.run("run", "--approval", "never", "--sandbox", "danger-full-access", "--", "ls")
    assert "no rule mentions it" not in err
