"""Permission rules for commands that this program runs itself, as the arbiter applies them to an agent's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from execpolicy.approvals.requirement import ExecRequest, Forbidden, NeedsApproval
from execpolicy.core.quoting import join
from execpolicy.permissions.ruleset import PermissionRule
from execpolicy.permissions.tool_use import DoomLoops
from execpolicy.protocol.decisions import Say
from execpolicy.protocol.loop_watch import LoopWatch
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.permission_limits import SHELL, PermissionLimits


class CommandPermissions:
    """Applies permission rules to commands: they deny or ask, but never grant a command.

    Each session needs its own instance, because the third equal call in a row falls under ``doom_loop``.

    Args:
        ruleset: the rules; the last match wins.
        cwd: the base directory of relative paths; paths outside it fall under ``external_directory``.
        loops: the previous calls of the session.
    """

    def __init__(self, ruleset: Sequence[PermissionRule], *, cwd: str, loops: DoomLoops | None = None) -> None:
        self._decider = LoopWatch(PermissionLimits(ruleset, cwd=cwd), ruleset=ruleset, loops=loops)
        self._numbers = count(1)
        self._last: tuple[ExecRequest, Forbidden | NeedsApproval | None] | None = None

    def requirement(self, request: ExecRequest, /) -> Forbidden | NeedsApproval | None:
        """The requirement for ``request``; ``None`` if there is none. The same request object is the same call."""
        if self._last is None or self._last[0] is not request:
            self._last = (request, self._require(request))
        return self._last[1]

    def _require(self, request: ExecRequest) -> Forbidden | NeedsApproval | None:
        args = {"command": list(request.command), "cwd": request.cwd}
        call = ToolRequest(id=str(next(self._numbers)), ts=0, tool=SHELL, args=args, requires_policy=True)
        ruling = self._decider.decide(call)
        if ruling.say is Say.DENY:
            return Forbidden(reason=f"`{join(request.command)}` rejected: {ruling.reason}")
        return NeedsApproval(reason=ruling.reason) if ruling.say is Say.ASK else None
