"""The ``shell`` tool: runs an agent's call and returns its output; the router of calls and the tool specifications.

Source: Codex's tool specifications (``shell``, ``local_shell``, ``exec_command``) and its ``shell_type``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from execpolicy.approvals.approval_session import ApprovalSession, CommandRules, TurnContext
from execpolicy.approvals.exec_command import refuse_call, required_by_permissions
from execpolicy.approvals.orchestrator import (
    Request,
    Result,
    SandboxDeniedError,
    ToolOrchestrator,
    ToolRejectedError,
    ToolRuntime,
)
from execpolicy.approvals.patch import PatchCall, PatchError, intercept_apply_patch, parse_patch, plan_patch
from execpolicy.approvals.profile import Profile
from execpolicy.approvals.requirement import ExecRequest
from execpolicy.approvals.sandbox.bubblewrap import PROTECTED, Sandbox, protected_paths, writable_roots
from execpolicy.approvals.sandbox.sandboxing import own_paths
from execpolicy.approvals.tools.patch_runtime import PatchRequest, PatchRuntime
from execpolicy.approvals.tools.process import ExecOutput, Streams
from execpolicy.approvals.tools.shell_arguments import (
    ShellToolCallParams,
    ToolOutput,
    WriteStdinParams,
    create_env,
    exec_envelope,
    live_envelope,
)
from execpolicy.approvals.tools.shell_runtime import ShellRequest, ShellRuntime
from execpolicy.approvals.tools.shell_sessions import InputRequest, InputRuntime, ShellSession, ShellSessions
from execpolicy.core.decision import Decision
from execpolicy.errors import UsageError
from execpolicy.judge.judge import ask_unless_safe
from execpolicy.validators import OneOf, flag, instance, member, optional, port

SHELL_TOOL_NAMES = ("shell", "container.exec", "local_shell")
"""The names under which an agent may call the tool; the last two are for old prompts."""


class ShellTool:
    """Runs commands for one session.

    Args:
        rules: returns the effective rules (a policy or rulebook, as the profile expects).
        streams: connects commands to the host's own streams; without them input is empty and output is only kept.
        permissions: permission rules for commands and patches, in addition to the rules.
    """

    def __init__(
        self,
        *,
        session: ApprovalSession,
        sandbox: Sandbox,
        profile: Profile,
        rules: Callable[[], object],
        streams: Streams | None = None,
        permissions: CommandRules | None = None,
    ) -> None:
        self._permissions = optional(port("requirement"))(permissions, "ShellTool: `permissions`")
        self._profile = instance(Profile)(profile, "ShellTool: `profile`")
        self._session = session
        self._streams = streams
        self._shell = ShellRuntime(session=session, sandbox=sandbox, profile=profile, rules=rules, streams=streams)
        self._patches = PatchRuntime(session=session)
        self._orchestrator = ToolOrchestrator(profile)
        self._sessions = ShellSessions(orchestrator=self._orchestrator, runtime=self._shell)
        self._inputs = InputRuntime(session=session, profile=profile, runtime=self._shell, permissions=permissions)

    async def call(self, arguments: str | dict[str, Any], *, context: TurnContext, call_id: str) -> ToolOutput:
        """Run a call and return its output. Invalid, refused and failed calls return an output too.

        Raises:
            TurnAbortedError: a person stopped the turn.
        """
        return await self._called(lambda: ShellToolCallParams.parse(arguments), context, call_id)

    async def exec_command(self, arguments: str | dict[str, Any], *, context: TurnContext, call_id: str) -> ToolOutput:
        """Run a call of ``exec_command`` and return its output, as :meth:`call`: a script, in a terminal or not.

        With ``yield_time_ms`` it may stay open, until it ends or :meth:`close` ends it.

        Raises:
            TurnAbortedError: a person stopped the turn.
        """
        argv_of = self._profile.argv_of
        return await self._called(lambda: ShellToolCallParams.parse_script(arguments, argv_of), context, call_id)

    async def _called(self, parse: Callable[[], ShellToolCallParams], context: TurnContext, call_id: str) -> ToolOutput:
        try:
            parsed = parse()
            request = self._request(parsed, context)
            patch = self._patch_in(request, context)
            if patch is not None:
                return await self._patch(patch, request, context, call_id)
            return await self._command(request, parsed, context, call_id)
        except ToolRejectedError as rejected:
            return ToolOutput(content=rejected.reason, success=False)
        except (UsageError, PatchError) as error:
            return ToolOutput(content=str(error), success=False)

    async def write_stdin(self, arguments: str | dict[str, Any], *, context: TurnContext, call_id: str) -> ToolOutput:
        """Run a call of ``write_stdin`` and return its output. The text for an open command is judged as commands.

        Raises:
            TurnAbortedError: a person stopped the turn.
        """
        try:
            parsed = WriteStdinParams.parse(arguments)
            session = self._sessions.get(parsed.session_id)
            if parsed.chars and not session.request.tty:
                raise ToolRejectedError("stdin is closed for this session; rerun exec_command with tty=true")
            asked = replace(
                session.with_text(parsed.chars),
                approval_policy=context.approval_policy,
                sandbox_policy=context.sandbox_policy,
            )
            sending = InputRequest(session=session, chars=parsed.chars, call_id=call_id, turn=context.turn, asked=asked)
            await self._run(self._inputs, sending, context)
            await self._sessions.wait(session, parsed.yield_time_ms / 1000)
            return await self._output_of(session)
        except ToolRejectedError as rejected:
            return ToolOutput(content=f"write_stdin rejected: {rejected.reason}", success=False)
        except UsageError as error:
            return ToolOutput(content=str(error), success=False)

    async def close(self) -> None:
        """End the commands that are still open."""
        await self._sessions.close()

    async def _output_of(self, session: ShellSession) -> ToolOutput:
        """The output of an open command, or its result.

        Raises:
            ToolRejectedError, TurnAbortedError: as for a command that runs to its end.
        """
        if not session.running.done():
            return live_envelope(session.live.fetch(), session.seconds, session.id)
        try:
            done = (await session.running).output
        except SandboxDeniedError as denied:
            done = denied.output
        return exec_envelope(replace(done, text=session.live.fetch()))

    async def perform(
        self, request: ExecRequest, timeout: float | None, context: TurnContext, call_id: str
    ) -> ExecOutput:
        """Apply a patch or run a command, for hosts without tool arguments of an agent.

        Args:
            timeout: seconds; ``None`` for no limit.

        Raises:
            ToolRejectedError, SandboxDeniedError, TurnAbortedError: as for :meth:`execute`.
        """
        patch = self._patch_in(request, context)
        if patch is None:
            return await self.execute(request, timeout, context, call_id)
        try:
            done = await self._patch(patch, request, context, call_id)
        except PatchError as error:
            raise ToolRejectedError(str(error)) from error
        if self._streams is not None:
            self._streams.forward(1, f"{done.content}\n".encode("utf-8", "surrogateescape"))
        return ExecOutput(exit_code=0, text=done.content, omitted=0, seconds=0.0, timed_out=False)

    def is_mutating(self, arguments: str | dict[str, Any], *, context: TurnContext) -> bool:
        """True if the call may change something; false if the heuristics consider every command safe.

        For hosts that run calls in parallel; it does not decide about the call. An invalid call may change something.
        """
        try:
            request = self._request(ShellToolCallParams.parse(arguments), context)
            assessment = self._profile.assessor(request, self._shell.rules(), ask_unless_safe)
        except UsageError:
            return True
        safe = all(command.opinion == "safe" for command in assessment.commands)
        return not (safe and assessment.commands and assessment.decision is Decision.ALLOW)

    async def _command(
        self, request: ExecRequest, parsed: ShellToolCallParams, context: TurnContext, call_id: str
    ) -> ToolOutput:
        try:
            if parsed.yield_time_ms is not None:
                opening = self._shell_request(request, None, context, call_id, parsed.tty)
                return await self._output_of(await self._sessions.start(opening, wait_s=parsed.yield_time_ms / 1000))
            done = await self.execute(request, parsed.timeout_ms / 1000, context, call_id, tty=parsed.tty)
            return exec_envelope(done)
        except SandboxDeniedError as denied:
            return exec_envelope(denied.output)
        except ToolRejectedError as rejected:
            return ToolOutput(content=self._profile.rejection(rejected.reason), success=False)

    async def execute(
        self,
        request: ExecRequest,
        timeout: float | None,
        context: TurnContext,
        call_id: str,
        *,
        tty: bool | None = None,
    ) -> ExecOutput:
        """Decide about ``request``, ask, run and retry as needed. ``timeout`` is in seconds.

        Args:
            tty: run it in its own terminal; ``None`` for a tool without this option.

        Raises:
            ToolRejectedError: it is not run.
            SandboxDeniedError: the sandbox blocked it and no retry was permitted.
            TurnAbortedError: a person stopped the turn.
        """
        return await self._run(self._shell, self._shell_request(request, timeout, context, call_id, tty), context)

    async def _run(self, tool: ToolRuntime[Request, Result], request: Request, context: TurnContext) -> Result:
        """Run ``request`` under the policies of the turn."""
        turn, policy, sandbox = context.turn, context.approval_policy, context.sandbox_policy
        return (await self._orchestrator.run(tool, request, turn=turn, policy=policy, sandbox=sandbox)).output

    def _shell_request(
        self, request: ExecRequest, timeout: float | None, context: TurnContext, call_id: str, tty: bool | None
    ) -> ShellRequest:
        return ShellRequest(
            call_id=call_id,
            turn=context.turn,
            exec=request,
            timeout=timeout,
            env=create_env(context.environment, context.environ, extra=context.dependency_env),
            tty=tty,
            required=required_by_permissions(self._permissions, request, profile=self._profile),
        )

    def _request(self, parsed: ShellToolCallParams, context: TurnContext) -> ExecRequest:
        return ExecRequest(
            command=parsed.command,
            approval_policy=context.approval_policy,
            sandbox_policy=context.sandbox_policy,
            cwd=context.resolve(parsed.workdir),
            home=context.home,
            sandbox_permissions=parsed.sandbox_permissions,
            justification=parsed.justification,
            prefix_rule=parsed.prefix_rule if context.request_rule else (),
        )

    def _patch_in(self, request: ExecRequest, context: TurnContext) -> PatchCall | None:
        """The patch that ``request`` applies, if it is one; raises if the call itself is refused."""
        refusal = refuse_call(request, profile=self._profile, additional_permissions=context.additional_permissions)
        if refusal is not None:
            raise ToolRejectedError(refusal)
        return intercept_apply_patch(request.command, cwd=request.cwd)

    async def _patch(self, call: PatchCall, asked: ExecRequest, context: TurnContext, call_id: str) -> ToolOutput:
        if not call.explicit:
            raise PatchError('patch detected without explicit call to apply_patch. Rerun as ["apply_patch", "<patch>"]')
        try:
            plan = plan_patch(parse_patch(call.patch), cwd=call.cwd)
        except PatchError as error:
            raise PatchError(f"apply_patch verification failed: {error}") from error
        sandbox = context.sandbox_policy.opened(self._session.store.granted())
        roots = writable_roots(sandbox, cwd=context.cwd, env=context.environ)
        request = PatchRequest(
            call_id=call_id,
            turn=context.turn,
            plan=plan,
            policy=self._profile.effective(context.approval_policy),
            sandbox=context.sandbox_policy,
            roots=roots,
            protected=_protected_paths(roots),
            home=context.home,
            required=required_by_permissions(self._permissions, asked, profile=self._profile),
        )
        return ToolOutput(content=await self._run(self._patches, request, context), success=True)


def _protected_paths(roots: tuple[str, ...]) -> tuple[str, ...]:
    """The paths inside ``roots`` that a patch may not write, with links resolved, even links without a target."""
    paths = [os.path.join(root, name) for root in roots for name in PROTECTED]
    paths += [path for root in roots for path in protected_paths(root)]
    paths += own_paths()
    return tuple(dict.fromkeys([os.path.realpath(path) for path in paths]))


class ShellType(OneOf):
    """The kind of tool that runs commands."""

    DEFAULT = "default"
    """``shell``: an argv."""
    LOCAL = "local"
    """``local_shell``: the argv tool that some models know without a specification."""
    UNIFIED_EXEC = "unified_exec"
    """``exec_command``: a script, optionally in a terminal."""
    DISABLED = "disabled"


def tool_specs(shell_type: ShellType, *, request_rule: bool = False) -> tuple[dict[str, Any], ...]:
    """The tool specifications for the model, as JSON objects; ``request_rule`` permits ``prefix_rule`` in calls."""
    shell_type = member(ShellType)(shell_type, "`shell_type`")
    flag(request_rule, "`request_rule`")
    with open(os.path.join(os.path.dirname(__file__), "specs.json"), encoding="utf-8") as file:
        specs: list[dict[str, Any]] = json.load(file)[shell_type]
    if not request_rule:
        for spec in specs:
            spec.get("parameters", {"properties": {}})["properties"].pop("prefix_rule", None)
    return tuple(specs)


EXEC_COMMAND, WRITE_STDIN = "exec_command", "write_stdin"


class ToolRouter:
    """Routes calls to the tools of a session that run commands.

    Args:
        shell_type: the kind that the model sees. Older names work with every kind except *disabled*.
        request_rule: calls may ask to save a prefix.
    """

    def __init__(
        self, tool: ShellTool, *, shell_type: ShellType | str = ShellType.DEFAULT, request_rule: bool = False
    ) -> None:
        self._tool: ShellTool = instance(ShellTool)(tool, "ToolRouter: `tool`")
        self.shell_type: ShellType = member(ShellType)(shell_type, "ToolRouter: `shell_type`")
        self._request_rule = flag(request_rule, "ToolRouter: `request_rule`")

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a call may use."""
        if self.shell_type is ShellType.DISABLED:
            return ()
        more = (EXEC_COMMAND, WRITE_STDIN) if self.shell_type is ShellType.UNIFIED_EXEC else ()
        return (*SHELL_TOOL_NAMES, *more)

    def specs(self) -> tuple[dict[str, Any], ...]:
        """The tool specifications for the model."""
        return tool_specs(self.shell_type, request_rule=self._request_rule)

    async def call(
        self, name: str, arguments: str | dict[str, Any], *, context: TurnContext, call_id: str
    ) -> ToolOutput:
        """Call the tool ``name`` and return its output. An unknown name runs nothing.

        Raises:
            TurnAbortedError: a person stopped the turn.
        """
        if name not in self.names:
            return ToolOutput(content=f"unsupported call: {name}", success=False)
        calls = {EXEC_COMMAND: self._tool.exec_command, WRITE_STDIN: self._tool.write_stdin}
        return await calls.get(name, self._tool.call)(arguments, context=context, call_id=call_id)
