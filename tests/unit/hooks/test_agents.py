"""Envelopes of agents' hooks, and the answers that they honour. What holds for every agent is read off its record."""

import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.hook_command import run_hook
from execpolicy.cli.hook_options import usage
from execpolicy.core.decision import Decision
from execpolicy.errors import UsageError
from execpolicy.hooks.agents import AGENTS, Agent, carries_commands
from execpolicy.hooks.answer_forms import AnswerForm, CallForm, HookShape
from execpolicy.hooks.hook_call import HookCall
from execpolicy.safety.agent_places import PLACES, HookPlace
from tests.support.each import each

PAGE = Path(__file__).parents[3] / "docs" / "hooks.md"
EVERY = tuple(AGENTS.values())
SHAPES = [(agent, shape) for agent in EVERY for shape in agent.shapes]
FORMS = [
    pytest.param(agent, event, form, id=f"{agent.name}-{event}")
    for agent, shape in SHAPES
    for event, form in shape.answers.items()
]
CLAUDE = {
    "session_id": "s",
    "cwd": "/srv",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls -la", "description": "list"},
}


def set_at(envelope: dict[str, Any], key: str, value: object) -> None:
    """Put ``value`` where a key with dots leads."""
    *folders, last = key.split(".")
    for name in folders:
        envelope = envelope.setdefault(name, {})
    envelope[last] = value


def envelope_of(shape: HookShape, tool: str, arguments: dict[str, Any], event: str = "") -> dict[str, Any]:
    """A call in the form that the record says."""
    call = shape.call
    envelope: dict[str, Any] = {"cwd": "/srv"}
    if call.arguments:
        set_at(envelope, call.arguments[0], arguments)
    else:
        envelope |= arguments
    if call.tool is not None:
        set_at(envelope, call.tool, tool)
    set_at(envelope, call.event, event or next(iter(shape.answers)))
    return envelope


def command_key(shape: HookShape) -> str:
    """What the command is called in a form."""
    return shape.call.sign.rpartition(".")[2] if shape.call.tool is None else "command"


def shell_shapes() -> list[Any]:
    """Every form in which a shell's call is sent, with each tool of the agent."""
    return [
        pytest.param(agent, shape, tool, id=f"{agent.name}-{tool}")
        for agent, shape in SHAPES
        if shape.call.only != "write_code"
        for tool in ((shape.call.only,) if shape.call.tool is None else agent.tools)
    ]


@each(("agent", "shape", "tool"), shell_shapes())
def test_the_command_is_found_by_each_tool_of_an_agent(agent: Agent, shape: HookShape, tool: str) -> None:
    assert carries_commands(tool)
    asked = agent.read(envelope_of(shape, tool, {command_key(shape): "ls -la"}))
    assert (asked.call.commands, asked.call.cwd) == (("ls -la",), "/srv")
    assert asked.form in shape.answers.values()


@each(("agent", "shape", "tool"), [one for one in shell_shapes() if one.values[1].call.arguments])
@pytest.mark.parametrize(
    "more", [{"args": ["-delete"]}, {"stdin": "x"}, {"Command": "rm x"}, {"nobody-knows": {"a": 1}}]
)
def test_a_command_with_an_argument_that_nobody_knows_is_a_doubt(
    agent: Agent, shape: HookShape, tool: str, more: dict[str, Any]
) -> None:
    known = {"description": "x", "timeout": 3, "is_background": False}
    assert not agent.read(envelope_of(shape, tool, {command_key(shape): "find", **known})).call.doubts
    assert agent.read(envelope_of(shape, tool, {command_key(shape): "find", **more})).call.doubts


@each(("agent", "shape", "tool"), shell_shapes())
def test_a_shell_without_a_command_is_an_error(agent: Agent, shape: HookShape, tool: str) -> None:
    if tool == "write_bash":  # it may only wait for output
        assert not agent.read(envelope_of(shape, tool, {"shellId": "1"})).call.has_actions
        return
    with pytest.raises(UsageError):
        agent.read(envelope_of(shape, tool, {"description": "x"}))


@pytest.mark.parametrize("agent", EVERY, ids=lambda agent: agent.name)
@pytest.mark.parametrize("envelope", [{}, {"hook_event_name": "PreToolUse", "tool_name": "Bash"}, {"tool_name": 1}])
def test_a_broken_envelope_is_an_error(agent: Agent, envelope: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        agent.read(envelope)


@pytest.mark.parametrize(("agent", "shape"), [each for each in SHAPES if each[1].call.tool is not None])
def test_tools_that_do_nothing_of_ours_get_no_answer(agent: Agent, shape: HookShape) -> None:
    assert not agent.read(envelope_of(shape, "Read", {"file_path": "/etc/passwd"})).call.has_actions


@pytest.mark.parametrize(
    "event", ["PostToolUse", "SessionStart", "Stop", "postToolUse", "AfterTool", "UserPromptSubmit"]
)
def test_what_comes_when_the_call_is_over_gets_no_answer(event: str) -> None:
    for agent in EVERY:
        shape = agent.shapes[0]
        assert agent.read(envelope_of(shape, "Bash", {"command": "rm x"}, event)).form is None


@each(("agent", "event", "form"), FORMS)
def test_every_form_has_a_word_to_deny_and_says_it(agent: Agent, event: str, form: AnswerForm) -> None:
    call = HookCall(event, "Bash", person=True)
    for decision, word in form.words.items():
        answer = form.write(decision, "why", call, "ask")
        if form.statuses:
            assert answer.body is None
            assert answer.status == form.statuses.get(word or "", 0)
            assert answer.message == ("why\n" if answer.status else "")
        elif word is None:
            assert answer.body is None
        else:
            text = json.dumps(answer.body)
            assert "why" in text or word == "allow"
            assert f'"{word}"' in text or agent.name == "cline"
    assert form.words[Decision.FORBIDDEN] not in (None, form.words[Decision.ALLOW])


@each(("agent", "event", "form"), FORMS)
def test_a_prompt_never_runs_where_nobody_is(agent: Agent, event: str, form: AnswerForm) -> None:
    alone = HookCall(event, "Bash", person=False)
    answer = form.write(Decision.PROMPT, "why", alone)
    if form.asks != "always":
        assert vars_of(answer) == vars_of(form.write(Decision.FORBIDDEN, "why (no one can be asked here)", alone))
    assert vars_of(form.write(Decision.PROMPT, "why", alone, "deny")) == vars_of(
        form.write(Decision.FORBIDDEN, "why", alone)
    )


def vars_of(answer: Any) -> tuple[object, ...]:
    return answer.body, answer.status, answer.message


@pytest.mark.parametrize("agent", EVERY, ids=lambda agent: agent.name)
def test_failing_never_allows_and_always_answers(agent: Agent) -> None:
    for shape in agent.shapes:
        for event in ("", "before", *shape.answers):
            asked = agent.read(envelope_of(shape, agent.tools[0], {command_key(shape): "ls"}, event))
            answer = agent.closed_answer(asked, "broken")
            assert answer.body is not None or answer.status in (1, 2)
            assert '"allow"' not in json.dumps(answer.body)
    assert agent.closed_answer(None, "broken").body is not None or agent.closed_answer(None, "broken").status in (1, 2)


RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "hooks" / "inputs.jsonl").read_text("utf-8").splitlines()
]
PLUGGED = ("opencode", "kilo", "pi")


@each("recorded", [one for one in RECORDED if one["agent"] not in PLUGGED])
def test_what_agents_really_sent_is_read(recorded: dict[str, Any]) -> None:
    asked = AGENTS[recorded["agent"]].read(recorded["input"])
    arguments = next(
        recorded["input"][name]
        for name in ("tool_input", "toolArgs", "toolInput", "tool_call")
        if name in recorded["input"]
    )
    arguments = arguments.get("input", arguments)
    tool = recorded["tool"]
    if (recorded["event"] or "").startswith("Post"):
        assert asked.form is None
    elif tool in ("Write", "create", "write", "edit"):
        assert asked.call.writes == (arguments.get("file_path") or arguments["path"],)
    elif tool == "apply_patch":
        assert (asked.call.writes, asked.call.commands) == (("patched.canary",), ())
    elif tool == "Skill":
        assert asked.call.skill == "sneak"
    elif tool == "Agent":
        assert not asked.call.has_actions
    elif tool == "tree":  # its name does not say that it only reads
        assert (asked.call.writes, asked.call.commands, asked.call.foreign) == ((".",), (), True)
    elif tool == "delegate":
        assert asked.call.doubts == ("it starts another agent, whose calls reach no hook",)
    else:
        expected = arguments.get("commands") or [arguments.get("command") or arguments["script"]]
        assert list(asked.call.commands) == expected
        folder = (
            arguments.get("dir_path") or arguments.get("directory") or arguments.get("workdir") or arguments.get("cwd")
        )
        assert asked.call.cwd == os.path.join("/home/u/project", folder or "").rstrip("/")


@each("recorded", [one for one in RECORDED if one["event"] == "PreSkillShellCommand"])
@pytest.mark.parametrize("decision", [Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN])
def test_a_command_of_a_skill_is_answered_at_its_own_event(recorded: dict[str, Any], decision: Decision) -> None:
    asked = AGENTS["claude"].read(recorded["input"])
    assert asked.form is not None
    (said,) = (asked.form.write(decision, "why", asked.call).body or {}).values()
    assert said["hookEventName"] == recorded["event"]
    assert said["permissionDecision"] == {"allow": "allow", "prompt": "ask", "forbidden": "deny"}[decision.word]


@pytest.mark.parametrize("tool_input", ['{"command": "rm x"}', {"command": "rm x"}])
def test_a_call_of_a_server_is_not_taken_for_the_command_that_starts_the_server(tool_input: object) -> None:
    envelope = {"hook_event_name": "beforeMCPExecution", "tool_name": "run", "tool_input": tool_input}
    for more in ({"command": "ls"}, {"url": "http://localhost/"}):
        asked = AGENTS["cursor"].read({**envelope, **more})
        assert asked.call.commands == ("rm x",)
        assert asked.form is not None
        assert asked.form.write(Decision.FORBIDDEN, "no", asked.call).body["permission"] == "deny"


def test_the_table_of_the_page_says_what_the_records_say() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.read_text("utf-8").splitlines()]
    said = {(row[0], row[1]): row[2:5] for row in rows if len(row) == 6 and row[0].startswith("`")}
    for agent, shape in SHAPES:
        for event, form in shape.answers.items():
            if shape is not agent.shapes[0] and agent.name != "windsurf":
                continue
            shown = [re.match(r"`(\w+)`", cell) for cell in said[f"`{agent.name}`", f"`{event}`"]]
            assert [found and found[1] for found in shown] == list(form.words.values()), (agent.name, event)


def test_one_record_is_all_that_a_new_agent_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def body(word: str, reason: str, call: HookCall) -> dict[str, Any]:
        return {"verdict": word, "because": reason, "tool": call.tool}

    monkeypatch.setitem(PLACES, "novel", HookPlace("novel", "groups", "~/.novel/hooks.json"))
    record = Agent(
        "novel",
        "Novel",
        HookShape(
            CallForm(event="when", tool="which", arguments=("what",)),
            {"before": AnswerForm(body, allow="yes", prompt="hm", deny="no", asks="always")},
        ),
        tools=("novel_shell",),
    )
    monkeypatch.setitem(AGENTS, "novel", record)
    assert "~/.novel/hooks.json" in usage()
    for text, word in (
        ('{"when": "before", "which": "novel_shell", "what": {"command": "ls"}}', "yes"),
        ('{"when": "before", "which": "novel_shell", "what": {"command": "frob"}}', "hm"),
        ("{", "hm"),
    ):
        out, errors = io.StringIO(), io.StringIO()
        assert run_hook(["novel", "--deadline", "3000"], io.StringIO(text), out, errors) == 0
        assert json.loads(out.getvalue())["verdict"] == word
    assert AGENTS["claude"].read({**CLAUDE, "tool_name": "novel_shell"}).call.commands == ("ls -la",)
