"""Runs commands for the orchestrator: asks through the session, confines through the sandbox."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from execpolicy.approvals.approval_session import ApprovalSession
from execpolicy.approvals.approval_store import retry_keys, shell_keys, unified_exec_keys, with_cached_approval
from execpolicy.approvals.events import ExecBeginEvent, ExecEndEvent
from execpolicy.approvals.exec_command import create_exec_approval_requirement_for_command
from execpolicy.approvals.network.network_approval import NetworkApproval, no_proxy_hosts
from execpolicy.approvals.network.network_proxy import NetworkProxy
from execpolicy.approvals.orchestrator import Attempt, QuestionContext, SandboxDeniedError, ToolRejectedError
from execpolicy.approvals.parsed_command import parse_command
from execpolicy.approvals.profile import Profile
from execpolicy.approvals.requirement import NOTHING_REQUIRED, ExecApprovalRequirement, ExecRequest, stricter
from execpolicy.approvals.review import ReviewDecision
from execpolicy.approvals.sandbox.bubblewrap import Confined, Sandbox
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions, sandbox_in_words
from execpolicy.approvals.tools import tty_entry
from execpolicy.approvals.tools.live_command import LiveCommand
from execpolicy.approvals.tools.process import ExecOutput, Streams, run_process
from execpolicy.approvals.turn import Turn
from execpolicy.core.policy import Policy
from execpolicy.core.rules import NetworkRule
from execpolicy.safe_open import out_of_reach
from execpolicy.validators import Checked, function, instance, optional, port


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellRequest(Checked):
    """A command, ready to be decided and run.

    Attributes:
        timeout: seconds; ``None`` for no limit.
        env: the whole environment of the command.
        tty: true if the call requests a terminal; ``None`` for a tool without this option.
        required: a further requirement, in addition to rules and heuristics.
        live: the input and output of a command that stays open; ``None`` for one that runs to its end.
    """

    call_id: str
    turn: Turn
    exec: ExecRequest
    timeout: float | None
    env: Mapping[str, str]
    tty: bool | None = None
    required: ExecApprovalRequirement = NOTHING_REQUIRED
    live: LiveCommand | None = None


class ShellRuntime:
    """Runs the commands of one session.

    Args:
        rules: returns the effective rules; called for every request, since they may have been amended.
        streams: connects commands to the host's own streams; without them input is empty and output is only kept.
    """

    escalate_on_failure = True

    def __init__(
        self,
        *,
        session: ApprovalSession,
        sandbox: Sandbox,
        profile: Profile,
        rules: Callable[[], object],
        streams: Streams | None = None,
    ) -> None:
        self._streams = optional(instance(Streams))(streams, "ShellRuntime: `streams`")
        self._session = instance(ApprovalSession)(session, "ShellRuntime: `session`")
        self._sandbox = port("confine", "denied")(sandbox, "ShellRuntime: `sandbox`")
        self._profile = instance(Profile)(profile, "ShellRuntime: `profile`")
        self._rules = function(rules, "ShellRuntime: `rules`")

    def rules(self) -> object:
        """The effective rules."""
        return self._rules()

    def exec_approval_requirement(self, request: ShellRequest) -> ExecApprovalRequirement:
        """The requirement of rules and heuristics, combined with the further requirement of the request."""
        own = create_exec_approval_requirement_for_command(request.exec, self._rules(), profile=self._profile)
        return stricter(own, request.required)

    def leaves_sandbox(self, request: ShellRequest) -> bool:
        """True if the call requests escalation."""
        return request.exec.permissions is SandboxPermissions.REQUIRE_ESCALATED

    async def start_approval_async(self, request: ShellRequest, context: QuestionContext) -> ReviewDecision:
        """Ask, unless the same request was approved for the session. The default reason is the call's justification."""
        justification, remembered_as = request.exec.justification, self._profile.remembered_as
        said = None if justification is None else f"the agent says: {justification}"
        if request.tty is None:
            keys = shell_keys(request.exec, remembered_as=remembered_as)
        else:
            keys = unified_exec_keys(request.exec, tty=request.tty, remembered_as=remembered_as)
        if context.retry:
            keys = retry_keys(keys)
        return await with_cached_approval(
            self._session.store,
            () if context.human_only else keys,
            lambda: self._session.request_command_approval(
                turn=request.turn,
                call_id=request.call_id,
                command=request.exec.command,
                cwd=request.exec.cwd,
                reason=justification if context.reason is None else context.reason,
                proposed_execpolicy_amendment=context.proposed_execpolicy_amendment,
                human_only=context.human_only,
                sandbox=sandbox_in_words(context.attempt.sandbox, retries_unasked=context.retries_unasked),
                retry=context.retry,
                told=tuple([line for line in (context.reason, said) if line is not None]),
            ),
        )

    async def run(self, request: ShellRequest, attempt: Attempt) -> ExecOutput:
        """Run the command, confined if ``attempt`` says so.

        Raises:
            SandboxDeniedError: it failed, and its output suggests that the sandbox blocked it.
            SandboxUnavailableError: it must be confined and cannot be.
            ToolRejectedError: it could not be started.
        """
        command, cwd = request.exec.command, request.exec.cwd
        if not os.path.isdir(cwd):
            reason = out_of_reach(cwd)
            what = f"cannot be looked at: {reason}" if reason else "does not exist"
            raise ToolRejectedError(f"the working folder `{cwd}` {what}")
        if "/" not in command[0] and shutil.which(command[0], path=request.env.get("PATH", os.defpath)) is None:
            raise ToolRejectedError(f"`{command[0]}` could not be started: there is no such program in PATH")
        if request.live is not None:
            request.live.begins(attempt)
        if request.tty:
            command = (sys.executable, "-I", "-S", tty_entry.__file__, *command)
        if attempt.sandbox is None:
            return await self._process(request, Confined(command), sandboxed=False)
        policy = attempt.sandbox.opened(self._session.store.granted())
        if policy.proxied:
            own = no_proxy_hosts(self._network_rules())
            request = replace(request, env={**request.env, "NO_PROXY": own, "no_proxy": own})
        with self._sandbox.confine(command, policy=policy, cwd=cwd, env=request.env) as confined:
            proxy = None if confined.network is None else self._proxy(request, confined.network)
            try:
                output = await self._process(request, confined, sandboxed=True)
            finally:
                if proxy is not None:
                    await proxy.close()
        if self._sandbox.denied(output):
            raise SandboxDeniedError(output)
        return output

    def _proxy(self, request: ShellRequest, network: socket.socket) -> NetworkProxy:
        """The proxy of a command whose connections need permission from the network rules or a person."""
        approval = NetworkApproval(
            request=request.exec,
            session=self._session,
            turn=request.turn,
            call_id=request.call_id,
            rules=self._network_rules,
            policy=self._profile.effective(request.exec.approval_policy),
        )
        return NetworkProxy(network, approval.why_not)

    def _network_rules(self) -> Sequence[NetworkRule]:
        rules = self.rules()
        policy = rules if isinstance(rules, Policy) else getattr(rules, "policy", None)
        return () if policy is None else policy.network_rules

    async def _process(self, request: ShellRequest, confined: Confined, *, sandboxed: bool) -> ExecOutput:
        emit, command, cwd = self._session.emit, request.exec.command, request.exec.cwd
        ids = {"call_id": request.call_id, "turn_id": request.turn.id}
        emit(ExecBeginEvent(**ids, command=command, cwd=cwd, sandboxed=sandboxed, parsed_cmd=parse_command(command)))
        output: ExecOutput | None = None
        streams = self._streams if request.live is None else request.live.streams
        try:
            output = await run_process(
                confined.argv,
                cwd=cwd,
                env=request.env,
                timeout=request.timeout,
                fds=confined.fds,
                reserved=confined.reserved,
                streams=streams,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise ToolRejectedError(f"`{command[0]}` could not be started: {reason}") from error
        finally:
            emit(
                ExecEndEvent(
                    **ids,
                    exit_code=-1 if output is None else output.exit_code,
                    seconds=0.0 if output is None else output.seconds,
                    timed_out=output is not None and output.timed_out,
                )
            )
        return output
