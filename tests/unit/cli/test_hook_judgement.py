"""What the calls of agents get: every part of a call counts, and the strictest decides."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.hook_command import run_hook
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.source import Source

RULES = """\
prefix_rule(pattern=["touch"])
prefix_rule(pattern=["rm"], decision="forbidden", justification="never")
write_rule(paths=["./build/**"])
write_rule(paths=["./**"])
write_rule(paths=["./kept/**"], decision="forbidden", justification="kept")
write_rule(paths=["./asked/**"], decision="prompt")
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project and a home of their own."""
    home = tmp_path / "home"
    project = tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (tmp_path / "my.rules").write_text(RULES)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SHELL", "/bin/bash")
    for name in ("EXECPOLICY_HOME", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return project


def asked(place: Path, tool: str, arguments: dict[str, Any], *options: str, agent: str = "claude") -> dict[str, Any]:
    """The whole answer; nothing for none."""
    envelope = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": arguments, "cwd": str(place)}
    out, errors = io.StringIO(), io.StringIO()
    rules = ("-r", str(place.parent / "my.rules"))
    patient = ("--deadline", "3000")  # the process of the tests would end with it
    assert run_hook([agent, *rules, *patient, *options], io.StringIO(json.dumps(envelope)), out, errors) == 0
    found: dict[str, Any] = json.loads(out.getvalue())["hookSpecificOutput"] if out.getvalue() else {}
    return found


def decision(place: Path, tool: str, arguments: dict[str, Any], *options: str) -> str | None:
    return asked(place, tool, arguments, *options).get("permissionDecision")


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("Bash", {"command": "touch x"}, "allow"),
        ("Bash", {"command": "journalctl -n 5"}, "allow"),
        ("exec_command", {"cmd": "journalctl -n 5"}, "allow"),
        ("exec_command", {"cmd": "journalctl -n 5", "tty": True}, "ask"),
        ("run_in_terminal", {"command": "journalctl -n 5"}, "ask"),
        ("Monitor", {"command": "rm x"}, "deny"),
        ("mcp__sh__run", {"command": "rm x"}, "deny"),
        ("run_commands", {"commands": ["touch x", "rm x"]}, "deny"),
        ("run_commands", {"commands": ["touch x", "make"]}, "ask"),
        ("Bash", {"command": "touch x", "cmd": "rm x"}, "deny"),
        ("Bash", {"command": "touch x", "cmd": "touch y"}, "ask"),
        ("Bash", {"command": "touch x", "cmd": "touch x"}, "allow"),
        ("Bash", {"command": "touch x", "env": {"PATH": "."}}, "ask"),
        ("Bash", {"command": "touch x", "env": {"LD_PRELOAD": "./x.so"}}, "ask"),
        ("Bash", {"command": "touch x", "shell": "./bash"}, "ask"),
        ("Bash", {"command": "touch x", "shell": "fish"}, "ask"),
        ("Bash", {"command": "rm x", "shell": "fish"}, "deny"),
        ("PowerShell", {"command": "touch x"}, "ask"),
        ("Bash", {"command": "touch x", "timeout": 3}, "allow"),
        ("mcp__sh__run", {"command": "touch x"}, "allow"),
        ("mcp__sh__run", {"command": "find", "args": [".", "-delete"]}, "ask"),
        ("mcp__sh__run", {"command": "touch x", "host": "elsewhere"}, "ask"),
        ("Bash", {"command": "touch x", "Command": "rm x"}, "deny"),
        ("mcp__sh__run", {"line": "rm x"}, "deny"),
        ("mcp__sh__run", {"line": "touch x"}, "ask"),
        ("use_mcp_tool", {"arguments": '{"command": "rm x"}'}, "deny"),
        ("use_mcp_tool", {"arguments": '{"command": "touch x"}'}, "ask"),
        ("mcp__github__create_or_update_file", {"path": "build/x", "content": "y"}, None),
        ("mcp__fs__write_file", {"path": "kept/x"}, "deny"),
        ("mcp__fs__move_file", {"source": "x", "destination": ".claude/settings.json"}, "ask"),
        ("mcp__fs__do", {"path": ".git/hooks/pre-commit"}, "ask"),
        ("write_bash", {"shellId": 1, "input": "touch x\n"}, "ask"),
        ("write_bash", {"shellId": 1, "input": "rm x\n"}, "deny"),
        ("write_bash", {"shellId": 1, "input": ""}, None),
        ("Write", {"file_path": "build/x"}, "allow"),
        ("Write", {"file_path": "kept/x"}, "deny"),
        ("Edit", {"file_path": "asked/x"}, "ask"),
        ("Write", {"file_path": "/elsewhere/x"}, None),
        ("Write", {"file_path": ".envrc"}, "ask"),
        ("Write", {"file_path": ".claude/settings.json"}, "ask"),
        ("Write", {"file_path": ".git/hooks/pre-commit"}, "ask"),
        ("Write", {"file_path": ".git/rebase-merge/git-rebase-todo"}, "ask"),
        ("Edit", {"file_path": "sub/.GIT/config.worktree"}, "ask"),
        ("MultiEdit", {"files": [{"path": "build/x"}, {"path": ".git/index"}]}, "ask"),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: .git/commondir\n+x\n*** End Patch\n"}, "ask"),
        ("mcp__fs__write_file", {"path": ".git/objects/info/alternates"}, "ask"),
        ("Write", {"file_path": ".vscode/mcp.json"}, "ask"),
        ("Write", {"file_path": "sub/cline_mcp_settings.json"}, "ask"),
        ("Write", {"file_path": "my.rules"}, "ask"),
        ("Write", {"file_path": ".github/hooks/x.json"}, "ask"),
        ("Write", {"file_path": ".github/copilot/settings.json"}, "ask"),
        ("Write", {"file_path": ".github/workflows/ci.yml"}, "allow"),
        ("Write", {"file_path": "~/.bashrc"}, "ask"),
        ("Write", {"file_path": "~/.config/execpolicy/rules/x.rules"}, "ask"),
        ("Write", {"file_path": "a\0b"}, "ask"),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: build/x\n+x\n*** Add File: kept/x\n+x\n"}, "deny"),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: build/x\n+x\n*** End Patch\n"}, "allow"),
        ("MultiEdit", {"files": [{"path": "build/x"}, {"path": "/elsewhere/x"}]}, None),
        ("Read", {"file_path": "kept/x"}, None),
    ],
)
def test_every_part_counts(place: Path, tool: str, arguments: dict[str, Any], expected: str | None) -> None:
    assert decision(place, tool, arguments) == expected


def test_a_link_into_a_kept_folder_is_seen(place: Path) -> None:
    (place / "kept").mkdir()
    (place / "build").symlink_to(place / "kept")
    assert decision(place, "Write", {"file_path": "build/x"}) == "deny"


def test_the_folder_of_the_call_counts(place: Path) -> None:
    (place / "sub").mkdir()
    assert decision(place, "Bash", {"command": "echo x > kept/x", "workdir": "sub"}) == "allow"
    assert decision(place, "Bash", {"command": "echo x > ../kept/x", "workdir": "sub"}) == "deny"
    assert decision(place, "Bash", {"command": "echo x > kept/x"}) == "deny"
    assert decision(place, "Bash", {"command": "touch x", "workdir": "nowhere"}) == "ask"


@pytest.mark.parametrize("where", [".claude/skills/sneak/SKILL.md", "../home/.claude/skills/sneak/SKILL.md"])
def test_the_commands_of_a_skill(place: Path, where: str) -> None:
    path = place / where
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: sneak\n---\nResult: !`touch x` and !`rm x`\n")
    assert decision(place, "Skill", {"skill": "sneak"}) == "deny"
    path.write_text("nothing runs here")
    assert decision(place, "Skill", {"skill": "sneak"}) is None
    path.write_text("```!\nrm x\n```\n")
    assert decision(place, "Skill", {"skill": "sneak"}) == "deny"
    assert decision(place, "Skill", {"skill": "../../etc"}) is None


def test_the_shell_of_the_user_reads_it_too(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "touch =rm"  # zsh puts the path of rm there
    assert decision(place, "Bash", {"command": script}) == "allow"
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    assert decision(place, "Bash", {"command": script}) == "ask"
    assert decision(place, "Bash", {"command": "touch x"}) == "allow"
    monkeypatch.setenv("SHELL", "/usr/bin/fish")  # Claude Code takes bash or zsh
    assert decision(place, "Bash", {"command": script}) == "allow"


def test_a_prompt_is_what_the_option_says(place: Path) -> None:
    assert decision(place, "Bash", {"command": "make"}) == "ask"
    assert decision(place, "Bash", {"command": "make"}, "--on-prompt", "deny") == "deny"
    assert asked(place, "Bash", {"command": "make"}, "--on-prompt", "ask", agent="codex") == {}
    assert asked(place, "Bash", {"command": "make"}, agent="codex")["permissionDecision"] == "deny"


def test_a_broken_rule_file_is_named(place: Path) -> None:
    rules = place.parent / "home" / ".config" / "execpolicy" / "rules"
    rules.mkdir(parents=True)
    (rules / "mine.rules").write_text("prefix_rule(pattern=\n")
    envelope = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "make"},
        "cwd": str(place),
    }
    out = io.StringIO()
    assert run_hook(["claude", "--deadline", "3000"], io.StringIO(json.dumps(envelope)), out, io.StringIO()) == 0
    answer = json.loads(out.getvalue())["hookSpecificOutput"]
    assert answer["permissionDecision"] == "ask"
    assert "mine.rules" in answer["permissionDecisionReason"]


def test_the_audit_says_who_decided_what(place: Path) -> None:
    log = place.parent / "audit.jsonl"
    assert decision(place, "Bash", {"command": "touch x"}, "--audit", str(log)) == "allow"
    assert decision(place, "Bash", {"command": "rm x"}, "--audit", str(log)) == "deny"
    first, second = [json.loads(line) for line in log.read_text().splitlines()]
    assert (first["decision"], second["decision"]) == ("allow", "forbidden")
    assert "rule-covers" in first["grounds"]
    assert "never" in second["reason"]
    assert second["answer"]["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert log.stat().st_mode & 0o777 == 0o600


def test_writing_a_file_rests_on_a_ground_too(place: Path) -> None:
    log = place.parent / "audit.jsonl"
    arguments = {"file_path": str(place / "build" / "x"), "content": "x"}
    assert decision(place, "Write", arguments, "--audit", str(log)) == "allow"
    assert json.loads(log.read_text())["grounds"] == ["write-covered"]
    assert decision(place, "Write", arguments, "--grants", "none") is None


def test_what_cannot_be_noted_is_not_allowed(place: Path) -> None:
    assert decision(place, "Bash", {"command": "touch x"}, "--audit", str(place / "no.rules" / "\0")) == "ask"


def test_the_log_records_and_never_changes_a_decision(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(place.parent))
    log = place.parent / "execpolicy" / "hooks.jsonl"
    assert decision(place, "Bash", {"command": "rm x"}, "--log") == "deny"
    assert json.loads(log.read_text())["decision"] == "forbidden"
    log.unlink()
    log.mkdir()
    assert decision(place, "Bash", {"command": "touch x"}, "--log") == "allow"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert decision(place, "Bash", {"command": "touch x"}, "--log") == "allow"


@pytest.mark.parametrize("whole", ['{"tool_name": "Bash", "tool_input": {"command": "ls -l"}, "n": [1, true]}'])
def test_a_call_that_is_cut_short_is_named_as_that(whole: str) -> None:
    for text, is_cut in [*[(whole[:end], True) for end in range(1, len(whole))], ("{nonsense}", False), ("[]", False)]:
        out = io.StringIO()
        run_hook(["claude", "--deadline", "3000"], io.TextIOWrapper(io.BytesIO(text.encode())), out, io.StringIO())
        assert ("not a JSON object (it ends in the middle)" in out.getvalue()) is is_cut, text


@pytest.mark.parametrize("script", ["touch x", "make && rm x", "lookup a && rm -rf b", "make > asked/x && lookup a"])
def test_the_hook_gives_the_reason_of_the_verdict(place: Path, script: str) -> None:
    rules = Rulebook(compile_source(Source(str(place.parent / "my.rules"), RULES)).statements)
    found = check(script, rules, situation=Situation(str(place), home=str(place.parent / "home")))
    answer = asked(place, "Bash", {"command": script})
    assert answer["permissionDecisionReason"] == f"execpolicy: {found.reason}"
