"""What the doctor finds: each thing that opens a gate, one at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from execpolicy.gate.doctor import PROBES, Examination, further_events
from execpolicy.gate.installing import SCOPES, Site, plan_install
from execpolicy.gate.settings_edit import SettingsEdit, hook_names
from execpolicy.hooks.agents import AGENTS


@pytest.fixture
def site(tmp_path: Path) -> Site:
    home, cwd = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    cwd.mkdir()
    programs = tmp_path / "bin"
    programs.mkdir()
    environ = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home)}
    return Site(home=str(home), cwd=str(cwd), environ=environ, root=str(tmp_path / "machine"))


def put_program(site: Site, name: str, text: str) -> None:
    program = Path(site.environ["PATH"].partition(":")[0]) / name
    program.write_text(text)
    program.chmod(0o755)


@pytest.fixture(autouse=True)
def no_calls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls take five seconds: they are left out of what is about something else."""
    if "answers" not in request.node.name:
        monkeypatch.setattr("execpolicy.gate.doctor.probe", lambda *_: [])


def examine(site: Site, name: str) -> dict[str, str]:
    """The health of each check."""
    order = {"ok": 0, "warning": 1, "problem": 2}
    worst: dict[str, str] = {}
    for finding in Examination(site, AGENTS[name]).findings():
        if order[finding.health] >= order[worst.get(finding.check, "ok")]:
            worst[finding.check] = finding.health
    return worst


def change(site: Site, name: str, edit: Callable[[str], str]) -> None:
    path = Path(site.settings_file(AGENTS[name], "user"))
    before = path.read_text()
    after = edit(before)
    assert after != before
    path.write_text(after)


EVENTS = {"claude": ("PreSkillShellCommand",), "codex": ("PermissionRequest",)}
"""The events beside the usual one that are tried with a forbidden command."""


@pytest.mark.parametrize(
    "names", [pytest.param(["claude", "codex"], id="some"), pytest.param([*AGENTS], id="all", marks=pytest.mark.slow)]
)
def test_every_installed_hook_answers_as_it_must(names: list[str], site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("execpolicy.gate.doctor._SLOW", 60)  # how busy this machine is says nothing of the hook
    for name in names:
        plan_install(site, AGENTS[name], "user").install()
    with ThreadPoolExecutor(len(names)) as pool:
        for name, found in zip(names, pool.map(lambda name: examine(site, name), names), strict=True):
            checks = ("settings", *PROBES, *EVENTS.get(name, ()))
            assert {check: found[check] for check in checks} == dict.fromkeys(checks, "ok")
            assert "problem" not in found.values()


def test_every_event_is_tried() -> None:
    assert {name: found for name, agent in AGENTS.items() if (found := tuple(further_events(agent)))} == EVENTS


@pytest.mark.parametrize("options", [("--on-prompt", "deny"), ("--log",), ("--on-prompt", "ask", "--log")])
@pytest.mark.parametrize("name", AGENTS)
def test_options_of_the_hook_are_up_to_the_person_who_installs(site: Site, name: str, options: tuple[str, ...]) -> None:
    plan_install(site, AGENTS[name], "user", options).install()
    assert examine(site, name)["settings"] == "ok"


def test_without_a_hook_there_is_a_problem(site: Site) -> None:
    assert examine(site, "claude") == {"version": "warning", "settings": "problem"}


@pytest.mark.parametrize(
    ("said", "health"),
    [
        ("2.1.332 (Claude Code)", "ok"),
        ("2.1.331 (Claude Code)", "warning"),  # it passes over the event that skills' commands have
        ("2.1.99 (Claude Code)", "warning"),
        ("9.9.9 (Claude Code)", "warning"),
        ("what?", "warning"),
    ],
)
def test_the_version_is_compared(site: Site, said: str, health: str) -> None:
    put_program(site, "claude", f"#!/bin/sh\necho '{said}'\n")
    assert examine(site, "claude")["version"] == health


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace('"*"', '"Bash"'),
        lambda text: text.replace('"timeout": 30', '"timeout": 2'),
        lambda text: text.replace("PreToolUse", "PostToolUse"),
        lambda text: text.replace("PreSkillShellCommand", "PreSkill"),
        lambda text: text.replace('"onFailure": "block"', '"onFailure": "continue"'),
        lambda text: text.replace("-I -S ", ""),
        lambda text: re.sub(r'"command": ".*"', '"command": "execpolicy hook claude"', text),
    ],
    ids=[
        "one tool only",
        "impatient",
        "too late",
        "without skills",
        "open on failure",
        "not isolated",
        "written by hand",
    ],
)
def test_a_hook_that_is_not_as_it_should_be_is_a_problem(site: Site, edit: Callable[[str], str]) -> None:
    plan_install(site, AGENTS["claude"], "user").install()
    change(site, "claude", edit)
    assert examine(site, "claude")["settings"] == "problem"


def test_broken_settings_are_a_problem(site: Site) -> None:
    plan_install(site, AGENTS["claude"], "user").install()
    change(site, "claude", lambda text: text[:-20])
    assert examine(site, "claude")["settings"] == "problem"


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("claude", ".claude/settings.json", '{"disableAllHooks": true}'),
        ("claude", ".claude/settings.local.json", '// off\n{"disableAllHooks": true,}'),
        ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
        ("qwen", ".qwen/settings.json", '{"disableAllHooks": true}'),
        ("copilot", ".github/copilot/settings.json", '{"disableAllHooks": true}'),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
        ("droid", ".factory/settings.local.json", '{"hooksDisabled": true}'),
        ("codex", "../home/.codex/config.toml", "[features]\nhooks = false\n"),
        ("goose", ".config/goose/settings.json", '{"disabledPlugins": ["other", "execpolicy"]}'),
        ("goose", "../home/.config/goose/settings.json", '{"disabledPlugins": ["execpolicy"]}'),
    ],
)
def test_a_project_that_switches_hooks_off_is_a_problem(site: Site, name: str, path: str, text: str) -> None:
    agent = AGENTS[name]
    plan_install(site, agent, "user").install()
    file = Path(site.cwd) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    assert examine(site, name)["switch"] == "problem"
    if agent.place.machine:
        plan_install(site, agent, "machine").install()
        assert examine(site, name)["switch"] == "warning"


@pytest.mark.parametrize("path", [".gemini/settings.json", "../home/.gemini/settings.json"])
def test_a_hook_that_is_switched_off_by_name_is_a_problem(site: Site, path: str) -> None:
    """The lists of all settings are joined, so that those of the machine do not help: that is why it has a name."""
    for scope in SCOPES[:2]:
        plan_install(site, AGENTS["gemini"], scope).install()
    file = Path(site.cwd) / path
    file.parent.mkdir(exist_ok=True)
    edit = SettingsEdit("x", file.read_text() if file.exists() else "{}")
    edit.put(("hooksConfig", "disabled"), ["other"])
    file.write_text(edit.text)
    assert examine(site, "gemini")["switch"] == "ok"
    for scope in SCOPES[:2]:
        (name,) = hook_names(Path(site.settings_file(AGENTS["gemini"], scope)).read_text())
        edit.put(("hooksConfig", "disabled"), ["other", name])
        file.write_text(edit.text)
        assert examine(site, "gemini")["switch"] == "problem"


def test_a_plugin_of_others_may_be_switched_off(site: Site) -> None:
    plan_install(site, AGENTS["goose"], "user").install()
    file = Path(site.cwd) / ".config/goose/settings.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"disabledPlugins": ["other"]}')
    assert examine(site, "goose")["switch"] == "ok"


def test_a_program_that_others_may_change_is_a_warning_for_the_machine(site: Site, tmp_path: Path) -> None:
    plan_install(site, AGENTS["claude"], "machine").install()
    program = tmp_path / "hook_start.py"
    program.touch(0o666)
    program.chmod(0o666)
    path = Path(site.settings_file(AGENTS["claude"], "machine"))
    path.write_text(re.sub(r"[^ ]*hook_start\.py", str(program), path.read_text()))
    assert examine(site, "claude")["files"] == "warning"


def test_variables_of_a_project_are_a_problem(site: Site) -> None:
    plan_install(site, AGENTS["claude"], "user").install()
    file = Path(site.cwd) / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text('{"env": {"LD_PRELOAD": "./x.so", "FOO": "1"}}')
    assert examine(site, "claude")["environment"] == "problem"


def test_a_hook_of_others_is_a_warning(site: Site) -> None:
    path = Path(site.settings_file(AGENTS["gemini"], "user"))
    path.parent.mkdir()
    path.write_text('{"hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "command": "x"}]}]}}')
    plan_install(site, AGENTS["gemini"], "user").install()
    assert examine(site, "gemini")["others"] == "warning"
    plan_install(site, AGENTS["opencode"], "user").install()
    (Path(site.settings_file(AGENTS["opencode"], "user")).parent / "other.ts").write_text("export {}")
    assert examine(site, "opencode")["others"] == "warning"


OTHERS = [
    ("claude", ".claude/settings.local.json", "PreToolUse"),
    ("codex", "~/.codex/config.toml", '[[hooks.PreToolUse]]\nhooks = [{type = "command", command = "x"}]\n'),
    ("codex", ".codex/config.toml", '[[hooks.PermissionRequest]]\nhooks = [{type = "command", command = "x"}]\n'),
    ("codex", ".codex/hooks.json", "PermissionRequest"),
    ("gemini", "~/.gemini/extensions/x/hooks/hooks.json", "BeforeTool"),
    ("copilot", "~/.copilot/hooks/other.json", "preToolUse"),
    ("copilot", ".github/hooks/other.json", "preToolUse"),
    ("copilot", ".github/copilot/settings.json", "preToolUse"),
    ("copilot", ".claude/settings.json", "PreToolUse"),
    ("cursor", ".claude/settings.json", "beforeShellExecution"),
    ("qwen", "~/.qwen/extensions/x/hooks/hooks.json", "PreToolUse"),
    ("droid", ".factory/settings.local.json", "PreToolUse"),
    ("droid", "~/.factory/hooks.json", "PreToolUse"),
    ("cline", ".clinerules/hooks/PreToolUse", "#!/bin/sh\n"),
    ("opencode", "~/.config/opencode/plugins/other.ts", "export {}"),
    ("opencode", ".opencode/plugin/other.js", "export {}"),
    ("opencode", "opencode.json", '{"plugin": ["other"]}'),
    ("kilo", "~/.config/kilo/kilo.jsonc", '{"plugin": ["other"], /* so */}'),
    ("pi", "~/.pi/agent/extensions/other/index.ts", "export {}"),
    ("pi", ".pi/settings.json", '{"packages": ["npm:other"]}'),
    ("goose", "~/.agents/plugins/other/hooks/hooks.json", "PreToolUse"),
    ("windsurf", ".windsurf/hooks.json", "pre_run_command"),
]
"""Agent, file, and what is in it, or the event of a hook in it."""


@pytest.mark.parametrize(("name", "path", "text"), OTHERS)
def test_a_hook_of_others_is_found_wherever_the_agent_looks(site: Site, name: str, path: str, text: str) -> None:
    plan_install(site, AGENTS[name], "user").install()
    assert examine(site, name)["others"] == "ok"
    file = Path(path.replace("~", site.home)) if path.startswith("~") else Path(site.cwd) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    hook = {"matcher": "*", "hooks": [{"type": "command", "command": "x"}]}
    file.write_text(json.dumps({"hooks": {text: [hook], "Stop": []}}) if text.isidentifier() else text)
    assert examine(site, name)["others"] == "warning"
    file.write_text(json.dumps({"hooks": {"Stop": [hook]}}) if text.isidentifier() else "# hook_start.py")
    assert examine(site, name)["others"] == "ok"


ALLOWED = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'
LIARS = {"says nothing": "", "lets everything run": f"print({ALLOWED!r})", "refuses everything": "raise SystemExit(2)"}


@pytest.mark.parametrize("liar", LIARS)
def test_a_hook_that_answers_wrongly_is_a_problem(site: Site, tmp_path: Path, liar: str) -> None:
    plan_install(site, AGENTS["claude"], "user").install()
    program = tmp_path / "hook_start.py"
    program.write_text(LIARS[liar])
    change(site, "claude", lambda text: re.sub(r"[^ ]*hook_start\.py", str(program), text))
    found = examine(site, "claude")
    checks = {*PROBES, *EVENTS["claude"]}
    wrong = {check for check in checks if found[check] == "problem"}
    assert wrong == (checks - {"harmless"} if liar == "lets everything run" else {"harmless"})


APP_SERVER = """#!/usr/bin/env python3
import json, sys
trusted, enabled = {trusted}, {enabled}
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "hooks/list":
        status = "trusted" if trusted else "untrusted"
        command = "/x/hook_start.py codex"
        hooks = [{{"key": "k", "currentHash": "h", "trustStatus": status, "command": command, "enabled": enabled}},
                 {{"key": "o", "currentHash": "o", "trustStatus": "untrusted", "command": "other", "pluginId": "p",
                   "eventName": "preToolUse", "sourcePath": "/plugin"}}]
        print(json.dumps({{"id": message["id"], "result": {{"data": [{{"hooks": hooks}}]}}}}), flush=True)
    elif message.get("method") == "config/batchWrite":
        edits = message["params"]["edits"]
        trusted = edits[0]["value"] == "h"
        enabled = enabled or [edit["value"] for edit in edits[1:]] == [True]
        print(json.dumps({{"id": message["id"], "result": {{}}}}), flush=True)
    elif "id" in message:
        print(json.dumps({{"method": "notice"}}), flush=True)
        print(json.dumps({{"id": message["id"], "result": {{}}}}), flush=True)
"""


@pytest.mark.parametrize(("trusted", "enabled"), [(True, True), (False, True), (True, False), (False, False)])
def test_codex_is_asked_whether_it_starts_the_hook(site: Site, trusted: bool, enabled: bool) -> None:
    from execpolicy.gate.codex_trust import CodexServer

    put_program(site, "codex", APP_SERVER.format(trusted=trusted, enabled=enabled))
    plan_install(site, AGENTS["codex"], "user").install()
    found = examine(site, "codex")
    assert found["trust"] == ("ok" if trusted and enabled else "problem")
    assert found["others"] == "warning"  # the hook of a plugin
    with CodexServer(f"{site.environ['PATH'].partition(':')[0]}/codex", site.cwd, site.environ) as server:
        assert server.trust() == (0 if trusted and enabled else 1)  # and never that of others


def test_a_codex_that_says_nothing_is_a_problem(site: Site) -> None:
    put_program(site, "codex", "#!/bin/sh\nexit 3\n")
    plan_install(site, AGENTS["codex"], "user").install()
    assert examine(site, "codex")["trust"] == "problem"


def test_the_findings_are_json_for_fleets(
    site: Site, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    from execpolicy.cli.main import main

    monkeypatch.setenv("HOME", site.home)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(site.cwd)
    assert main(["doctor", "claude", "--format", "json"]) == 1
    report = json.loads(capfdbinary.readouterr().out)
    assert report["ok"] is False
    assert report["agents"][0]["agent"] == "claude"
    assert {finding["check"]: finding["health"] for finding in report["agents"][0]["findings"]} == {
        "version": "warning",
        "settings": "problem",
    }
    assert main(["doctor"]) == 2  # there is no agent here
