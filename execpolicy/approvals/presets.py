"""The usual pairs of approval policy and sandbox under one name. Source: Codex's approval presets."""

from __future__ import annotations

from dataclasses import dataclass

from execpolicy.approvals.ask import AskForApproval
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy
from execpolicy.validators import instance, settle, text


@dataclass(frozen=True, slots=True)
class ApprovalPreset:
    """A pair that goes together.

    Attributes:
        label, description: for a person who chooses one.
    """

    label: str
    description: str
    approval: AskForApproval
    sandbox: SandboxPolicy

    def __post_init__(self) -> None:
        settle(self, label=text, description=text)
        settle(self, approval=instance(AskForApproval), sandbox=instance(SandboxPolicy))


PRESETS: dict[str, ApprovalPreset] = {
    "read-only": ApprovalPreset(
        "Read only", "reads; asks before it writes or connects", AskForApproval.ON_REQUEST, SandboxPolicy.READ_ONLY
    ),
    "auto": ApprovalPreset(
        "Auto",
        "reads, writes and runs in the workspace; asks before it leaves it or connects",
        AskForApproval.ON_REQUEST,
        SandboxPolicy.WORKSPACE_WRITE,
    ),
    "full-access": ApprovalPreset(
        "Full access",
        "reads, writes and connects anywhere, and asks nobody",
        AskForApproval.NEVER,
        SandboxPolicy.DANGER_FULL_ACCESS,
    ),
}
"""By name."""
