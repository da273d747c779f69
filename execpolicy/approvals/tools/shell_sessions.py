"""Manages commands that stay open and the text that is sent to them.

Text for a running shell consists of commands. It is judged as the started command with its input as a here-document.
"""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, replace
from itertools import count
from typing import ClassVar

from execpolicy.approvals.approval_session import ApprovalSession, CommandRules, Turn
from execpolicy.approvals.approval_store import ApprovalKey
from execpolicy.approvals.events import TerminalInteractionEvent
from execpolicy.approvals.exec_command import (
    create_exec_approval_requirement_for_command,
    fallback_for,
    required_by_permissions,
)
from execpolicy.approvals.orchestrator import Attempt, QuestionContext, RunOutcome, ToolOrchestrator, ToolRejectedError
from execpolicy.approvals.profile import Profile
from execpolicy.approvals.requirement import (
    ExecApprovalRequirement,
    ExecRequest,
    Forbidden,
    NeedsApproval,
    Skip,
    stricter,
)
from execpolicy.approvals.review import ReviewDecision
from execpolicy.approvals.tools.process import ExecOutput
from execpolicy.approvals.tools.shell_runtime import LiveCommand, ShellRequest, ShellRuntime, relevant_input
from execpolicy.core.decision import Decision

MOST_SESSIONS = 16
"""The limit of commands that are open at once."""
INTERRUPT, END_OF_INPUT = "\x03", "\x04"

_OUTSIDE = "Send input to an existing terminal. This terminal was launched outside the sandbox: nothing confines it"
_KEYS = "it holds keys that edit, complete or repeat what is typed: something else may run"
_EDITS = re.compile(r"[^\n\r\x20\x22-\x5d\x5f-\x7e\xa0-\U0010ffff]")
"""Control characters, and ``!`` and ``^``, which a shell at a terminal expands from its history."""


@dataclass(slots=True)
class ShellSession:
    """A command that is open.

    Attributes:
        sent: the text sent to it, without lines that cannot affect the meaning of the next ones.
    """

    id: int
    request: ShellRequest
    live: LiveCommand
    running: asyncio.Task[RunOutcome[ExecOutput]]
    since: float
    sent: str = ""

    @property
    def seconds(self) -> float:
        """Seconds since the command was started."""
        return time.monotonic() - self.since

    @property
    def confined(self) -> bool:
        """True if the command runs in a sandbox."""
        return self.live.attempt is not None and self.live.attempt.sandbox is not None

    def take(self, chars: str) -> None:
        """Record that ``chars`` was sent."""
        self.sent = relevant_input(self.with_text(chars).command, self.sent, chars)

    def with_text(self, chars: str) -> ExecRequest:
        """The command with the sent text, followed by ``chars``, as its here-document."""
        asked = self.request.exec
        text = (self.sent + chars).replace("\r", "\n")
        mark = "END"
        while mark in text:
            mark += "_"
        script = f"{{ {asked.command[-1]}\n}} <<'{mark}'\n{text}\n{mark}\n"
        return replace(asked, command=(*asked.command[:-1], script), justification=None, prefix_rule=())


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRequest:
    """Text for an open command.

    Attributes:
        asked: the command with this input, under the policies of the turn in which it is sent.
    """

    session: ShellSession
    chars: str
    call_id: str
    turn: Turn
    asked: ExecRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRuntime:
    """Runs ``write_stdin`` for the orchestrator."""

    escalate_on_failure: ClassVar[bool] = False

    session: ApprovalSession
    profile: Profile
    runtime: ShellRuntime
    permissions: CommandRules | None = None

    def exec_approval_requirement(self, request: InputRequest) -> ExecApprovalRequirement:
        """The requirement of rules, heuristics and permissions for the command with this input."""
        chars, session = request.chars, request.session
        outside = not session.confined and request.asked.sandbox_policy.confined
        if chars in ("", INTERRUPT) or (chars == END_OF_INPUT and not outside):
            return Skip()
        found: ExecApprovalRequirement = Skip()
        if self.profile.judges_input:
            found = self._judged(request, outside)
        return stricter(found, NeedsApproval(reason=_OUTSIDE)) if outside and not _bypasses(found) else found

    def _judged(self, request: InputRequest, outside: bool) -> ExecApprovalRequirement:
        asked = request.asked
        found = create_exec_approval_requirement_for_command(asked, self.runtime.rules(), profile=self.profile)
        if _EDITS.search(request.chars) and request.chars != END_OF_INPUT:
            unknown = fallback_for(asked, profile=self.profile)("unknown")
            doubt = NeedsApproval(reason=_KEYS) if unknown is Decision.PROMPT else Skip()
            found = stricter(found, doubt) if not _bypasses(found) else doubt
        found = stricter(found, required_by_permissions(self.permissions, asked, profile=self.profile))
        if isinstance(found, NeedsApproval):  # a rule for the text would be one for the whole here-document
            return replace(found, proposed_execpolicy_amendment=None)
        return found

    def leaves_sandbox(self, request: InputRequest) -> bool:
        """Always false: the input goes to the place where the command runs."""
        return False

    async def start_approval_async(self, request: InputRequest, context: QuestionContext) -> ReviewDecision:
        """Ask, unless the same text to the same command was approved for the session."""
        key = ApprovalKey.of({"kind": "write_stdin", "session": request.session.id, "chars": request.chars})
        return await self.session.request_command_approval(
            turn=request.turn,
            call_id=request.call_id,
            command=("write_stdin", "--session-id", str(request.session.id), request.chars),
            cwd=request.asked.cwd,
            reason=context.reason,
            human_only=context.human_only,
            keys=(key,),
        )

    async def run(self, request: InputRequest, attempt: Attempt) -> None:
        """Send the input.

        Raises:
            ToolRejectedError: the command has ended, or does not read its input.
        """
        session = request.session
        if not request.chars:
            return
        self.session.emit(
            TerminalInteractionEvent(
                call_id=request.call_id, turn_id=request.turn.id, session_id=session.id, stdin=request.chars
            )
        )
        if request.chars not in (INTERRUPT, END_OF_INPUT):
            session.take(request.chars)
        try:
            session.live.send(request.chars)
        except OSError as error:
            raise ToolRejectedError(f"write_stdin failed: {error.strerror or error}") from error


def _bypasses(requirement: ExecApprovalRequirement) -> bool:
    """True if rules allow it without a sandbox, or it is forbidden."""
    return isinstance(requirement, Forbidden) or (isinstance(requirement, Skip) and requirement.bypass_sandbox)


class ShellSessions:
    """The open commands of a tool."""

    def __init__(self, *, orchestrator: ToolOrchestrator, runtime: ShellRuntime) -> None:
        self._orchestrator = orchestrator
        self._runtime = runtime
        self._open: dict[int, ShellSession] = {}
        self._numbers = count(1)

    async def start(self, request: ShellRequest, *, wait_s: float) -> ShellSession:
        """Decide about ``request``, ask if needed, start it, and return after ``wait_s`` seconds.

        Raises:
            ToolRejectedError, SandboxDeniedError, TurnAbortedError: as for a command that runs to its end.
        """
        if len(self._open) >= MOST_SESSIONS:
            raise ToolRejectedError(f"{MOST_SESSIONS} commands are open already; end one first")
        live = LiveCommand()
        request = replace(request, live=live, timeout=None)
        asked = request.exec
        running = asyncio.ensure_future(
            self._orchestrator.run(
                self._runtime, request, turn=request.turn, policy=asked.approval_policy, sandbox=asked.sandbox_policy
            )
        )
        running.add_done_callback(lambda _: live.close())
        session = ShellSession(next(self._numbers), request, live, running, time.monotonic())
        try:
            begun = asyncio.ensure_future(live.started.wait())
            await asyncio.wait({running, begun}, return_when=asyncio.FIRST_COMPLETED)
            begun.cancel()
            await asyncio.wait({running}, timeout=wait_s)
        except asyncio.CancelledError:
            running.cancel()
            raise
        if not running.done():
            self._open[session.id] = session
        return session

    def get(self, id: int) -> ShellSession:
        """The open command with the number ``id``.

        Raises:
            ToolRejectedError: there is none.
        """
        session = self._open.get(id)
        if session is None:
            raise ToolRejectedError(f"write_stdin failed: Unknown process id {id}")
        return session

    async def wait(self, session: ShellSession, wait_s: float) -> None:
        """Return after ``wait_s`` seconds or when the command has ended; an ended command is removed."""
        await asyncio.wait({session.running}, timeout=wait_s)
        if session.running.done():
            self._open.pop(session.id, None)

    async def close(self) -> None:
        """End all open commands."""
        sessions = list(self._open.values())
        self._open.clear()
        for session in sessions:
            if not session.running.cancelling():  # a second cancellation would only stop the wait for its end
                session.running.cancel()
        await asyncio.gather(*[session.running for session in sessions], return_exceptions=True)
