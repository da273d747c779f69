"""Rules that an administrator reserves for people: no automatic reviewer, no memory, no saved prefix."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from execpolicy.approvals.approval_session import PERSON_NEEDED, ApprovalSession, TurnContext
from execpolicy.approvals.events import ExecApprovalRequestEvent
from execpolicy.approvals.exec_command import decide_exec_command
from execpolicy.approvals.profile import DEFAULT, Profile
from execpolicy.approvals.requirement import AskForApproval, ExecRequest, NeedsApproval
from execpolicy.approvals.review import ApprovedForSession
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy
from execpolicy.approvals.tools.shell_arguments import ToolOutput
from execpolicy.approvals.tools.shell_tool import ShellTool
from execpolicy.codex.profiles import CODEX_0_169
from execpolicy.judge.rulebook import Rulebook
from tests.support.approval_fakes import OpenSandbox, ScriptedReviewer
from tests.support.machine import Machine

OVERLAY = """
[rules]
prefix_rules = [
  { pattern = [{ token = "printf" }], decision = "prompt-user", justification = "production" },
  { pattern = [{ token = "echo" }], decision = "prompt" },
]
"""


@pytest.fixture
def rulebook(tmp_path: Path) -> Rulebook:
    machine = Machine(tmp_path)
    machine.write(machine.system / "requirements.toml", OVERLAY)
    return Rulebook(machine.load().statements)


@pytest.mark.parametrize(
    ("profile", "script", "reason", "human_only"),
    [
        (CODEX_0_169, "printf x", "`/bin/bash -lc 'printf x'` requires human approval: production", True),
        (CODEX_0_169, "echo x && printf x", "`/bin/bash -lc 'echo x && printf x'` requires human approval:", True),
        (CODEX_0_169, "echo x", "`/bin/bash -lc 'echo x'` requires approval by policy", False),
        (DEFAULT, "printf x", "`printf x` needs approval: production (", True),
        (DEFAULT, "echo x && printf x", "`printf x` needs approval: production (", True),
        (DEFAULT, "echo x", "`echo x` needs approval: a rule covers commands starting with `echo` (", False),
    ],
)
def test_the_requirement_says_so(
    rulebook: Rulebook, profile: Profile, script: str, reason: str, human_only: bool
) -> None:
    request = ExecRequest(
        command=("/bin/bash", "-lc", script),
        approval_policy=AskForApproval.ON_REQUEST,
        sandbox_policy=SandboxPolicy.READ_ONLY,
        cwd="/srv",
        home="/home/me",
    )
    requirement = decide_exec_command(request, rulebook, profile=profile)
    assert isinstance(requirement, NeedsApproval)
    assert requirement.human_only is human_only
    assert requirement.reason is not None
    assert requirement.reason.startswith(reason)
    assert requirement.proposed_execpolicy_amendment is None


class _Calls:
    """Calls of the shell tool in one session, answered with "yes, for the session"."""

    def __init__(self, rulebook: Rulebook, cwd: Path, *, automatic: bool) -> None:
        self.reviewer = ScriptedReviewer(ApprovedForSession())
        self.reviewer.automatic = automatic  # type: ignore[attr-defined]  # what a host that is no person says
        self.events: list[Any] = []
        self.session = ApprovalSession(emit=self.events.append, reviewer=self.reviewer)
        sandbox = OpenSandbox(lambda output: False)
        self.tool = ShellTool(session=self.session, sandbox=sandbox, profile=DEFAULT, rules=lambda: rulebook)
        self.context = TurnContext(
            turn=self.session.begin_turn("turn"),
            cwd=str(cwd),
            approval_policy=AskForApproval.UNLESS_TRUSTED,
            sandbox_policy=SandboxPolicy.WORKSPACE_WRITE,
            environ={"PATH": "/usr/bin:/bin"},
        )

    def call(self, *command: str) -> ToolOutput:
        return asyncio.run(self.tool.call({"command": list(command)}, context=self.context, call_id="call"))


def test_an_automatic_reviewer_is_not_asked_and_nothing_runs(rulebook: Rulebook, tmp_path: Path) -> None:
    calls = _Calls(rulebook, tmp_path, automatic=True)
    output = calls.call("printf", "x")
    assert not output.success
    assert PERSON_NEEDED in output.content
    assert calls.reviewer.asked == []
    assert calls.call("echo", "x").success
    assert len(calls.reviewer.asked) == 1


def test_a_person_is_asked_each_time(rulebook: Rulebook, tmp_path: Path) -> None:
    calls = _Calls(rulebook, tmp_path, automatic=False)
    for times in (1, 2):
        assert calls.call("printf", "x").success
        assert len(calls.reviewer.asked) == times
    for _ in range(2):
        assert calls.call("echo", "x").success
        assert len(calls.reviewer.asked) == 3
    events = [event for event in calls.events if isinstance(event, ExecApprovalRequestEvent)]
    assert [event.human_only for event in events] == [True, True, False]
    assert events[0].to_json()["available_decisions"] == ["approved", "denied", "abort"]
    assert events[0].to_json()["human_only"] is True
    assert "human_only" not in events[2].to_json()
