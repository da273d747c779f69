"""The command that ``install`` writes, started as agents start it, wherever and with whatever around it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from execpolicy.gate.settings_edit import HookProgram
from execpolicy.hooks.agents import AGENTS
from tests.support.running import run_captured

pytestmark = pytest.mark.slow

SHELLS = [
    shell for shell in ("/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/usr/bin/fish") if os.path.exists(shell)
]
LIES = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'
LIAR = f"import os, sys\nos.write(1, {LIES!r}.encode())\nos.write(2, b'LIED')\nos._exit(0)\n"


class Said(NamedTuple):
    """What a hook said."""

    status: int
    out: str
    err: str

    @property
    def word(self) -> str:
        """The decision; empty if it said none."""
        answer = json.loads(self.out) if self.out.strip() else {}
        return str(answer.get("hookSpecificOutput", {}).get("permissionDecision", ""))


class Gate:
    """The installed command of Claude Code's hook, and a project in which it is started."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.project.mkdir()
        rules = self.home / ".config/execpolicy/rules"
        rules.mkdir(parents=True)
        (rules / "mine.rules").write_text('prefix_rule(pattern=["make"], decision="forbidden")\n')
        self.command = HookProgram(agent=AGENTS["claude"], pinned={"HOME": str(self.home)}).shell

    def ask(self, command: str = "make", *, shell: str = "/bin/sh", line: str | None = None, **environ: str) -> Said:
        """The answer for ``command``."""
        call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
        done = run_captured(
            [shell, "-c", line or self.command],
            input=json.dumps({**call, "cwd": str(self.project)}),
            cwd=self.project,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.home), **environ},
            timeout=60,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def spoilt(self, text: str) -> str:
        """The command with another program in the place of ours."""
        program = self.project.parent / "hook_start.py"
        program.write_text(text)
        ours = next(word for word in HookProgram(agent=AGENTS["claude"], pinned={}).argv if "hook_start" in word)
        return self.command.replace(ours, str(program))


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_starts_it(gate: Gate, shell: str) -> None:
    assert gate.ask(shell=shell).word == "deny"
    assert gate.ask("pwd", shell=shell).word == "allow"
    assert gate.ask("unknown-program", shell=shell).word == "ask"
    assert gate.ask(shell=shell, line=gate.spoilt("raise SystemExit(1)")).status == 2


NAMES = [
    "sitecustomize",
    "usercustomize",
    "execpolicy",
    "os",
    "json",
    "marshal",
    "signal",
    "_signal",
    "click",
    "site",
    "pwd",
    "starlark",
]


@pytest.mark.parametrize(
    "variable", ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX"]
)
@pytest.mark.parametrize("relative", [True, False])
def test_variables_of_python_have_no_say(gate: Gate, variable: str, relative: bool) -> None:
    for name in NAMES:
        (gate.project / f"{name}.py").write_text(LIAR)
    library = gate.project / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    library.mkdir(parents=True)
    for folder in (library, library.parent):
        (folder / "sitecustomize.py").write_text(LIAR)
        (folder / "evil.pth").write_text("import sitecustomize\n")
    value = "." if relative else str(gate.project)
    if variable == "PYTHONSTARTUP":
        value = "sitecustomize.py" if relative else str(gate.project / "sitecustomize.py")
    said = gate.ask(**{variable: value})
    assert said.word == "deny"
    assert "LIED" not in said.err


def test_modules_of_the_working_folder_have_no_say(gate: Gate) -> None:
    for name in NAMES:
        (gate.project / name).mkdir()
        (gate.project / name / "__init__.py").write_text(LIAR)
        (gate.project / f"{name}.py").write_text(LIAR)
    assert gate.ask().word == "deny"
    assert gate.ask("pwd").word == "allow"


@pytest.mark.parametrize(
    "name", ["PYTHONINSPECT", "PYTHONOPTIMIZE", "PYTHONDONTWRITEBYTECODE", "PYTHONWARNINGS", "PYTHONBREAKPOINT"]
)
def test_switches_of_python_change_nothing(gate: Gate, name: str) -> None:
    assert gate.ask(**{name: "2" if name == "PYTHONOPTIMIZE" else "error"}).word == "deny"


@pytest.mark.parametrize("name", ["HOME", "EXECPOLICY_HOME", "CODEX_HOME", "XDG_CONFIG_HOME", "EXECPOLICY_CACHE"])
def test_variables_of_an_agent_do_not_lead_to_other_rules(gate: Gate, name: str) -> None:
    other = gate.project / "other"
    for rules in (other / "rules", other / ".config/execpolicy/rules", other / ".codex/rules"):
        rules.mkdir(parents=True)
        (rules / "theirs.rules").write_text('prefix_rule(pattern=["unknown-program"], decision="allow")\n')
    assert gate.ask(**{name: str(other)}).word == "deny"
    assert gate.ask("unknown-program", **{name: str(other)}).word == "ask"


def test_programs_on_the_path_have_no_say(gate: Gate) -> None:
    for name in ("sh", "python", "python3", "execpolicy", "printf", "echo", "env"):
        program = gate.project / name
        program.write_text(f"#!/bin/sh\necho '{LIES}'\n")
        program.chmod(0o755)
    assert gate.ask(PATH=f"{gate.project}:/usr/bin:/bin").word == "deny"


FAILURES = {
    "exits with 1": "raise SystemExit(1)",
    "crashes": "import os; os.kill(os.getpid(), 11)",
    "is killed": "import os; os.kill(os.getpid(), 9)",
    "raises": "raise OSError(28, 'No space left on device')",
    "says nothing": "",
    "says half of it": "print('{\"permission')",
    "warns first": f"print('Warning: old')\nprint({LIES!r})",
    "is no Python": "prefix_rule(",
}


@pytest.mark.parametrize("name", FAILURES)
def test_whatever_fails_refuses_with_a_message(gate: Gate, name: str) -> None:
    said = gate.ask("pwd", line=gate.spoilt(FAILURES[name]))
    assert said.status == 2
    assert "execpolicy failed, so this call is refused" in said.err
    assert said.out == ""


def test_what_was_removed_refuses(gate: Gate, tmp_path: Path) -> None:
    for gone in (sys.executable, "hook_start.py"):
        said = gate.ask("pwd", line=gate.command.replace(gone, "gone"))
        assert (said.status, said.out) == (2, "")
        assert "execpolicy failed" in said.err


def test_a_package_that_was_removed_refuses(gate: Gate, tmp_path: Path) -> None:
    """The start is there, what it loads is not: an update that broke off."""
    start = tmp_path / "site-packages" / "execpolicy" / "cli" / "hook_start.py"
    start.parent.mkdir(parents=True)
    ours = next(word for word in HookProgram(agent=AGENTS["claude"], pinned={}).argv if "hook_start" in word)
    text = Path(ours).read_text()
    start.write_text(text.replace("-packages", "-nowhere"))
    assert gate.ask("pwd", line=gate.command.replace(ours, str(start))).status == 2


@pytest.mark.parametrize("stream", [">&-", "> /dev/full", "< /dev/null", "<&-"])
def test_closed_and_full_streams_refuse(gate: Gate, stream: str) -> None:
    said = gate.ask("pwd", line=f"( {gate.command} ) {stream}")
    if said.status != 2:
        assert said.word == "ask"
    else:
        assert said.err


def test_nothing_to_say_is_said(gate: Gate) -> None:
    call = {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "x"}}
    done = run_captured(["/bin/sh", "-c", gate.command], input=json.dumps(call))
    assert (done.returncode, json.loads(done.stdout)) == (0, {})


def test_a_call_that_never_ends_is_answered_in_time(gate: Gate) -> None:
    child = subprocess.Popen(["/bin/sh", "-c", gate.command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write('{"hook_event_name": "PreToolUse", ')
    child.stdin.flush()
    assert child.wait(15) == 0
    assert json.loads(child.stdout.read())["hookSpecificOutput"]["permissionDecision"] == "ask"
    child.stdin.close()
    child.stdout.close()


def test_where_no_handler_runs_the_process_is_ended(tmp_path: Path) -> None:
    """Code that never returns to Python: the last alarm ends it, and the shell refuses."""
    text = Path(
        next(word for word in HookProgram(agent=AGENTS["claude"], pinned={}).argv if "hook_start" in word)
    ).read_text()
    program = tmp_path / "hook_start.py"
    program.write_text(
        text.replace("_PATIENCE = 12", "_PATIENCE = 1").replace(
            "    for name in list(", "    while True:\n        hash('x')\n    for name in list("
        )
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(program), "claude"], stdin=subprocess.DEVNULL, timeout=120, check=False
    )
    assert done.returncode < 0


def test_the_script_of_cline_cancels(gate: Gate, tmp_path: Path) -> None:
    program = HookProgram(agent=AGENTS["cline"], pinned={"HOME": str(gate.home)})
    script = tmp_path / "PreToolUse"
    for text, cancels in ((program.script, False), (program.script.replace("hook_start.py", "gone.py"), True)):
        script.write_text(text)
        script.chmod(0o755)
        call = {"hookName": "tool_call", "tool_call": {"name": "run_commands", "input": {"commands": ["pwd"]}}}
        done = run_captured([script], input=json.dumps(call))
        assert json.loads(done.stdout).get("cancel", False) is cancels


@pytest.mark.skipif(shutil.which("node") is None, reason="it runs in node")
@pytest.mark.parametrize("name", ["opencode", "pi"])
@pytest.mark.parametrize("failure", [None, *FAILURES, "gone"])
def test_modules_throw_where_the_hook_fails(gate: Gate, tmp_path: Path, name: str, failure: str | None) -> None:
    from execpolicy.gate.installing import Site, plan_install

    site = Site(home=str(gate.home), cwd=str(gate.project), environ={})
    plan_install(site, AGENTS[name], "user").install()
    text = Path(site.settings_file(AGENTS[name], "user")).read_text()
    if failure is not None:
        bad = tmp_path / "bad" / "hook_start.py"
        bad.parent.mkdir()
        if failure != "gone":
            bad.write_text(FAILURES[failure])
        ours = next(word for word in HookProgram(agent=AGENTS[name], pinned={}).argv if "hook_start" in word)
        text = text.replace(ours, str(bad))
    if name == "pi":  # types are all that is not JavaScript in it
        for types in (": { decision?: string; reason: string }", ": object", ": string", ": any"):
            text = text.replace(types, "")
    (tmp_path / "module.mjs").write_text(text)
    driver = OPENCODE_DRIVER if name == "opencode" else PI_DRIVER
    (tmp_path / "driver.mjs").write_text(driver)
    done = run_captured(["node", "driver.mjs"], cwd=tmp_path, timeout=60)
    expected = ["ran", "blocked", "blocked", "ran"] if failure is None else ["blocked"] * 4
    assert done.stdout.split() == expected, done.stderr


OPENCODE_DRIVER = """
import { ExecPolicy } from "./module.mjs"
const hooks = await ExecPolicy({ client: {}, directory: process.cwd() })
const calls = [["bash", "pwd"], ["bash", "make"], ["bash", "unknown-program"], ["read", undefined]]
for (const [tool, command] of calls) {
  try {
    await hooks["tool.execute.before"]({ tool, callID: "1" }, { args: { command } })
    console.log("ran")
  } catch { console.log("blocked") }
}
"""
PI_DRIVER = """
import start from "./module.mjs"
let handler
start({ on: (_, given) => { handler = given } })
const calls = [["bash", "pwd"], ["bash", "make"], ["bash", "unknown-program"], ["read", undefined]]
for (const [toolName, command] of calls) {
  const answer = await handler({ toolName, input: { command } }, { cwd: process.cwd(), hasUI: false })
  console.log(answer?.block ? "blocked" : "ran")
}
"""
