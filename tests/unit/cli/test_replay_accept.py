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
    suggested = line.machine.own_home / "rules/suggested.rules"
    broken = line.machine.write(line.machine.codex_home / "rules/a.rules", "prefix_rule(")
    status, out, err = line.run("replay", "--accept", "1", "history.txt")
    assert (status, suggested.exists()) == (1, False)
    assert '1: prefix_rule(pattern=["just", "build"]' in out
    assert err.endswith(
        "error: nothing was saved: the suggestions were made without the rules that could not be read\n"
    )
    broken.unlink()
    assert line.run("replay", "--accept", "1", "history.txt")[0] == 0
    assert suggested.read_text().startswith('prefix_rule(pattern=["just", "build"], decision="allow"')
