"""What a file of settings or permissions cannot mean is an error of every command that would read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from execpolicy.cli.permission_file import read_permissions
from execpolicy.errors import UsageError
from execpolicy.layers import layer_options
from tests.support.command_line import CommandLine, make_command_line


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return make_command_line(tmp_path, monkeypatch, capfd)


@pytest.mark.parametrize("text", ['[hook]\nshels = ["x"]\n', "hook = 7\n", "[hook]\n'' = 1\n"])
def test_an_unknown_setting_of_the_hook_is_an_error_everywhere(
    line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / layer_options.FILE).write_text(text)
    monkeypatch.setattr(layer_options, "MACHINE_FOLDER", str(tmp_path / "etc"))
    for arguments in (["check", "ls"], ["config", "show"], ["explain", "ls"], ["allow", "--yes", "--", "ls"]):
        status, out, err = line.run(*arguments)
        assert (status, out) == (2, ""), (arguments, out)
        assert "hook" in err


@pytest.mark.parametrize(
    "text",
    [
        '{"bash": "deny", "bash": "allow"}',
        '{"permission": {"bash": {"rm *": "deny", "rm *": "allow"}}}',
        '{"permission": "deny", "permission": "allow"}',
        '{"": "deny"}',
        '{"bsah": "deny"}',
    ],
)
def test_permissions_that_say_two_things_or_nothing_are_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "permissions.json"
    path.write_text(text)
    with pytest.raises(UsageError):
        read_permissions(str(path), "/h")


@pytest.mark.parametrize("home", ["", "rel"])
def test_a_home_that_is_no_folder_is_none(line: CommandLine, monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.setenv("HOME", home)
    assert line.run("check", "ls")[0] == 0
    path = line.machine.root / "p.json"
    path.write_text('{"edit": {"~/x": "deny"}}')
    status, _, err = line.run("check", "--permissions", str(path), "ls")
    assert status == 2
    assert "needs a home folder" in err
