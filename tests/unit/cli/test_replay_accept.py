"""``execpolicy replay --accept``: a suggestion is saved by its number."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, make_command_line


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return make_command_line(tmp_path, monkeypatch, capfd)


def test_nothing_is_saved_while_a_rule_file_is_broken(line: CommandLine) -> None:
    Path("history.txt").write_text("just build\n" * 3)
    broken = line.machine.write(line.machine.codex_home / "rules/a.rules", "prefix_rule(")
    status, out, err = line.run("replay", "--accept", "1", "history.txt")
    assert (status, line.own_rules.exists()) == (1, False)
    assert '1: prefix_rule(pattern=["just", "build"]' in out
    assert err.endswith(
        "error: nothing was saved: the suggestions were made without the rules that could not be read\n"
    )
    broken.unlink()
    assert line.run("replay", "--accept", "1", "history.txt")[0] == 0
    saved = line.own_rules.read_text()
    assert saved.startswith('prefix_rule(pattern=["just", "build"], decision="allow", unless=[')
    assert line.json("check", "--", "just", "build")["decision"] == "allow"
    assert line.run("undo")[:2] == (0, f"removed from {line.own_rules}: {saved}")


def test_a_command_is_enough_to_take_it_back(line: CommandLine) -> None:
    Path("history.txt").write_text("cargo test -p x\n" * 3)
    assert line.run("replay", "--accept", "1", "history.txt")[0] == 0
    saved = line.own_rules.read_text()
    assert saved.startswith('prefix_rule(pattern=["cargo", "test", "-p"], decision="allow", unless=["-*", ')
    assert line.run("undo", "--", "cargo", "test", "-p")[:2] == (0, f"removed from {line.own_rules}: {saved}")
