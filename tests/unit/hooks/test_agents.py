"""Envelopes of agents' hooks, and the answers that they honour."""

import json

import pytest

from execpolicy.core.decision import Decision
from execpolicy.errors import UsageError
from execpolicy.hooks.agents import AGENTS, fail_closed, read_call, write_answer

CLAUDE = {
    "session_id": "s",
    "cwd": "/srv",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls -la", "description": "list"},
}
ENVELOPES = {
    "claude": CLAUDE,
    "codex": CLAUDE,
    "gemini": {**CLAUDE, "hook_event_name": "BeforeTool", "tool_name": "run_shell_command"},
    "cursor": {"hook_event_name": "beforeShellExecution", "command": "ls -la", "cwd": "/srv", "workspace_roots": []},
    "copilot": {"cwd": "/srv", "toolName": "bash", "toolArgs": json.dumps({"command": "ls -la"})},
}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_command_is_found(agent: str) -> None:
    call = read_call(agent, ENVELOPES[agent])
    assert (call.command, call.cwd) == ("ls -la", "/srv")


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "copilot"])
def test_other_tools_get_no_answer(agent: str) -> None:
    envelope = {**ENVELOPES[agent], "tool_name": "Read", "toolName": "view"}
    call = read_call(agent, envelope)
    assert call.command is None
    assert write_answer(agent, call.event, None, "").body is None


@pytest.mark.parametrize("envelope", [{}, {"hook_event_name": "PreToolUse", "tool_name": "Bash"}, {"tool_name": 1}])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_broken_envelope_is_an_error(agent: str, envelope: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        read_call(agent, envelope)


def test_claude_answers_are_nested() -> None:
    body = write_answer("claude", "PreToolUse", Decision.FORBIDDEN, "why").body
    assert body == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "why",
        }
    }


@pytest.mark.parametrize(
    ("agent", "event", "decision", "word"),
    [
        ("claude", "PreToolUse", Decision.ALLOW, "allow"),
        ("claude", "PreToolUse", Decision.PROMPT, "ask"),
        ("claude", "PermissionRequest", Decision.ALLOW, "allow"),
        ("claude", "PermissionRequest", Decision.PROMPT, None),
        ("claude", "PermissionRequest", Decision.FORBIDDEN, "deny"),
        ("codex", "PreToolUse", Decision.ALLOW, None),
        ("codex", "PreToolUse", Decision.PROMPT, None),
        ("codex", "PreToolUse", Decision.FORBIDDEN, "deny"),
        ("gemini", "BeforeTool", Decision.PROMPT, None),
        ("gemini", "BeforeTool", Decision.FORBIDDEN, "deny"),
        ("cursor", "beforeShellExecution", Decision.PROMPT, "ask"),
        ("copilot", "preToolUse", Decision.PROMPT, "ask"),
        ("copilot", "permissionRequest", Decision.FORBIDDEN, "deny"),
    ],
)
def test_answers(agent: str, event: str, decision: Decision, word: str | None) -> None:
    body = write_answer(agent, event, decision, "why").body
    if word is None:
        assert body is None
    else:
        assert f'"{word}"' in json.dumps(body)


@pytest.mark.parametrize("agent", AGENTS)
def test_failing_never_allows_and_always_answers(agent: str) -> None:
    for event in ("PreToolUse", "PermissionRequest", "permissionRequest"):
        answer = fail_closed(agent, event, "broken")
        assert answer.body is not None
        assert '"allow"' not in json.dumps(answer.body)
