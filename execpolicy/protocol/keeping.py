"""Offers a prefix that would allow a shell request for good, and saves it."""

from __future__ import annotations

from collections.abc import Collection

from execpolicy.amend.save_plan import outcome, plan
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join
from execpolicy.errors import RuleStoreError
from execpolicy.given import folder, instance, optional, text, texts
from execpolicy.judge.reading import read_command
from execpolicy.judge.situation import Situation
from execpolicy.manager.policy_manager import PolicyManager
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.shell_calls import SHELL_TOOLS, NotAShellCall, shell_call


class PolicyKeeper:
    """Saves prefixes with a policy manager.

    Args:
        path: the rule file that they are appended to.
        cwd: the folder that the child works in.
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
        self._home = optional(text)(home, "PolicyKeeper: `home`")
        self._shell_tools = frozenset(texts(shell_tools, "PolicyKeeper: `shell_tools`"))

    def propose(self, request: ToolRequest, /) -> tuple[str, ...]:
        """The one prefix that, saved, allows exactly this request; empty if one rule cannot do that."""
        if request.tool not in self._shell_tools:
            return ()
        try:
            call = shell_call(request.args, cwd=self._cwd)
        except NotAShellCall:
            return ()
        if call.doubts:
            return ()
        rulebook = self._manager.current().rulebook
        situation = Situation(call.cwd, home=self._home)
        script = read_command(call.command, shell=call.shell)
        found = plan(script, rulebook, situation)
        if len(found.proposals) != 1:
            return ()
        for prefix in (found.proposals[0].reusable, found.proposals[0].exact):
            if prefix and outcome(script, [prefix], rulebook, situation).decision is Decision.ALLOW:
                return prefix
        return ()

    async def keep(self, prefix: tuple[str, ...], /) -> str:
        """Save a rule for ``prefix``, in force at once.

        Raises:
            RuleStoreError: it was not saved, or is not in force.
        """
        done = await self._manager.aamend(prefix, path=self._path)
        if done.not_in_force is not None:
            raise RuleStoreError(f"saved in {self._path}, but not in force: {done.not_in_force}")
        return f"from now on `{join(prefix)}` is allowed ({self._path})"
