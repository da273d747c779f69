"""Permission rules as limits of calls and commands that something else grants: they deny or ask, and nothing more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count

from execpolicy.approvals.requirement import ExecRequest, Forbidden, NeedsApproval
from execpolicy.core.quoting import join
from execpolicy.permissions.ruleset import Action, PermissionRule, rules_only
from execpolicy.permissions.tool_names import EXTERNAL_DIRECTORY, folded
from execpolicy.permissions.tool_use import DoomLoops, wildcard_match
from execpolicy.protocol.decisions import LoopWatch, Ruling, Say
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.policy_decider import PolicyDecider
from execpolicy.protocol.shell_calls import SHELL_TOOLS, ShellCall

SHELL = "shell"
"""The name of the tool for a command without one."""
_UNLIMITED = Ruling(say=Say.ALLOW, reason="")
_REST = PermissionRule("*", "*", Action.ALLOW)
"""The rule in front of every ruleset: calls that no other rule mentions are not limited."""


class _NoJudge:
    """A shell judge that limits nothing, because the rules for commands apply elsewhere."""

    def judge(self, call: ShellCall, /) -> Ruling:
        return _UNLIMITED


class PermissionLimits:
    """A decider whose *allow* only means that no permission rule limits the call.

    Args:
        ruleset: the rules; the last match wins.
        cwd: the base directory of relative paths; paths outside it fall under ``external_directory``.
        shell_tools, names: see :class:`PolicyDecider`.
    """

    def __init__(
        self,
        ruleset: Sequence[PermissionRule],
        *,
        cwd: str,
        shell_tools: Collection[str] = SHELL_TOOLS,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._ruleset = rules_only(ruleset)
        self._decider = PolicyDecider(
            _NoJudge(), cwd=cwd, ruleset=(_REST, *self._ruleset), shell_tools=shell_tools, names=names
        )
        self._shell_tools = frozenset(map(folded, shell_tools))

    def decide(self, request: ToolRequest, /) -> Ruling:
        """The ruling of the rules on any request."""
        if folded(request.tool) in self._shell_tools:
            return self._decider.decide(request)
        return self._decider.permission_ruling(request) if self._may_limit(request.tool) else _UNLIMITED

    def _may_limit(self, tool: str) -> bool:
        """True if any rule could deny or ask about a call of ``tool``."""
        names = (*self._decider.names_for(tool).all, EXTERNAL_DIRECTORY)
        minding = [folded(rule.permission) for rule in self._ruleset if rule.action is not Action.ALLOW]
        return any(wildcard_match(name, permission) for permission in minding for name in names)

    def of_command(self, command: str | Sequence[str], *, cwd: str, shell: str = "bash", tool: str = SHELL) -> Ruling:
        """The ruling on a script, or an argv, that one of the shell tools runs in ``cwd``."""
        args = {"command": command if isinstance(command, str) else list(command), "cwd": cwd, "shell": shell}
        return self.decide(ToolRequest(id=SHELL, ts=0, tool=tool, args=args, requires_policy=True))


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
