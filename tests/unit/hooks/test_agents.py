"""Envelopes of agents' hooks, and the answers that they honour. What holds for every agent is read off its record."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.hook_command import run_hook, usage
from execpolicy.core.decision import Decision
from execpolicy.errors import UsageError
from execpolicy.hooks.agents import AGENTS, Agent, AnswerForm, CallForm, carries_commands

PAGE = Path(__file__).parents[3] / "docs" / "hooks.md"
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
"""Calls as these agents send them."""
EVERY = tuple(AGENTS.values())
WITH_TOOLS = tuple(agent for agent in EVERY if agent.call.tool is not None)
FORMS = [(agent, event) for agent in EVERY for event in agent.answers]


def envelope_of(agent: Agent, tool: str, command: str) -> dict[str, Any]:
    """A call in the form that the record says."""
    call = agent.call
    envelope: dict[str, Any] = {"cwd": "/srv"}
    if call.event is not None:
        envelope[call.event] = next(iter(agent.answers))
    if call.tool is None:
        return {**envelope, "command": command}
    arguments = {"command": command}
    return {**envelope, call.tool: tool, call.arguments: json.dumps(arguments) if call.nested else arguments}


def name_of(value: object) -> str:
    return value.name if isinstance(value, Agent) else str(value)


@pytest.mark.parametrize("name", ENVELOPES)
def test_the_command_is_found(name: str) -> None:
    call = AGENTS[name].read(ENVELOPES[name])
    assert (call.command, call.cwd) == ("ls -la", "/srv")


@pytest.mark.parametrize("agent", EVERY, ids=name_of)
def test_the_command_is_found_by_each_tool_of_an_agent(agent: Agent) -> None:
    assert agent.tools
    for tool in agent.tools:
        assert carries_commands(tool)
        call = agent.read(envelope_of(agent, tool, "ls -la"))
        assert (call.event, call.command, call.cwd) == (next(iter(agent.answers)), "ls -la", "/srv")


@pytest.mark.parametrize("agent", WITH_TOOLS, ids=name_of)
def test_other_tools_get_no_answer(agent: Agent) -> None:
    call = agent.read(envelope_of(agent, "Read", "ls"))
    assert call.command is None
    assert agent.answer(call.event, None, "").body is None


@pytest.mark.parametrize("agent", WITH_TOOLS, ids=name_of)
def test_the_shell_of_another_agent_is_a_shell(agent: Agent) -> None:
    for tool in ["execute_command", *[tool for other in EVERY for tool in other.tools]]:
        assert agent.read(envelope_of(agent, tool, "ls")).command == "ls"


@pytest.mark.parametrize("envelope", [{}, {"hook_event_name": "PreToolUse", "tool_name": "Bash"}, {"tool_name": 1}])
@pytest.mark.parametrize("agent", EVERY, ids=name_of)
def test_a_broken_envelope_is_an_error(agent: Agent, envelope: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        agent.read(envelope)


def test_claude_answers_are_nested() -> None:
    body = AGENTS["claude"].answer("PreToolUse", Decision.FORBIDDEN, "why").body
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
    body = AGENTS[agent].answer(event, decision, "why").body
    if word is None:
        assert body is None
    else:
        assert f'"{word}"' in json.dumps(body)


@pytest.mark.parametrize(("agent", "event"), FORMS, ids=name_of)
def test_every_form_has_a_word_to_deny_and_says_it(agent: Agent, event: str) -> None:
    form = agent.answers[event]
    for decision, word in form.words.items():
        body = agent.answer(event, decision, "why").body
        assert (body is None) == (word is None)
        assert body is None or f'"{word}"' in json.dumps(body)
    assert form.words[Decision.FORBIDDEN] not in (None, form.words[Decision.ALLOW])


@pytest.mark.parametrize("agent", EVERY, ids=name_of)
def test_failing_never_allows_and_always_answers(agent: Agent) -> None:
    for event in ("", "PreToolUse", "PermissionRequest", "permissionRequest", *agent.answers):
        answer = agent.closed_answer(event, "broken")
        assert answer.body is not None
        assert '"allow"' not in json.dumps(answer.body)


@pytest.mark.parametrize(
    ("agent", "event", "word"),
    [
        ("claude", "PreToolUse", "ask"),
        ("claude", "PermissionRequest", "deny"),
        ("codex", "PreToolUse", "deny"),
        ("gemini", "BeforeTool", "deny"),
        ("cursor", "beforeShellExecution", "ask"),
        ("copilot", "preToolUse", "ask"),
        ("copilot", "permissionRequest", "deny"),
    ],
)
def test_failing_asks_where_the_agent_can(agent: str, event: str, word: str) -> None:
    assert AGENTS[agent].answers[event].can_ask == (word == "ask")
    assert f'"{word}"' in json.dumps(AGENTS[agent].closed_answer(event, "broken").body)


def test_the_table_of_the_page_says_what_the_records_say() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.read_text("utf-8").splitlines()]
    checked = 0
    for agents, event, *cells in (row for row in rows if len(row) == 5 and row[0].startswith("`")):
        shown = [_word(cell) for cell in cells]
        for agent in re.findall(r"`(\w+)`", agents):
            assert list(AGENTS[agent].answers[event.strip("`")].words.values()) == shown, (agent, event)
            checked += 1
    assert checked >= 8


def _word(cell: str) -> str | None:
    found = re.match(r"`(\w+)`", cell)
    assert found is not None or cell.startswith("no answer"), cell
    return None if found is None else found.group(1)


def test_one_record_is_all_that_a_new_agent_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def body(word: str, reason: str) -> dict[str, Any]:
        return {"verdict": word, "because": reason}

    record = Agent(
        "novel",
        CallForm(event="when", tool="which", arguments="what"),
        {"before": AnswerForm(body, allow="yes", prompt="hm", deny="no")},
        tools=("novel_shell",),
        settings=("~/.novel/hooks.json",),
    )
    monkeypatch.setitem(AGENTS, "novel", record)
    assert "~/.novel/hooks.json" in usage()
    for text, word in (
        ('{"when": "before", "which": "novel_shell", "what": {"command": "ls"}}', "yes"),
        ('{"when": "before", "which": "novel_shell", "what": {"command": "frob"}}', "hm"),
        ("{", "hm"),
    ):
        out, errors = io.StringIO(), io.StringIO()
        assert run_hook(["novel"], io.StringIO(text), out, errors) == 0
        assert json.loads(out.getvalue())["verdict"] == word
    assert AGENTS["claude"].read({**CLAUDE, "tool_name": "novel_shell"}).command == "ls -la"
