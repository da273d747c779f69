"""The settings that apply to all calls of one turn."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from execpolicy.approvals.ask import AskForApproval, ask_for_approval
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy, sandbox_policy
from execpolicy.approvals.tools.shell_arguments import ShellEnvironmentPolicy
from execpolicy.approvals.turn import Turn
from execpolicy.validators import flag, folder, instance, optional, settle, variables


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """The settings of a turn. Policies may be given by their words.

    Attributes:
        cwd: absolute; a call's ``workdir`` is relative to it.
        home: the value of ``~`` in program paths.
        environ: the host's variables, which ``environment`` selects from.
        dependency_env: variables merged last, regardless of ``environment``.
        request_rule: true if a call may ask to save a prefix (``prefix_rule``).
        additional_permissions: true if a call may use ``with_additional_permissions``.
    """

    turn: Turn
    cwd: str
    approval_policy: AskForApproval
    sandbox_policy: SandboxPolicy
    home: str | None = None
    environment: ShellEnvironmentPolicy = field(default_factory=ShellEnvironmentPolicy)
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    dependency_env: Mapping[str, str] = field(default_factory=dict)
    request_rule: bool = False
    additional_permissions: bool = False

    def __post_init__(self) -> None:
        settle(self, turn=instance(Turn), cwd=folder, approval_policy=ask_for_approval, sandbox_policy=sandbox_policy)
        settle(self, home=optional(folder), environment=instance(ShellEnvironmentPolicy), environ=variables)
        settle(self, dependency_env=variables, request_rule=flag, additional_permissions=flag)

    def resolve(self, path: str | None) -> str:
        """``path`` relative to the turn's working directory; that directory for ``None`` and the empty string."""
        return os.path.normpath(os.path.join(self.cwd, path)) if path else self.cwd
