"""Approval policies: spelling, settings, Codex's debug form."""

from __future__ import annotations

import pytest

from execpolicy.approvals.requirement import AskForApproval, AskKind, GranularSettings
from execpolicy.errors import UsageError


@pytest.mark.parametrize(
    ("written", "kind", "debug"),
    [
        ("never", AskKind.NEVER, "Never"),
        ("on-failure", AskKind.ON_FAILURE, "OnFailure"),
        ("on-request", AskKind.ON_REQUEST, "OnRequest"),
        ("untrusted", AskKind.UNLESS_TRUSTED, "UnlessTrusted"),
        ("unless-trusted", AskKind.UNLESS_TRUSTED, "UnlessTrusted"),
    ],
)
def test_words(written: str, kind: AskKind, debug: str) -> None:
    policy = AskForApproval.parse(written)
    assert (policy.kind, policy.granular, policy.debug()) == (kind, None, debug)
    assert AskForApproval.parse(policy.to_json()) == policy


def test_granular_settings() -> None:
    policy = AskForApproval.parse(
        {"granular": {"sandbox_approval": False, "rules": True, "mcp_elicitations": True, "skill_approval": True}}
    )
    assert policy.granular == GranularSettings(
        sandbox_approval=False, rules=True, mcp_elicitations=True, skill_approval=True, request_permissions=False
    )
    assert policy.debug() == (
        "Granular(GranularApprovalConfig { sandbox_approval: false, rules: true, skill_approval: true, "
        "request_permissions: false, mcp_elicitations: true })"
    )
    assert AskForApproval.parse(policy.to_json()) == policy


def test_reject_is_the_same_with_the_flags_turned_round() -> None:
    rejecting = {"reject": {"sandbox_approval": True, "rules": False, "mcp_elicitations": True}}
    granular = {"granular": {"sandbox_approval": False, "rules": True, "mcp_elicitations": False}}
    assert AskForApproval.parse(rejecting) == AskForApproval.parse(granular)


@pytest.mark.parametrize(
    "wrong",
    [
        "Never",
        "granular",
        "",
        None,
        7,
        [],
        {},
        {"granular": {}},
        {"granular": {"sandbox_approval": True, "rules": True}},
        {"granular": {"sandbox_approval": 1, "rules": True, "mcp_elicitations": True}},
        {"granular": {"sandbox_approval": True, "rules": True, "mcp_elicitations": True, "other": True}},
        {"granular": None},
        {"granular": {"sandbox_approval": True, "rules": True, "mcp_elicitations": True}, "reject": {}},
    ],
)
def test_what_is_no_policy(wrong: object) -> None:
    with pytest.raises(UsageError):
        AskForApproval.parse(wrong)


def test_settings_belong_to_granular_only() -> None:
    with pytest.raises(UsageError):
        AskForApproval(AskKind.GRANULAR)
    with pytest.raises(UsageError):
        AskForApproval(AskKind.NEVER, GranularSettings(sandbox_approval=True, rules=True, mcp_elicitations=True))
