"""Runs commands for the orchestrator: asks through the session, confines through the sandbox."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from execpolicy.approvals.approval_store import shell_keys, with_cached_approval
from execpolicy.approvals.events import ExecBeginEvent, ExecEndEvent
from execpolicy.approvals.exec_command import create_exec_approval_requirement_for_command
from execpolicy.approvals.outcomes import SandboxDeniedError, ToolRejectedError
from execpolicy.approvals.parsed_command import parse_command
from execpolicy.approvals.process import run_process
from execpolicy.approvals.sandboxing import SandboxPermissions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from execpolicy.approvals.approval_session import ApprovalSession, Turn
    from execpolicy.approvals.bubblewrap import Sandbox
    from execpolicy.approvals.exec_request import ExecRequest
    from execpolicy.approvals.orchestrator import Attempt, QuestionContext
    from execpolicy.approvals.process import ExecOutput, Streams
    from execpolicy.approvals.profile import Profile
    from execpolicy.approvals.requirement import ExecApprovalRequirement
    from execpolicy.approvals.review import ReviewDecision


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellRequest:
    """A command, ready to be decided and run.

    Attributes:
        timeout: seconds; ``None`` for no limit.
        env: the whole environment of the command.
    """

    call_id: str
    turn: Turn
    exec: ExecRequest
    timeout: float | None
    env: Mapping[str, str]


class ShellRuntime:
    """The commands of one session.

    Args:
        rules: gives the rules in force, asked anew for every request: they may have been amended meanwhile.
        streams: connects commands to the host's own streams; without them input is empty and output is only kept.
    """

    escalates_on_failure = True

    def __init__(
        self,
        *,
        session: ApprovalSession,
        sandbox: Sandbox,
        profile: Profile,
        rules: Callable[[], object],
        streams: Streams | None = None,
    ) -> None:
        self._streams = streams
        self._session = session
        self._sandbox = sandbox
        self._profile = profile
        self._rules = rules

    def rules(self) -> object:
        """The rules in force now."""
        return self._rules()

    def approval_requirement(self, request: ShellRequest) -> ExecApprovalRequirement:
        """What rules and heuristics require."""
        return create_exec_approval_requirement_for_command(request.exec, self._rules(), profile=self._profile)

    def leaves_sandbox(self, request: ShellRequest) -> bool:
        """Whether the call asked to be escalated."""
        return request.exec.permissions is SandboxPermissions.REQUIRE_ESCALATED

    async def ask(self, request: ShellRequest, context: QuestionContext) -> ReviewDecision:
        """Ask, unless exactly this was approved for the session. The reason falls back to the call's justification."""
        reason = context.reason if context.reason is not None else request.exec.justification
        keys = shell_keys(request.exec, remembered_as=self._profile.remembered_as)
        return await with_cached_approval(
            self._session.store,
            () if context.human_only else keys,
            lambda: self._session.request_command_approval(
                turn=request.turn,
                call_id=request.call_id,
                command=request.exec.command,
                cwd=request.exec.cwd,
                reason=reason,
                proposed_amendment=context.proposed_amendment,
                human_only=context.human_only,
            ),
        )

    async def run(self, request: ShellRequest, attempt: Attempt) -> ExecOutput:
        """Run the command, confined if ``attempt`` says so.

        Raises:
            SandboxDeniedError: it failed, and what it said looks like the sandbox.
            SandboxUnavailableError: it must be confined and cannot be.
            ToolRejectedError: it could not be started.
        """
        command, cwd = request.exec.command, request.exec.cwd
        if not os.path.isdir(cwd):
            raise ToolRejectedError(f"the working folder `{cwd}` does not exist")
        if "/" not in command[0] and shutil.which(command[0], path=request.env.get("PATH", os.defpath)) is None:
            raise ToolRejectedError(f"`{command[0]}` could not be started: there is no such program in PATH")
        if attempt.sandbox is None:
            return await self._process(request, command, (), sandboxed=False)
        with self._sandbox.confine(command, policy=attempt.sandbox, cwd=cwd, env=request.env) as confined:
            output = await self._process(request, tuple(confined.argv), confined.fds, sandboxed=True)
        if self._sandbox.denied(output):
            raise SandboxDeniedError(output)
        return output

    async def _process(
        self, request: ShellRequest, argv: tuple[str, ...], fds: tuple[int, ...], *, sandboxed: bool
    ) -> ExecOutput:
        emit, command, cwd = self._session.emit, request.exec.command, request.exec.cwd
        ids = {"call_id": request.call_id, "turn_id": request.turn.id}
        emit(ExecBeginEvent(**ids, command=command, cwd=cwd, sandboxed=sandboxed, parsed_cmd=parse_command(command)))
        output: ExecOutput | None = None
        try:
            output = await run_process(
                argv, cwd=cwd, env=request.env, timeout=request.timeout, fds=fds, streams=self._streams
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
