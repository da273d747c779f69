"""Loading ends at the first fault of a rule file; people are told all of them."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, make_command_line

BROKEN = """\
prefix_rule(pattern=["ls"], justification="")
prefix_rule(pattern=["git" "x"])
prefix_rule(pattern=["mv"], match=["cp a b"])
"""
FURTHER = """\
{0} has 2 more errors:
  {0}:1:1: invalid rule: justification cannot be empty; say why, or leave it out
  {0}:3:1: the `match` example `cp a b` is not matched by `mv`; widen the pattern, or remove the example
`execpolicy lint {0}` shows all that is wrong
"""


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return make_command_line(tmp_path, monkeypatch, capfd)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "-r", "b.rules", "--", "ls"],
        ["explain", "-r", "b.rules", "--", "ls"],
        ["list", "-r", "b.rules"],
        ["diff", "b.rules", "b.rules"],
        ["fmt", "b.rules"],
        ["replay", "-r", "b.rules", "/dev/null"],
        ["export", "--to", "claude", "-r", "b.rules"],
    ],
    ids=" ".join,
)
def test_of_a_file_that_was_named(line: CommandLine, arguments: list[str]) -> None:
    Path("b.rules").write_text(BROKEN)
    status, _, err = line.run(*arguments)
    assert status == 1
    assert err.startswith("b.rules:2:28: error[EP001]: ")
    assert err.count("error[") == 1
    assert err.endswith(FURTHER.format("b.rules"))


def test_of_a_layer(line: CommandLine) -> None:
    line.rules.parent.mkdir(parents=True)
    line.rules.write_text(BROKEN)
    further = FURTHER.format(line.rules)
    for arguments in (["check", "--format", "text", "--", "ls"], ["explain", "--", "ls"], ["list"]):
        assert line.run(*arguments)[2].endswith(further)
    # a program that asks again and again pays for no second look
    assert line.run("check", "--", "ls")[2].count("\n") == 5


def test_of_a_project_that_nobody_trusts_no_more_is_read_than_for_a_decision(line: CommandLine) -> None:
    rules = line.machine.project / ".codex" / "rules"
    rules.mkdir(parents=True)
    (rules / "team.rules").write_text(BROKEN)
    err = line.run("list")[2]
    assert "team.rules:2:28: error[EP001]" in err
    assert "more error" not in err


def test_of_many_the_first_are_shown(line: CommandLine) -> None:
    Path("b.rules").write_text("".join(f'prefix_rule(pattern=["a{at}"], justification="")\n' for at in range(9)))
    err = line.run("check", "-r", "b.rules", "--", "ls")[2]
    assert "b.rules has 8 more errors:\n" in err
    assert err.count("justification cannot be empty; say why") == 5
    assert "  …\n`execpolicy lint b.rules`" in err


def test_a_single_fault_is_all_there_is(line: CommandLine) -> None:
    Path("b.rules").write_text("x = (\n")
    assert "more" not in line.run("check", "-r", "b.rules", "--", "ls")[2]


def test_examples_with_paths_may_need_what_another_file_says(line: CommandLine) -> None:
    Path("b.rules").write_text(
        'prefix_rule(pattern=["a"], match=["/bin/b"])\nprefix_rule(pattern=["x"], decision="no")\n'
    )
    assert "more" not in line.run("check", "-r", "b.rules", "--", "ls")[2]


def test_of_standard_input_no_file_is_named(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BROKEN.encode())))
    err = line.run("fmt", "-")[2]
    assert "<stdin> has 2 more errors:" in err
    assert "execpolicy lint" not in err


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ('prefix_rule(pattern=["x"], decision=allow)', 'write it in quotes: "allow"'),
        ('prefix_rul(pattern=["x"])', "did you mean `prefix_rule`?"),
        ("print(1)", "a rule file may call `prefix_rule`, "),
    ],
)
def test_a_name_that_means_nothing(line: CommandLine, text: str, help: str) -> None:
    Path("b.rules").write_text(text)
    assert f"= help: {help}" in line.run("check", "-r", "b.rules", "--", "ls")[2].replace("words stand in quotes; ", "")
