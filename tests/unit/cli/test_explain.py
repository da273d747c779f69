"""``execpolicy explain`` explains what ``execpolicy check`` decides, under the same options."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def test_strict_refuses_to_explain_with_a_broken_file(line: CommandLine) -> None:
    line.machine.write(line.machine.codex_home / "rules/a.rules", "prefix_rule(\n")
    for command in ("check", "explain"):
        status, out, errors = line.run(command, "--strict", "--", "ls")
        assert (status, out) == (1, "")
        assert "a.rules" in errors
