"""What a pack allows runs in the sandbox: no entry lets a command out of it, as an allow rule does."""

import shlex

import pytest

from execpolicy.approvals.exec_command import decide_exec_command
from execpolicy.approvals.requirement import ExecApprovalRequirement, ExecRequest, NeedsApproval, Skip
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions, SandboxPolicy
from execpolicy.codex.profiles import profile_named
from execpolicy.insight.starters import PACK_SAMPLES, packs
from tests.support.each import each
from tests.support.judging import rulebook


@pytest.fixture(scope="module")
def texts() -> str:
    return "\n".join(pack.text for pack in packs())


def decided(command: str, text: str, *, leaves: bool) -> ExecApprovalRequirement:
    request = ExecRequest(
        command=tuple(shlex.split(command)),
        sandbox_policy=SandboxPolicy.WORKSPACE_WRITE,
        cwd="/srv/project",
        sandbox_permissions=SandboxPermissions.REQUIRE_ESCALATED if leaves else None,
    )
    return decide_exec_command(request, rulebook(text), profile=profile_named("default"))


@each("command", [samples[0] for name, samples in PACK_SAMPLES.items() if name != "disaster"])
def test_a_pack_runs_its_commands_inside(command: str, texts: str) -> None:
    inside = decided(command, texts, leaves=False)
    assert isinstance(inside, Skip)
    assert not inside.bypass_sandbox
    assert isinstance(decided(command, texts, leaves=True), NeedsApproval)


def test_an_allow_rule_lets_them_out(texts: str) -> None:
    rule = '\nprefix_rule(pattern=["cargo", "test"])'
    outside = decided("cargo test", texts + rule, leaves=False)
    assert isinstance(outside, Skip)
    assert outside.bypass_sandbox
