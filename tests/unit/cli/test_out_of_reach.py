"""What may not be looked at is not said to be missing, and never counts as if it were."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.main import main
from execpolicy.layers.compiled import fingerprint
from execpolicy.layers.layer_options import LayerOptions, settings_files
from execpolicy.layers.load import load_layers
from tests.support.command_line import CommandLine, make_command_line

PAYLOAD = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}


def shut(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may search ``folder``: its rights alone would not stop the administrator, who may run this."""

    def barred(function: Any) -> Any:
        def call(path: Any, *arguments: Any, **options: Any) -> Any:
            if isinstance(path, (str, os.PathLike)) and os.path.abspath(path).startswith(f"{folder}/"):
                raise PermissionError(13, "Permission denied", os.fspath(path))
            return function(path, *arguments, **options)

        return call

    for name in ("stat", "lstat", "open", "scandir", "listdir"):
        monkeypatch.setattr(os, name, barred(getattr(os, name)))


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return make_command_line(tmp_path, monkeypatch, capfd)


@pytest.mark.parametrize(
    "arguments",
    [
        ["lint", "secret/a.rules"],
        ["fmt", "secret/a.rules"],
        ["test", "secret/a.rules"],
        ["check", "-r", "secret/a.rules", "--", "ls"],
        ["check", "--cwd", "secret/sub", "--", "ls"],
        ["check", "--file", "secret/a.sh"],
        ["explain", "--cwd", "secret/sub", "--", "ls"],
        ["explain", "--permissions", "secret/a.json", "--", "ls"],
        ["list", "-r", "secret/a.rules"],
        ["list", "--cwd", "secret/sub"],
        ["export", "--to", "claude", "--cwd", "secret/sub"],
        ["diff", "secret/a.rules", "secret/a.rules"],
        ["replay", "secret/history.txt"],
        ["replay", "secret/sub"],
        ["import", "--from", "claude", "secret/settings.json"],
        ["trust", "--yes", "secret/sub"],
        ["serve", "--cwd", "secret/sub"],
        ["run", "--cwd", "secret/sub", "--", "ls"],
    ],
    ids=" ".join,
)
def test_commands_say_that_it_may_not_be_looked_at(
    line: CommandLine, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    shut(line.machine.project / "secret", monkeypatch)
    status, _, err = line.run(*arguments)
    assert status not in (0, 3)
    assert "Permission denied" in err
    assert "Errno" not in err


def test_what_is_not_there_is_said_not_to_be_there(line: CommandLine) -> None:
    assert line.run("list", "--cwd", "nowhere") == (
        2, "", "error: `nowhere` is not a folder: give one that exists to --cwd\n"
    )  # fmt: skip
    assert line.run("lint", "nowhere") == (2, "", "error: no such file or folder: nowhere\n")
    assert "no such file or folder" in line.run("replay", "nowhere")[2]


def test_settings_of_an_agent_that_may_not_be_read_are_not_missing(
    line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = line.machine.root / "home" / ".claude"
    folder.mkdir(parents=True)
    shut(folder, monkeypatch)
    _, out, _ = line.run("doctor", "claude")
    assert f"cannot read `{folder}/settings.json`: Permission denied" in out
    assert "no settings start the hook" not in out
    status, _, err = line.run("import", "claude")
    assert (status, err) == (1, f"error: cannot read `{folder}/settings.json`: Permission denied\n")


def test_settings_that_may_not_be_read_may_restrict(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    home = line.machine.own_home
    home.mkdir(parents=True, exist_ok=True)
    assert settings_files(str(home)) == ()
    shut(home, monkeypatch)
    assert settings_files(str(home)) == (f"{home}/execpolicy.toml",)
    status, out, err = line.run("check", "--", "ls")
    assert (status, out) == (2, "")
    assert err == f"error: {home}/execpolicy.toml: cannot read the settings: Permission denied\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(PAYLOAD).encode())))
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, write_through=True))
    main(["hook", "claude", "--deadline", "3000"])
    assert json.loads(raw.getvalue())["hookSpecificOutput"]["permissionDecision"] == "ask"


def test_requirements_that_may_not_be_read_are_not_kept_as_missing(
    line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.machine.system.mkdir(parents=True, exist_ok=True)
    options = LayerOptions.of_process()
    assert fingerprint(options) is not None
    shut(line.machine.system, monkeypatch)
    assert fingerprint(options) is None
    assert load_layers(options).fail_closed


def test_a_project_that_may_not_be_searched_may_have_rules(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not load_layers(LayerOptions.of_process()).fail_closed
    shut(line.machine.project, monkeypatch)
    assert load_layers(LayerOptions.of_process()).fail_closed
