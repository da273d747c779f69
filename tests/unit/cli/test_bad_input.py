"""Wrong calls: one clear line on standard error with what to do, the right exit status, nothing on standard output."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from execpolicy.layers import load
from execpolicy.layers.rule_file import read_rule_file
from tests.support.command_line import CommandLine, make_command_line
from tests.support.running import run_captured

NO_COMMAND = "nothing to decide: give a command"
COMPAT = ["check", "--compat", "codex-0.169"]


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return make_command_line(tmp_path, monkeypatch, capfd)


def test_an_empty_folder_beside_others_is_mentioned(line: CommandLine) -> None:
    Path("empty").mkdir()
    Path("a.rules").write_text('prefix_rule(["ls"], match=["ls"])\n')
    for command in ("lint", "test"):
        status, _, err = line.run(command, "a.rules", "empty")
        assert status == 0
        assert "there is no rule file" in err
        assert "`empty`" in err


def assert_refused(ran: tuple[int, str, str], status: int, *words: str) -> None:
    assert ran[:2] == (status, "")
    assert ran[2].endswith("\n")
    assert ran[2].count("\n") == 1
    for word in words:
        assert word in ran[2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check"], [NO_COMMAND, "check --help"]),
        (["check", "--"], [NO_COMMAND]),
        (["check", "--nope", "--", "ls"], ["unknown option `--nope`", "write `--` before the command"]),
        (["check", "--rules"], ["a value is required for '--rules'"]),
        (["check", "--script"], ["a value is required for '--script'"]),
        (["check", "--rules", "", "ls"], ["'--rules' is empty"]),
        (["check", "--", ""], ["first word of the command is empty"]),
        (["check", "--", "", "x"], ["first word of the command is empty"]),
        (["check", "--cwd", "/does/not/exist", "ls"], ["`/does/not/exist` is not a folder", "--cwd"]),
        (["check", "--script", "ls", "ls"], ["cannot be used together"]),
        ([*COMPAT, "ls"], ["--rules <PATH>"]),
        (["nope"], ["no such command `nope`", "execpolicy --help"]),
        (["chekc"], ["did you mean `check`?"]),
        (["lnit"], ["did you mean `lint`?"]),
        (["lits"], ["did you mean `list`?"]),
        (["install", "cluade"], ["did you mean `claude`?"]),
        (["lint", "--format", "srif", "."], ["did you mean `sarif`?"]),
        (["export"], ["missing option '--to'. Choose from: claude, codex, "]),
        (["config", "schema", "chek"], ["there is no schema `chek`, did you mean `check`?\n"]),
        (["test", "nowhere"], ["no such file or folder: nowhere"]),
        (["explain"], ["give a command, a script with --script", "execpolicy explain --help"]),
        (["explain", "--nope", "ls"], ["--nope", "execpolicy explain --help"]),
        (["explain", "--", ""], ["first word of the command is empty"]),
        (["allow"], ["give a command behind `--`"]),
        (["allow", "--nope", "ls"], ["--nope"]),
        (["allow", "--yes", "--", ""], ["first word of the command is empty"]),
        (["undo", "--nope"], ["--nope"]),
        (["run"], ["give a command behind `--`"]),
        (["run", "--nope", "ls"], ["--nope"]),
        (["run", "--", ""], ["first word of the command is empty"]),
        (["split", "--nope"], ["--nope"]),
        (["list", "--nope"], ["--nope", "execpolicy list --help"]),
        (["network", "allow"], ["HOST", "execpolicy network --help"]),
        (["network", "perhaps", "example.com"], ["perhaps"]),
        (["arbiter"], ["CHILD"]),
        (["serve", "--nope"], ["--nope"]),
        (["lint", "nope.rules"], ["nope.rules"]),
        (["fmt", "nope.rules"], ["nope.rules"]),
        (["test", "nope.rules"], ["nope.rules"]),
        (["diff", "nope.rules"], ["B"]),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_two(line: CommandLine, arguments: list[str], words: list[str]) -> None:
    assert_refused(line.run(*arguments), 2, *words)


@pytest.mark.parametrize("subcommand", ["check", "explain", "run"])
@pytest.mark.parametrize(
    ("name", "reason", "advice"),
    [
        ("missing.rules", "No such file or directory", "name a rule file that exists"),
        (".", "Is a directory", "name the rule files of the folder one by one"),
    ],
)
def test_a_rule_file_that_cannot_be_read_is_one(
    line: CommandLine, subcommand: str, name: str, reason: str, advice: str
) -> None:
    ran = line.run(subcommand, "-r", name, "--", "ls")
    assert_refused(ran, 1, f"{name}: error[EP005]: failed to read policy at {name}: {reason}; {advice}")


def test_a_rule_file_without_permission_is_one(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: str, **more: bool) -> str:
        if path == "locked.rules":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return read_rule_file(path, **more)

    monkeypatch.setattr(load, "read_rule_file", read)  # root may read every file
    advice = "Permission denied; make the file readable, or name another one"
    Path("locked.rules").write_text('prefix_rule(pattern=["a"])\n')
    assert_refused(line.run("explain", "-r", "locked.rules", "--", "a"), 1, f"at locked.rules: {advice}")


@pytest.mark.parametrize("name", ["missing.rules", "."])
def test_compat_keeps_the_layout_of_codex(line: CommandLine, name: str) -> None:
    status, out, err = line.run(*COMPAT, "-r", name, "--", "ls")
    assert (status, out) == (1, "")
    assert err.startswith(f"Error: failed to read policy at {name}\n\nCaused by:\n")


def test_an_empty_word_behind_the_program_is_a_word(line: CommandLine) -> None:
    answer = line.json("check", "--", "ls", "")
    assert answer["commands"][0]["argv"] == ["ls", ""]


def test_a_command_may_look_like_options_behind_its_first_word(line: CommandLine) -> None:
    status, out, _ = line.run("explain", "ls", "--nope")
    assert status == 0
    assert "ls --nope" in out


@pytest.mark.parametrize(
    "arguments", [["install", "claude"], ["trust", "--yes"], ["serve"], ["run", "--", "ls"]], ids=lambda words: words[0]
)
def test_a_working_folder_that_is_gone_is_named(tmp_path: Path, arguments: list[str]) -> None:
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    done = run_captured(
        ["sh", "-c", script, "sh", sys.executable, "-m", "execpolicy", *arguments],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        timeout=120,
    )
    assert done.returncode == 1
    assert done.stderr == "error: the working folder cannot be used: No such file or directory\n"
    assert done.stdout == ""
