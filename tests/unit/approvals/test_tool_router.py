"""Calls by the name of their tool; what the model is told; scripts in a terminal; presets."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from execpolicy.approvals.approval_session import ApprovalSession, TurnContext
from execpolicy.approvals.profile import DEFAULT, PRESETS
from execpolicy.approvals.requirement import AskForApproval
from execpolicy.approvals.review import ApprovedForSession, Denied
from execpolicy.approvals.sandbox.bubblewrap import BubblewrapSandbox
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy
from execpolicy.approvals.tools.shell_arguments import ToolOutput
from execpolicy.approvals.tools.shell_tool import ShellTool, ShellType, ToolRouter, tool_specs
from execpolicy.errors import UsageError
from execpolicy.judge.rulebook import Rulebook
from tests.support.approval_fakes import OpenSandbox, ScriptedReviewer


class _Agent:
    """Calls tools by name."""

    def __init__(self, cwd: Path, shell_type: str, *, sandbox: Any = None, **router: Any) -> None:
        self.reviewer = ScriptedReviewer(lambda event: Denied() if event.retry else ApprovedForSession())
        self.session = ApprovalSession(emit=lambda event: None, reviewer=self.reviewer)
        tool = ShellTool(
            session=self.session,
            sandbox=OpenSandbox() if sandbox is None else sandbox,
            profile=DEFAULT,
            rules=lambda: Rulebook(()),
        )
        self.router = ToolRouter(tool, shell_type=shell_type, **router)
        self.context = TurnContext(
            turn=self.session.begin_turn("turn"),
            cwd=str(cwd),
            approval_policy=AskForApproval.UNLESS_TRUSTED,
            sandbox_policy=SandboxPolicy.WORKSPACE_WRITE,
            environ={"PATH": "/usr/bin:/bin"},
        )

    def call(self, name: str, **arguments: Any) -> ToolOutput:
        return asyncio.run(self.router.call(name, arguments, context=self.context, call_id="call"))

    def said(self, name: str, **arguments: Any) -> str:
        output = self.call(name, **arguments)
        assert output.success, output
        return str(json.loads(output.content)["output"])


@pytest.mark.parametrize("shell_type", ["default", "local", "unified_exec"])
@pytest.mark.parametrize("name", ["shell", "container.exec", "local_shell"])
def test_the_older_names_work_with_every_type(tmp_path: Path, shell_type: str, name: str) -> None:
    (tmp_path / "sub").mkdir()
    folder = {"working_directory": "sub"} if name == "local_shell" else {"workdir": "sub"}
    assert _Agent(tmp_path, shell_type).said(name, command=["pwd"], **folder) == f"{tmp_path}/sub\n"


@pytest.mark.parametrize(
    ("shell_type", "name"),
    [("disabled", "shell"), ("default", "exec_command"), ("default", "apply_patch"), ("default", "write_stdin")],
)
def test_other_calls_run_nothing(tmp_path: Path, shell_type: str, name: str) -> None:
    agent = _Agent(tmp_path, shell_type)
    assert agent.call(name, command=["touch", "made"], cmd="touch made").content == f"unsupported call: {name}"
    assert (list(tmp_path.iterdir()), agent.reviewer.asked) == ([], [])


def test_a_wrong_type_is_said() -> None:
    with pytest.raises(UsageError, match="shell_type"):
        ToolRouter(_Agent(Path("/"), "default").router._tool, shell_type="fish")


def test_exec_command_runs_scripts_and_a_terminal_makes_another_key(tmp_path: Path) -> None:
    agent = _Agent(tmp_path, "unified_exec")
    script = "test -t 1 && echo terminal || echo none"
    assert agent.said("exec_command", cmd=script, login=False) == "none\n"
    assert agent.said("exec_command", cmd=script, login=False) == "none\n"
    assert len(agent.reviewer.asked) == 1
    assert agent.said("exec_command", cmd=script, login=False, tty=True) == "terminal\r\n"
    assert len(agent.reviewer.asked) == 2
    assert agent.reviewer.asked[1].command == ("bash", "-c", script)
    agent.said("shell", command=["bash", "-c", script])
    assert len(agent.reviewer.asked) == 3  # another tool, another key


def test_the_status_and_the_errors_of_exec_command(tmp_path: Path) -> None:
    agent = _Agent(tmp_path, "unified_exec")
    for tty in (False, True):
        output = agent.call("exec_command", cmd="exit 7", tty=tty)
        assert json.loads(output.content)["metadata"]["exit_code"] == 7
        late = agent.call("exec_command", cmd="sleep 60", tty=tty, timeout_ms=200)
        assert "timed out" in late.content
    for arguments, message in [
        ({}, "missing field `cmd`"),
        ({"cmd": ["ls"]}, "`cmd` must be a string"),
        ({"cmd": "ls", "tty": "yes"}, "`tty` must be true or false"),
        ({"cmd": "ls", "workdir": "a", "working_directory": "b"}, "differ"),
    ]:
        assert message in agent.call("exec_command", **arguments).content


@pytest.mark.skipif(BubblewrapSandbox().problem() is not None, reason="commands cannot be confined here")
def test_a_terminal_inside_the_sandbox(tmp_path: Path) -> None:
    agent = _Agent(tmp_path, "unified_exec", sandbox=BubblewrapSandbox())
    said = agent.said("exec_command", cmd="test -t 0 && test -t 1 && echo x > made && cat made", login=False, tty=True)
    assert said == "x\r\n"
    assert agent.call("exec_command", cmd="echo x > /var/tmp/execpolicy-test", tty=True).content == "rejected by user"
    assert not Path("/var/tmp/execpolicy-test").exists()


def test_the_model_is_told_about_the_tool_of_the_type() -> None:
    assert tool_specs(ShellType.DISABLED) == ()
    assert tool_specs(ShellType.LOCAL) == ({"type": "local_shell"},)
    (shell,) = tool_specs(ShellType.DEFAULT)
    assert (shell["name"], shell["parameters"]["required"]) == ("shell", ["command"])
    assert sorted(shell["parameters"]["properties"]) == [
        "command",
        "justification",
        "sandbox_permissions",
        "timeout_ms",
        "workdir",
    ]
    script, stdin = tool_specs(ShellType.UNIFIED_EXEC, request_rule=True)
    assert (stdin["name"], stdin["parameters"]["required"]) == ("write_stdin", ["session_id"])
    assert (script["name"], script["parameters"]["required"]) == ("exec_command", ["cmd"])
    assert {"tty", "login", "shell", "prefix_rule"} <= set(script["parameters"]["properties"])
    assert _Agent(Path("/"), "unified_exec", request_rule=True).router.specs() == (script, stdin)


def test_presets_are_the_usual_pairs() -> None:
    pairs = {name: (preset.approval, preset.sandbox) for name, preset in PRESETS.items()}
    assert pairs == {
        "read-only": (AskForApproval.ON_REQUEST, SandboxPolicy.READ_ONLY),
        "auto": (AskForApproval.ON_REQUEST, SandboxPolicy.WORKSPACE_WRITE),
        "full-access": (AskForApproval.NEVER, SandboxPolicy.DANGER_FULL_ACCESS),
    }
