"""An unknown prompt is left to the agent wherever something else decides next, and nowhere else."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.hook_command import run_hook
from execpolicy.core.decision import Decision
from execpolicy.hooks import other_tools
from execpolicy.hooks.agents import AGENTS
from execpolicy.hooks.answer_forms import CallForm
from execpolicy.layers import hook_setting
from tests.support.each import each

DATA = Path(__file__).parents[2] / "data" / "hooks" / "unknown.jsonl"
ROWS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
PAGE = Path(__file__).parents[3] / "docs" / "hooks.md"
UNKNOWN, OBJECTED = "mytool x", "rm -rf x"
CLAUDE = {"agent": "claude", "event": "PreToolUse", "mode": "default", "unasked": False}


@pytest.fixture(autouse=True)
def _nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("EXECPOLICY_HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setattr(other_tools, "person_is_there", lambda: False)


def put(envelope: dict[str, Any], key: str, value: object) -> None:
    *outer, last = key.split(".")
    for part in outer:
        envelope = envelope.setdefault(part, {})
    envelope[last] = value


def envelope_of(form: CallForm, tool: str, event: str, mode: str, command: str) -> dict[str, Any]:
    envelope: dict[str, Any] = {"cwd": "/srv", **({"permission_mode": mode} if mode else {})}
    put(envelope, form.event, event)
    if form.tool is None:
        put(envelope, form.sign, command)
        return envelope
    put(envelope, form.tool, tool)
    put(envelope, f"{form.arguments[0]}.command", command)
    return envelope


def said(row: dict[str, Any], command: str, monkeypatch: pytest.MonkeyPatch, *options: str, tool: str = "") -> str:
    """The agent's understanding of the answer: ``nothing``, ``ask``, ``deny`` or ``allow``."""
    monkeypatch.setattr(other_tools, "runs_unasked", lambda programs: row["unasked"])
    agent = AGENTS[row["agent"]]
    shape = next(
        shape
        for shape in agent.shapes
        if row["event"] in shape.answers and shape.call.only in ("", *agent.tools) and "mcp" not in str(shape.call.tool)
    )
    envelope = envelope_of(shape.call, tool or agent.tools[0], row["event"], row["mode"], command)
    out = io.StringIO()
    arguments = [agent.name, "--ignore-rules", "--deadline", "3000", *options]
    status = run_hook(arguments, io.StringIO(json.dumps(envelope)), out, io.StringIO())
    form = shape.answers[row["event"]]
    if form.statuses:
        return {0: "nothing", 1: "ask", 2: "deny"}[status]
    assert status == 0
    if not out.getvalue():
        return "nothing"
    words = set(other_words(json.loads(out.getvalue())))
    return next((name for name in ("allow", "ask") if form.words[DECISIONS[name]] in words), "deny")


DECISIONS = {"allow": Decision.ALLOW, "ask": Decision.PROMPT}


def other_words(value: object) -> list[object]:
    return [word for each in value.values() for word in other_words(each)] if isinstance(value, dict) else [str(value)]


@each("row", ROWS)
def test_each_agent_and_mode(row: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(row, UNKNOWN, monkeypatch) == row["unknown"], row
    objected = said(row, OBJECTED, monkeypatch)
    assert objected in ("ask", "deny") or row["event"] == "PermissionRequest", row
    assert row["unknown"] in ("nothing", objected), row
    closed = said(row, UNKNOWN, monkeypatch, "--on-prompt", "deny")
    assert closed == "deny", row


def test_every_mode_of_a_record_has_a_row() -> None:
    for agent in AGENTS.values():
        for event, form in agent.shapes[0].answers.items():
            modes = {row["mode"] for row in ROWS if (row["agent"], row["event"]) == (agent.name, event)}
            assert modes.issuperset(form.modes), (agent.name, event)


@pytest.mark.parametrize(
    ("user", "machine", "expected"),
    [("agent", "", "nothing"), ("ask", "", "ask"), ("deny", "ask", "deny"), ("agent", "deny", "deny")],
)
def test_the_strictest_setting_counts(
    user: str, machine: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = []
    for name, word in (("user", user), ("machine", machine)):
        if word:
            path = tmp_path / f"{name}.toml"
            path.write_text(f'[hook]\nunknown = "{word}"\n')
            files.append(str(path))
    monkeypatch.setattr(hook_setting, "settings_files", lambda home: files)
    assert said(CLAUDE, UNKNOWN, monkeypatch) == expected
    assert said(CLAUDE, OBJECTED, monkeypatch) == "ask"
    assert said(CLAUDE, "ls", monkeypatch) == "allow"


def test_a_wrong_setting_closes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "execpolicy.toml").write_text('[hook]\nunknown = "allow"\n')
    assert said(CLAUDE, UNKNOWN, monkeypatch) == "ask"


@pytest.mark.parametrize("tool", ["Bash", "mcp__sh__run"])
def test_every_part_of_a_call_counts(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(CLAUDE, UNKNOWN, monkeypatch, tool=tool) == "nothing"
    assert said(CLAUDE, f"{UNKNOWN} && {OBJECTED}", monkeypatch, tool=tool) == "ask"


def test_a_skill_is_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ".claude" / "skills" / "s"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("!`mytool x`\n")
    call = {"hook_event_name": "PreToolUse", "tool_name": "Skill", "tool_input": {"skill": "s"}, "cwd": str(tmp_path)}
    monkeypatch.setattr(other_tools, "runs_unasked", lambda programs: False)
    out = io.StringIO()
    text = json.dumps({**call, "permission_mode": "default"})
    assert run_hook(["claude", "--ignore-rules", "--deadline", "3000"], io.StringIO(text), out, io.StringIO()) == 0
    assert '"ask"' in out.getvalue()


def test_the_page_names_the_modes() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.read_text("utf-8").splitlines()]
    named = {row[0]: row[1] for row in rows if len(row) == 3 and row[0].startswith("`")}
    for agent in AGENTS.values():
        for event, form in agent.shapes[0].answers.items():
            if form.modes:
                words = "".join([f"`{mode}`, " for mode in form.modes]).rstrip(", ")
                assert named[f"`{agent.name}` `{event}`"] == words
            elif form.modeless:
                assert named[f"`{agent.name}` `{event}`"].startswith("any")
