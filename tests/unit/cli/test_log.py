"""``execpolicy log``: what it shows of the log that ``execpolicy hook --log`` writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, make_command_line


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return make_command_line(tmp_path, monkeypatch, capfd)


def entry(time: str, agent: str, decision: str, *commands: str, **more: str) -> str:
    body = {"ts": time, "event": "hook", "agent": agent, "decision": decision, "commands": list(commands), **more}
    return json.dumps(body) + "\n"


LINES = [
    entry("2026-11-30T10:00:00.000Z", "claude", "allow", "ls -l", session="s1"),
    entry("2026-11-30T11:00:00.000Z", "codex", "prompt", "make\ndeploy", reason="why", session="s2"),
    '{"ts": "cut sh\n',
    entry("2026-11-30T12:00:00.000Z", "claude", "forbidden", "rm -rf /", reason="no \x1b", session="s1"),
]


@pytest.fixture
def log(line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "state" / "execpolicy" / "hooks.jsonl"
    path.parent.mkdir(parents=True)
    path.with_name("hooks.jsonl.1").write_text(LINES[0])
    path.write_text("".join(LINES[1:]))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return path


def test_all_is_shown_with_the_reasons(line: CommandLine, log: Path) -> None:
    status, out, err = line.run("log")
    assert status == 0
    assert out.splitlines() == [
        "2026-11-30 10:00:00  claude  allow  ls -l",
        "2026-11-30 11:00:00  codex  prompt  make⏎deploy",
        "    why",
        "2026-11-30 12:00:00  claude  forbidden  rm -rf /",
        "    no \\u{1b}",
    ]
    assert err == f"warning: 1 lines of `{log}` are no JSON\n"


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--decision", "prompt"], ["make\ndeploy"]),
        (["--decision", "prompt", "--decision", "allow"], ["ls -l", "make\ndeploy"]),
        (["--agent", "claude"], ["ls -l", "rm -rf /"]),
        (["--session", "s2"], ["make\ndeploy"]),
        (["--since", "2026-11-30T11:30:00+00:00"], ["rm -rf /"]),
        (["--since", "1m"], []),
        (["--last", "2"], ["make\ndeploy", "rm -rf /"]),
    ],
)
@pytest.mark.usefixtures("log")
def test_filters(line: CommandLine, options: list[str], found: list[str]) -> None:
    _, out, _ = line.run("log", "--format", "jsonl", *options)
    assert [command for each in out.splitlines() for command in json.loads(each)["commands"]] == found


@pytest.mark.usefixtures("log")
def test_counts(line: CommandLine) -> None:
    assert line.run("log", "--count")[1].splitlines() == [
        "allow           1",
        "prompt          1",
        "forbidden       1",
        "      1  prompt: why",
        "      1  forbidden: no \\u{1b}",
    ]


def test_wrong_calls(line: CommandLine, tmp_path: Path) -> None:
    assert line.run("log", str(tmp_path / "none"))[0] == 2
    status, _, err = line.run("log", "--since", "yesterday")
    assert status == 2
    assert "`yesterday` is neither a time" in err
