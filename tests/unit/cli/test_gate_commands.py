"""``install`` and ``uninstall`` on the command line."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from execpolicy.gate.installing import Site
from execpolicy.hooks.agents import AGENTS
from tests.support.command_line import CommandLine, make_command_line


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    made = make_command_line(tmp_path, monkeypatch, capfd)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CODEX_HOME")
    (tmp_path / "bin").mkdir()
    return made


def settings(name: str) -> Path:
    return Path(Site.of_process().settings_file(AGENTS[name], "user"))


def test_the_change_is_shown_and_made_once(line: CommandLine) -> None:
    path = settings("claude")
    path.parent.mkdir(parents=True)
    path.write_text('{"model": "opus"}\n')
    status, out, _ = line.run("install", "claude")
    assert status == 0
    assert f"--- {path}" in out
    assert '-{"model": "opus"}' in out
    assert "Claude Code: wrote" in out
    assert "the former content is kept in" in out
    status, out, _ = line.run("install", "claude")
    assert (status, out.splitlines()[0]) == (0, f"Claude Code: nothing to change in {path}")
    status, out, _ = line.run("uninstall", "claude")
    assert status == 0
    assert '+{"model": "opus"}' in out
    assert path.read_text() == '{"model": "opus"}\n'
    status, out, _ = line.run("uninstall", "claude")
    assert (status, out) == (0, f"Claude Code: there is no hook of ours in {path}\n")


def test_a_dry_run_writes_nothing(line: CommandLine, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    status, out, _ = line.run("install", "claude", "codex", "pi", "cline", "amp", "--dry-run")
    assert status == 0
    assert out.count("nothing was written (--dry-run)") == 5
    assert sorted(tmp_path.rglob("*")) == before
    line.run("install", "claude")
    after = settings("claude").read_text()
    line.run("uninstall", "claude", "--dry-run")
    assert settings("claude").read_text() == after


def test_the_command_is_printed_and_nothing_written(line: CommandLine) -> None:
    _, out, _ = line.run("install", "claude", "--print-command", "--on-prompt", "deny")
    assert out.startswith("/bin/sh -c ")
    assert out.rstrip().endswith("claude --on-prompt deny")
    assert not settings("claude").exists()
    assert line.run("install", "cline", "--print-command")[1].startswith("#!/bin/sh\n")


def test_all_are_those_that_are_here(line: CommandLine, tmp_path: Path) -> None:
    line.machine.codex_home.rmdir()
    assert line.run("install", "--all")[0] == 2
    program = tmp_path / "bin" / "cursor-agent"
    program.write_text("#!/bin/sh\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    settings("gemini").parent.mkdir(parents=True)
    settings("opencode").parent.parent.mkdir(parents=True)
    status, out, _ = line.run("install", "--all")
    assert status == 0
    assert [agent.name for agent in AGENTS.values() if f"{agent.title}: wrote" in out] == [
        "gemini",
        "cursor",
        "opencode",
    ]
    assert line.run("uninstall", "--all")[0] == 0
    assert not settings("gemini").exists()
    assert line.run("install", "--all", "--scope", "machine", "--dry-run")[1].count("/etc/") > 0


def test_one_broken_file_does_not_keep_the_others(line: CommandLine) -> None:
    settings("claude").parent.mkdir(parents=True)
    settings("claude").write_text('{"model": opus}')
    status, out, err = line.run("install", "claude", "qwen")
    assert status == 1
    assert f"{settings('claude')}:1:11: a value is expected; it is left as it is" in err
    assert "Qwen Code: wrote" in out
    assert settings("claude").read_text() == '{"model": opus}'
    assert line.run("uninstall", "claude")[0] == 1


def test_wrong_calls_say_what_is_meant(line: CommandLine) -> None:
    assert line.run("install")[0] == 2
    assert line.run("install", "claude", "--all")[0] == 2
    assert line.run("install", "nobody")[0] == 2
    assert line.run("install", "claude", "--on-prompt", "nobody")[0] == 2
    status, _, err = line.run("install", "pi", "--scope", "machine")
    assert (status, err) == (1, "error: pi reads no hooks from settings of the machine\n")


def test_a_missing_codex_is_told_of(line: CommandLine) -> None:
    status, out, _ = line.run("install", "codex")
    assert status == 0
    assert "Codex: it is not installed here" in out
    hooks = json.loads(settings("codex").read_text())["hooks"]
    assert list(hooks) == ["PreToolUse", "PermissionRequest"]


def test_a_project_is_told_that_it_can_be_changed(line: CommandLine) -> None:
    _, out, _ = line.run("install", "claude", "--scope", "project")
    assert "prefer the user's or the machine's settings" in out
    written = (line.machine.project / ".claude" / "settings.json").read_text()
    assert "HOME=" not in written


@pytest.mark.parametrize(
    ("agent", "event", "said"),
    [("claude", "hook_event_name", "{}"), ("goose", "event", '{"decision":"allow"}')],  # Goose takes `{}` for a failure
)
def test_an_agent_that_asks_for_itself_sees_no_answer_as_words(
    line: CommandLine, agent: str, event: str, said: str
) -> None:
    """``--no-silence``: no output is a failure to whoever started the hook."""
    import os
    import sys

    call = json.dumps({event: "PreToolUse", "tool_name": "Read", "tool_input": {}})
    read, write = os.pipe()
    os.write(write, call.encode())
    os.close(write)
    with os.fdopen(read) as stdin, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", stdin)
        assert line.run("hook", agent, "--no-silence")[:2] == (0, f"{said}\n")
