"""Proposes a prefix that would allow a shell request permanently, and saves it."""

from __future__ import annotations

from collections.abc import Collection

from execpolicy.approvals.ask import AskForApproval
from execpolicy.approvals.default_profile import DEFAULT
from execpolicy.approvals.exec_command import create_exec_approval_requirement_for_command
from execpolicy.approvals.requirement import ExecRequest
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy
from execpolicy.core.quoting import join
from execpolicy.errors import RuleStoreError
from execpolicy.manager.policy_manager import PolicyManager
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.shell_calls import SHELL_TOOLS, NotAShellCall, shell_call
from execpolicy.validators import folder, instance, optional, text, texts


class PolicyKeeper:
    """Saves prefixes with a policy manager.

    Args:
        path: the rule file that they are appended to.
        cwd: the working directory of the child.
    """

    def __init__(
        self,
        manager: PolicyManager,
        path: str,
        *,
        cwd: str,
        home: str | None = None,
        shell_tools: Collection[str] = SHELL_TOOLS,
    ) -> None:
        self._manager: PolicyManager = instance(PolicyManager)(manager, "PolicyKeeper: `manager`")
        self._path = text(path, "PolicyKeeper: `path`")
        self._cwd = folder(cwd, "PolicyKeeper: `cwd`")
        self._home = optional(folder)(home, "PolicyKeeper: `home`")
        self._shell_tools = frozenset(texts(shell_tools, "PolicyKeeper: `shell_tools`"))

    def propose(self, request: ToolRequest, /) -> tuple[str, ...]:
        """The prefix that `run` would offer for the same command; empty if there is none."""
        if request.tool not in self._shell_tools:
            return ()
        try:
            call = shell_call(request.args, cwd=self._cwd)
        except NotAShellCall:
            return ()
        if call.doubts:
            return ()
        command = (call.shell, "-c", call.command) if isinstance(call.command, str) else call.command
        asked = ExecRequest(
            command=command,
            approval_policy=AskForApproval.UNLESS_TRUSTED,
            sandbox_policy=SandboxPolicy.DANGER_FULL_ACCESS,
            cwd=call.cwd,
            home=self._home,
        )
        rulebook = self._manager.current().rulebook
        requirement = create_exec_approval_requirement_for_command(asked, rulebook, profile=DEFAULT)
        offered = requirement.proposed_execpolicy_amendment
        return () if offered is None else offered.prefix

    async def keep(self, prefix: tuple[str, ...], /) -> str:
        """Saves a rule for ``prefix``, effective at once.

        Raises:
            RuleStoreError: it was not saved, or is not effective.
        """
        done = await self._manager.aamend(prefix, path=self._path)
        if done.not_in_force is not None:
            raise RuleStoreError(f"saved in {self._path}, but not in force: {done.not_in_force}")
        return f"from now on `{join(prefix)}` is allowed ({self._path})"
