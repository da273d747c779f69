"""``execpolicy explain`` explains what ``execpolicy check`` decides, under the same options."""

from __future__ import annotations

import html
import io
import json
import sys
from functools import partial
from pathlib import Path

import click
import pytest

from execpolicy.cli.group import cli
from tests.support.command_line import CommandLine, make_command_line


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return make_command_line(tmp_path, monkeypatch, capfd)


@pytest.mark.parametrize("option", [(), ("--ignore-rules",), ("--lenient",)])
@pytest.mark.parametrize("broken", [False, True])
def test_the_decision_is_that_of_check(line: CommandLine, option: tuple[str, ...], broken: bool) -> None:
    rules = line.machine.codex_home / "rules"
    line.machine.write(rules / "a.rules", 'prefix_rule(["ls"], decision="forbidden")\nprefix_rule(["ship"])\n')
    if broken:
        line.machine.write(rules / "b.rules", "prefix_rule(\n")
    decisions = set()
    for command in ("ls", "ship", "cat", "deploy"):
        checked = line.json("check", *option, "--", command)["decision"]
        assert line.json("explain", *option, "--format", "json", "--", command)["decision"] == checked
        decisions.add(checked)
    assert ("forbidden" in decisions) == (option == () or (option == ("--lenient",) and not broken))


@pytest.mark.parametrize("section", [{}, {"bash": "ask"}, {"edit": {"kept/*": "deny"}}, {"external_directory": "deny"}])
def test_permissions_are_explained_as_check_obeys_them(line: CommandLine, section: object) -> None:
    file = line.machine.write(line.machine.project / "permissions.json", json.dumps({"permission": section}))
    given = ("--permissions", str(file))
    for script in ("ls", "deploy", "ls > kept/a", "cat /etc/hosts", "rm -rf kept"):
        checked = line.json("check", *given, "--script", script)
        told = line.json("explain", *given, "--format", "json", "--script", script)
        unminded = {"decision": "allow", "reason": "no permission rule minds it"}
        assert (told["decision"], told["permission"]) == (checked["decision"], checked.get("permission", unminded))
        assert told["advice"] is None or told["permission"] == unminded
        text = line.run("explain", *given, "--script", script)[1]
        assert f"{told['permission']['reason']}\n" in text
        assert told["permission"]["reason"] in html.unescape(
            line.run("explain", *given, "--format", "html", "--script", script)[1]
        )
    assert "permission" not in line.json("explain", "--format", "json", "--", "ls")


def test_a_permission_file_that_is_wrong_explains_nothing(line: CommandLine) -> None:
    file = line.machine.write(line.machine.project / "permissions.json", '{"permission": {"bsah": "deny"}}')
    status, out, errors = line.run("explain", "--permissions", str(file), "--", "ls")
    assert (status, out, "did you mean `bash`?" in errors) == (2, "", True)


def test_options_behind_the_command_are_questioned_in_front_of_a_person(
    line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "is taken for a word of the command"
    for name, option in (("explain", "--cwd"), ("allow", "--yes"), ("run", "-r"), ("arbiter", "--rules=x")):
        words = ["git", "push", option, "x"]
        for terminal, before, asked in ((True, [], True), (True, ["--"], False), (False, [], False)):
            errors = io.StringIO()
            with monkeypatch.context() as patch:
                patch.setattr(errors, "isatty", partial(bool, terminal))
                patch.setattr(sys, "stderr", errors)
                command = cli.get_command(click.Context(cli), name)
                assert command is not None
                command.make_context(name, [*before, *words], **cli.context_settings)
            assert (question in errors.getvalue()) == asked, (name, before)


def test_strict_refuses_to_explain_with_a_broken_file(line: CommandLine) -> None:
    line.machine.write(line.machine.codex_home / "rules/a.rules", "prefix_rule(\n")
    for command in ("check", "explain"):
        status, out, errors = line.run(command, "--strict", "--", "ls")
        assert (status, out) == (1, "")
        assert "a.rules" in errors


@pytest.mark.parametrize("command", ["explain", "split"])
def test_a_script_file_is_read_by_the_shell_that_it_names(
    line: CommandLine, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    Path("deploy.sh").write_text("#!/bin/zsh\nls =ls | wc -l\n")
    Path("plain.sh").write_text("ls | wc -l\n")
    inline = line.run(command, "--shell", "zsh", "--script", "#!/bin/zsh\nls =ls | wc -l\n")[1]
    assert line.run(command, "--file", "deploy.sh")[:2] == (0, inline)
    assert line.run(command, "--file", "plain.sh")[1] == line.run(command, "--script", "ls | wc -l\n")[1]
    for arguments in (["-"], ["--file", "-"]):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"ls | wc -l\n")))
        assert line.run(command, *arguments)[1] == line.run(command, "--script", "ls | wc -l\n")[1]
    assert line.run(command, "--file", "gone.sh")[0] == 2
    assert line.run(command, "--file", "plain.sh", "--script", "ls")[0] == 2
    Path("other.py").write_text("#!/usr/bin/python3\nprint()\n")
    assert "is a script for `python3`" in line.run(command, "--file", "other.py")[2]


def test_allow_reads_and_judges_where_it_is_told(line: CommandLine) -> None:
    (line.machine.root / "elsewhere").mkdir()
    rules = line.machine.root / "elsewhere" / ".codex" / "rules"
    line.machine.write(rules / "a.rules", 'prefix_rule(["ship"], decision="forbidden")\n')
    status, _, err = line.run("allow", "--yes", "--cwd", str(line.machine.root / "elsewhere"), "--", "ship", "x")
    assert status == 1
    assert "forbidden" in err
    assert line.run("allow", "--yes", "--", "ship", "x")[0] == 0
    assert "not read" in line.run("allow", "--yes", "--shell", "bsh", "--script", "ship y")[2]
