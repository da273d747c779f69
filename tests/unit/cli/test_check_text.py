"""``check`` in front of a person: words on a terminal, scripts from files and standard input, questions."""

import io
import json
from pathlib import Path

import pytest

from execpolicy.cli.check_command import run_check
from tests.support.golden import assert_golden
from tests.support.streams import Streams

RULES = """\
prefix_rule(pattern=["ship", "release"], decision="forbidden", justification="the pipeline makes releases: ask for one")
prefix_rule(pattern=["ship", ["plan", "show"]], decision="allow")
write_rule(paths=["./secret/**"], decision="forbidden")
"""
SHOWN = (
    ["--", "ls", "-l"],
    ["--", "ship", "plan"],
    ["--", "ship", "release"],
    ["--", "ship", "deploy"],
    ["--", "rm", "-rf", "/"],
    ["--script", "ship plan && ls | head -3; sudo ship release"],
    ["--script", "ship plan > out"],
    ["--script", 'cd src && cat "$1" && echo $(date)'],
    ["--script", 'rm -rf "$1"'],
    ["--script", "ls; ls; ls; ls; ls; ls; ls; ls; ls; ls"],
    ["--script", "x=1"],
    ["--script", "if ("],
    ["--script", ""],
    ["--profile", "codex-0.169", "--", "ls"],
    ["--permissions", "permissions.json", "--", "ls", "-l"],
    ["--permissions", "permissions.json", "--", "ship", "release"],
    ["--permissions", "permissions.json", "--profile", "codex-0.169", "--", "ls"],
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    Path("my.rules").write_text(RULES)
    Path("permissions.json").write_text('{"bash": {"ls *": "deny", "ship *": "ask"}}')
    return tmp_path


def ask(*arguments: str, stdin: bytes = b"", terminal: bool = False) -> tuple[int, str, str]:
    streams = Streams(terminal=terminal)
    status = run_check(["-r", "my.rules", *arguments], io.TextIOWrapper(io.BytesIO(stdin)), streams.out, streams.err)
    return status, streams.stdout(), streams.stderr()


@pytest.mark.parametrize("color", [False, True])
def test_text_at_80_columns(color: bool) -> None:
    seen = ""
    for arguments in SHOWN:
        options = [] if color else ["--format", "text"]
        status, out, err = ask(*options, *arguments, terminal=color)
        assert (status, err) == (0, "")
        assert max(len(line) for line in out.splitlines()) <= 80 or color
        seen += f"$ execpolicy check {' '.join(arguments)}\n{out}\n"
    assert_golden("check-color" if color else "check", seen)


def test_programs_get_json_and_people_words(monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(ask("ls")[1])["decision"] == "allow"
    assert ask("ls", terminal=True)[1].startswith("\x1b[32mallow\x1b[0m: ")
    assert json.loads(ask("--format", "json", "ls", terminal=True)[1])["decision"] == "allow"
    assert json.loads(ask("--pretty", "ls", terminal=True)[1])["decision"] == "allow"
    monkeypatch.setenv("NO_COLOR", "1")
    assert ask("ls", terminal=True)[1].startswith("allow: ")


def test_statuses_are_the_same_in_words() -> None:
    for command, status in (("ls", 0), ("ship deploy", 3), ("ship release", 4)):
        assert ask("--exit-code", "--format", "text", *command.split())[0] == status


def test_script_from_standard_input() -> None:
    status, out, _ = ask("-", stdin=b"ship plan\nls | wc -l\n")
    assert (status, [each["argv"] for each in json.loads(out)["commands"]]) == (
        0,
        [["ship", "plan"], ["ls"], ["wc", "-l"]],
    )
    assert json.loads(ask("--", "-")[1])["commands"][0]["argv"] == ["-"]  # a program of that name
    assert ask("-", stdin=b"\xff")[::2] == (2, "error: standard input is not UTF-8 at byte 0\n")
    assert ask("--script", "ls", "-")[0] == 2


@pytest.mark.parametrize(
    ("first", "decision"),
    [
        ("", "allow"),
        ("#!/bin/sh\n", "allow"),
        ("#!/bin/bash -eu\n", "allow"),
        ("#!/usr/bin/env bash\n", "allow"),
        ("#!/usr/bin/env -S bash -e\n", "allow"),
    ],
)
def test_script_from_a_file(first: str, decision: str) -> None:
    Path("do.sh").write_text(first + "ship plan\n")
    status, out, err = ask("--file", "do.sh")
    assert (status, json.loads(out)["decision"], err) == (0, decision, "")


def test_the_shell_of_a_file_reads_it() -> None:
    Path("do.sh").write_text("#!/bin/sh\nls <(ls)\n")
    assert json.loads(ask("--file", "do.sh")[1])["decision"] == "prompt"
    assert json.loads(ask("--file", "do.sh", "--shell", "bash")[1])["decision"] == "allow"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"#!/usr/bin/python3\n", "is a script for `python3`"),
        (b"#!/bin/bash -O extglob\n", "starts `bash` with `-O`"),
        (b"#!\n", "is a script for `nothing`"),
        (b"ls \xff\n", "not UTF-8 at byte 3"),
        (None, "cannot read the script `do.sh`: No such file"),
    ],
)
def test_files_that_are_no_shell_script(text: bytes | None, message: str) -> None:
    if text is not None:
        Path("do.sh").write_bytes(text)
    status, out, err = ask("--file", "do.sh")
    assert (status, out) == (2, "")
    assert message in err


def test_options_behind_the_command_are_questioned_in_front_of_a_person() -> None:
    for words in (["git", "push", "-r", "x"], ["ls", "--script=x"]):
        assert "is taken for a word of the command" in ask(*words, terminal=True)[2]
        assert ask("--", *words, terminal=True)[2] == ""
        assert ask(*words)[2] == ""


def test_an_unknown_shell_is_questioned() -> None:
    assert "did you mean `bash`?" in ask("--shell", "bsh", "--script", "ls")[2]
    assert "those that are read: bash," in ask("--shell", "powershell", "--script", "ls")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scirpt", "ls"], "unknown option `--scirpt`, did you mean `--script`?"),
        (["--format", "xml", "ls"], "use `text` or `json`"),
        (["--format", "text", "--jsonl"], "ask for JSON"),
        (["--file", "do.sh", "ls"], "a command and --file cannot be used together"),
    ],
)
def test_wrong_calls(arguments: list[str], message: str) -> None:
    status, out, err = ask(*arguments)
    assert (status, out) == (2, "")
    assert message in err
