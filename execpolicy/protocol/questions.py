"""The questions about tool requests: each is put to a reviewer, with its turn and its time limit (seed 004, section 7).

At a terminal, the question goes to standard error and the answer comes from ``/dev/tty``: the child's standard input is
the control channel.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import suppress
from typing import Any, Protocol

from execpolicy.approvals.approval_session import PERSON_NEEDED
from execpolicy.approvals.events import ToolApprovalRequestEvent
from execpolicy.approvals.interfaces import Reviewer
from execpolicy.approvals.person.terminal_reviewer import TerminalReviewer
from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import answer_of, decision_from_json
from execpolicy.core.answer import Answer, AnswerKind
from execpolicy.permissions.redaction import redact
from execpolicy.protocol.decisions import Ruling
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.shell_calls import COMMAND_FIELDS, FOLDER_FIELDS, SHELL_TOOLS, NotAShellCall, shell_call
from execpolicy.validators import flag, folder, function, optional, port, texts


class Asker(Protocol):
    """Asks a person: one question at a time, or as many as its attribute ``at_once`` allows."""

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> Answer:
        """The answer. It is cancelled when the question is pointless (timeout, abort); an exception denies."""


class ReviewerAsker:
    """Puts the questions to a reviewer of an approval session.

    Args:
        keeps: true if an answer may allow the proposed prefix permanently.
        shell_tools: names of tools that run commands.
        cwd: the working directory of the agent, for commands that name none; by default that of this process.
    """

    def __init__(
        self,
        reviewer: Reviewer,
        *,
        keeps: bool = False,
        shell_tools: Collection[str] = SHELL_TOOLS,
        cwd: str | None = None,
    ) -> None:
        self._reviewer: Reviewer = port("review")(reviewer, "ReviewerAsker: `reviewer`")
        self._keeps = flag(keeps, "ReviewerAsker: `keeps`")
        self._shell_tools = frozenset(texts(shell_tools, "ReviewerAsker: `shell_tools`"))
        self._cwd = optional(folder)(cwd, "ReviewerAsker: `cwd`") or os.getcwd()
        self.at_once: int = getattr(reviewer, "at_once", 1)

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> Answer:
        """The reviewer's answer."""
        if ruling.once and getattr(self._reviewer, "automatic", False):
            return Answer(AnswerKind.DENY, PERSON_NEEDED)
        given = await self._reviewer.review(self.event(request, ruling))
        return given if isinstance(given, Answer) else answer_of(decision_from_json(given))

    def event(self, request: ToolRequest, ruling: Ruling) -> ToolApprovalRequestEvent:
        """The event for ``request``: a command where there is one, and the other arguments."""
        call = None
        hidden: tuple[str, ...] = ()
        if request.tool in self._shell_tools:
            with suppress(NotAShellCall):
                call = shell_call(request.args, cwd=self._cwd)
                hidden = (*COMMAND_FIELDS, *FOLDER_FIELDS)
        said = f"the agent says: {request.rationale}" if request.rationale else ""
        offered = self._keeps and bool(ruling.proposal) and not ruling.grave
        return ToolApprovalRequestEvent(
            tool=request.tool if request.action is None else f"{request.tool} {request.action}",
            command=None if call is None else call.command,
            shell="bash" if call is None else call.shell,
            cwd=self._cwd if call is None else call.cwd,
            arguments=redact({name: value for name, value in request.args.items() if name not in hidden}),
            session=request.run_id or "",
            told=tuple([line for line in (ruling.reason, said) if line]),
            proposed_execpolicy_amendment=ExecPolicyAmendment(ruling.proposal) if offered else None,
            human_only=ruling.once,
        )


class TerminalAsker(ReviewerAsker):
    """Asks questions at a terminal.

    Args:
        show: writes to standard error, which shows the question if it is a terminal.
        keeps, shell_tools, cwd: see :class:`ReviewerAsker`.
    """

    def __init__(
        self,
        *,
        show: Callable[[str], None],
        tty: str = "/dev/tty",
        keeps: bool = False,
        shell_tools: Collection[str] = SHELL_TOOLS,
        cwd: str | None = None,
    ) -> None:
        reviewer = TerminalReviewer(tty, show=function(show, "TerminalAsker: `show`"))
        super().__init__(reviewer, keeps=keeps, shell_tools=shell_tools, cwd=cwd)


class Questions:
    """The questions of one session, by request id.

    Args:
        timeout_s: the time limit of a question in seconds, including the wait for its turn.
        at_once: the maximum number of questions that are asked at a time.
    """

    def __init__(self, timeout_s: float, *, at_once: int = 1) -> None:
        self._timeout_s = timeout_s
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Semaphore(at_once)
        self._unanswerable = asyncio.Event()

    def put(self, id: str, ask: Callable[[], Awaitable[None]], late: Callable[[], None]) -> None:
        """Awaits ``ask`` when its turn has come; calls ``late`` if the time limit passes."""

        async def run() -> None:
            try:
                async with asyncio.timeout(self._timeout_s), self._turn:
                    await ask()
            except TimeoutError:
                late()

        self._start(id, run())

    def hold(self, id: str, late: Callable[[], None]) -> None:
        """Holds a question that the host asks; calls ``late`` if it is still open after the time limit."""

        async def run() -> None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._unanswerable.wait(), self._timeout_s)
            late()

        self._start(id, run())

    def expect_no_answers(self) -> None:
        """Ends the time of all held questions, because the host cannot answer any more."""
        self._unanswerable.set()

    def is_open(self, id: str) -> bool:
        """True if the question of this request is open."""
        return id in self._tasks

    def withdraw(self, id: str) -> None:
        """Cancels the question of this request. A question that is being answered at this moment ends by itself."""
        task = self._tasks.get(id)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    async def idle(self) -> None:
        """Waits until no question is open."""
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def close(self) -> None:
        """Withdraws all questions."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, id: str, run: Coroutine[Any, Any, None]) -> None:
        task = self._tasks[id] = asyncio.create_task(run)
        task.add_done_callback(lambda done: self._tasks.pop(id) if self._tasks.get(id) is done else None)
