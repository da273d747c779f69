"""Permission rules for commands that this program runs itself, as the arbiter has them for an agent's."""

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
    """What permission rules say about commands: they deny or ask, and never grant one.

    One for each session: the third equal call in a row is a matter of ``doom_loop``.

    Args:
        ruleset: last match wins.
        cwd: the folder that paths are relative to; what lies outside of it is a matter of ``external_directory``.
        loops: the calls of the session so far.
    """

    def __init__(self, ruleset: Sequence[PermissionRule], *, cwd: str, loops: DoomLoops | None = None) -> None:
        self._decider = LoopWatch(PermissionLimits(ruleset, cwd=cwd), ruleset=ruleset, loops=loops)
        self._numbers = count(1)
        self._last: tuple[ExecRequest, Forbidden | NeedsApproval | None] | None = None

    def requirement(self, request: ExecRequest, /) -> Forbidden | NeedsApproval | None:
        """What they require of ``request``; ``None`` if nothing. The same request object is the same call."""
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
