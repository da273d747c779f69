"""One command that an agent wants to run, with everything that the decision depends on."""

from __future__ import annotations

from dataclasses import dataclass

from execpolicy.approvals.ask import AskForApproval, ask_for_approval
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions, SandboxPolicy, sandbox_policy
from execpolicy.validators import argv, folder, member, optional, settle, text


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecRequest:
    """What is asked for. Nothing in it is trusted. Policies may be given by their words.

    Attributes:
        command: argv; a script stands as ``(shell, "-c" | "-lc", script)``.
        cwd: absolute working folder; relative program paths are taken from it.
        home: what ``~`` stands for in a program path.
        sandbox_permissions: ``None`` when the call does not mention them, which Codex tells apart.
        justification: the caller's own words for the person asked.
        prefix_rule: the prefix that the caller would like to be saved; empty for none.
    """

    command: tuple[str, ...]
    approval_policy: AskForApproval = AskForApproval.ON_REQUEST
    sandbox_policy: SandboxPolicy = SandboxPolicy.READ_ONLY
    cwd: str = "/"
    home: str | None = None
    sandbox_permissions: SandboxPermissions | None = None
    justification: str | None = None
    prefix_rule: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        settle(self, command=argv, approval_policy=ask_for_approval, sandbox_policy=sandbox_policy, cwd=folder)
        settle(self, home=optional(folder), sandbox_permissions=optional(member(SandboxPermissions)))
        settle(self, justification=optional(text), prefix_rule=argv)

    @property
    def permissions(self) -> SandboxPermissions:
        """The permissions asked for, the default where none are mentioned."""
        return self.sandbox_permissions or SandboxPermissions.USE_DEFAULT
