"""A quoted script in the place of a command is read as a script, by every command that takes one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, make_command_line

NOTE = "note: the single argument is read as a script: no program has that name\n"
SCRIPTS = ["git push --force && ls", "ls;", "ls|cat", "(ls)", "ls\npwd", "ls >x", "rm -rf  'a b'", "LANG=C ls", "ls&"]


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return make_command_line(tmp_path, monkeypatch, capfd)


@pytest.mark.parametrize("script", SCRIPTS)
def test_it_is_judged_as_with_the_option(line: CommandLine, script: str) -> None:
    status, out, err = line.run("check", "--", script)
    assert (status, json.loads(out), err) == (0, line.json("check", "--script", script), NOTE)
    status, out, err = line.run("explain", "--", script)
    assert (status, out, err) == (0, line.run("explain", "--script", script)[1], NOTE)


def test_allow_and_undo_read_it_too(line: CommandLine) -> None:
    assert line.run("allow", "--yes", "foo a && bar b")[0] == 0
    assert line.json("check", "--script", "foo a && bar b")["decision"] == "allow"
    assert line.run("undo", "foo a && bar b")[0] == 0
    assert line.own_rules.read_text() == ""


def test_run_reads_it_too(line: CommandLine) -> None:
    status, out, err = line.run("run", "--sandbox", "danger-full-access", "--", "echo a && echo b")
    assert (status, out, err) == (0, "a\nb\n", NOTE)


@pytest.mark.parametrize("argv", [["ls"], ["a b"], ["bin/a b"], ["tool;x"], ["git push", "x"], ["ls", "|"]])
def test_a_program_or_file_of_that_name_and_several_words_are_a_command(
    line: CommandLine, monkeypatch: pytest.MonkeyPatch, argv: list[str]
) -> None:
    Path("bin").mkdir()
    monkeypatch.setenv("PATH", "bin:/usr/bin:/bin")
    for name in ("a b", "bin/a b", "bin/tool;x"):
        Path(name).touch(0o755)
    _, out, err = line.run("check", "--", *argv)
    assert (json.loads(out)["commands"][0]["argv"], err) == (argv, "")


def test_requests_of_programs_are_what_they_say(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = line.machine.write(line.machine.project / "a.rules", 'prefix_rule(["ls; x"])\n')
    status, out, err = line.run("check", "--compat", "codex-0.169", "-r", str(rules), "--", "ls; x")
    assert (status, json.loads(out)["decision"], err) == (0, "allow", "")
