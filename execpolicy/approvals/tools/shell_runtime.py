"""Runs commands for the orchestrator: asks through the session, confines through the sandbox, keeps streams open."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from execpolicy.approvals.approval_session import ApprovalSession, Turn
from execpolicy.approvals.approval_store import retry_keys, shell_keys, unified_exec_keys
from execpolicy.approvals.events import ExecBeginEvent, ExecEndEvent
from execpolicy.approvals.exec_command import create_exec_approval_requirement_for_command
from execpolicy.approvals.network import NetworkApproval, NetworkProxy, no_proxy_hosts
from execpolicy.approvals.orchestrator import Attempt, QuestionContext, SandboxDeniedError, ToolRejectedError
from execpolicy.approvals.parsed_command import parse_command
from execpolicy.approvals.profile import Profile
from execpolicy.approvals.requirement import NOTHING_REQUIRED, ExecApprovalRequirement, ExecRequest, stricter
from execpolicy.approvals.review import ReviewDecision
from execpolicy.approvals.sandbox.bubblewrap import Confined, Sandbox
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions, sandbox_in_words
from execpolicy.approvals.tools import tty_entry
from execpolicy.approvals.tools.process import BoundedOutput, ExecOutput, Streams, run_process
from execpolicy.core.policy import Policy
from execpolicy.core.rules import NetworkRule
from execpolicy.flow.facts import Facts
from execpolicy.judge.reading import read_command
from execpolicy.programs.builtin_effects import builtin_effects
from execpolicy.programs.catalog import facts_of, record_of, runners
from execpolicy.programs.unwrap import unwrap
from execpolicy.safe_open import out_of_reach
from execpolicy.shell.script import Command, Script
from execpolicy.validators import Checked, function, instance, optional, port

_HARMLESS = frozenset({"cd", "exported"})
"""Effects of builtins that do not change how the next lines are parsed, nor the programs of the shell itself."""
_DEEPEST = 4


def relevant_input(opened: Sequence[str], kept: str, typed: str) -> str:
    """The part of ``kept`` and ``typed`` that affects the meaning of the next input.

    A whole line is dropped if it only starts programs that remove or touch the files they name: a child process does
    not change its shell. All else is kept:

    - assignments and functions;
    - unfinished lines;
    - programs that may read the next input themselves;
    - programs that write text to a file, which may be executed.

    Args:
        opened: the argv of the started command, with ``kept`` and ``typed`` as its input.
    """
    whole = kept + typed
    start = max(kept.rfind("\n"), kept.rfind("\r")) + 1
    if not whole.endswith(("\n", "\r")) or whole[:-1].endswith("\\"):
        return whole
    text = whole.replace("\r", "\n")
    script = _read_by(opened, text)
    if script is None or script.status == "opaque" or script.functions:
        return whole
    # The earlier text must be whole by itself: the new lines could end its quote or here-document.
    first = read_command(text[:start], shell=script.shell)
    before, lines = script.commands[: len(first.commands)], script.commands[len(first.commands) :]
    if (text[:start].strip() and first.status == "opaque") or not lines or text[:start].endswith("\\\n"):
        return whole
    facts = facts_of(script)
    settled = not facts.effects and all(_keeps_the_shell(command, facts) for command in before)
    return whole[:start] if settled and all(_is_over(command, facts) for command in lines) else whole


def _keeps_the_shell(command: Command, facts: Facts) -> bool:
    """True if the shell itself reads the next input, in the same way as before."""
    if command.words and command.words[0].literal in (None, *runners()):
        return False
    return all(effect.kind in _HARMLESS for effect in builtin_effects(command, facts))


def _is_over(command: Command, facts: Facts) -> bool:
    """True if ``command`` is a child process that reads no input, starts no process and leaves no text."""
    argv = command.plain_argv
    if command.context or command.assignments or command.redirects or not argv or builtin_effects(command, facts):
        return False
    name = argv[0].rpartition("/")[2]
    record = record_of(name)
    if record is None or record.writes != "all" or record.prints or name in runners():
        return False
    return name != "rm" or _never_prompts(argv)


def _never_prompts(argv: Sequence[str]) -> bool:
    """True if ``rm`` runs without a prompt. Otherwise the next input would be its answer and not a line of the shell.

    Options after the first operand may be operands (POSIX). Of ``-f``, ``-i`` and ``-I`` the last one counts.
    """
    silent = False
    for word in argv[1:]:
        if word[:1] != "-" or word in ("-", "--"):
            break
        if word[:2] == "--":
            silent = "--force".startswith(word) or (silent and not "--interactive".startswith(word.partition("=")[0]))
        else:
            silent = next((letter == "f" for letter in reversed(word) if letter in "fiI"), silent)
    return silent


def _read_by(opened: Sequence[str], text: str) -> Script | None:
    """``text`` as parsed by the started shell that reads it as input; ``None`` if there is none."""
    facts = facts_of(read_command(tuple(opened)))
    for script in _inner(facts, facts.script.commands, 0):
        if script.text.rstrip("\n") == text.rstrip("\n"):
            return script
    return None


def _inner(facts: Facts, commands: Sequence[Command], depth: int) -> Iterator[Script]:
    for command in commands if depth < _DEEPEST else ():
        for inner in unwrap(command, facts):
            if inner.script is not None:
                yield inner.script
            elif inner.command is not None:
                yield from _inner(facts, (inner.command,), depth + 1)


MAX_INPUT = 4096
"""The limit in bytes for one input; a pipe takes this many bytes whole or not at all."""
_MAX_OUTPUT = 1 << 20


class LiveCommand:
    """The input and output of one open command. It must be used from one event loop.

    Attributes:
        streams: the streams that the command is started with.
        started: set when the command is about to run.
        attempt: how the command runs; ``None`` before it starts.
    """

    def __init__(self) -> None:
        read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._said = BoundedOutput(0, _MAX_OUTPUT)
        self.streams = Streams(stdin=read, forward=lambda number, block: self._said.add(block))
        self.started = asyncio.Event()
        self.attempt: Attempt | None = None
        self._closed = False

    def begins(self, attempt: Attempt) -> None:
        """Note that the command is about to run as ``attempt``."""
        self.attempt = attempt
        self.started.set()

    def send(self, text: str) -> None:
        """Send ``text``, whole or not at all.

        Raises:
            OSError: the text is too long, the command has not read the earlier input, or it has ended.
        """
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > MAX_INPUT:
            raise OSError(f"more than {MAX_INPUT} bytes at once")
        if self._closed:
            raise BrokenPipeError("the command is over")
        os.write(self._write, data)

    def fetch(self) -> str:
        """The output since the last call; if it is very long, only its end."""
        return self._said.fetch()

    def close(self) -> None:
        """Close the streams after the command has ended."""
        if not self._closed:
            self._closed = True
            os.close(self._write)
            os.close(self.streams.stdin)


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
        decision: ReviewDecision = await self._session.request_command_approval(
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
            keys=keys,
        )
        return decision

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
            return await self._process(request, Confined(command), attempt)
        policy = attempt.sandbox.opened(self._session.store.granted())
        if policy.proxied:
            own = no_proxy_hosts(self._network_rules())
            request = replace(request, env={**request.env, "NO_PROXY": own, "no_proxy": own})
        with self._sandbox.confine(command, policy=policy, cwd=cwd, env=request.env) as confined:
            proxy = None if confined.network is None else self._proxy(request, confined.network)
            try:
                output = await self._process(request, confined, attempt)
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

    async def _process(self, request: ShellRequest, confined: Confined, attempt: Attempt) -> ExecOutput:
        emit, command, cwd = self._session.emit, request.exec.command, request.exec.cwd
        ids = {"call_id": request.call_id, "turn_id": request.turn.id}
        emit(
            ExecBeginEvent(
                **ids,
                command=command,
                cwd=cwd,
                sandboxed=attempt.sandbox is not None,
                reason=attempt.reason,
                parsed_cmd=parse_command(command),
            )
        )
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
