"""Open questions, each with its turn and its time limit, and the question at the terminal (seed 004, section 7).

The question goes to standard error and the answer comes from ``/dev/tty``: the child's standard input is the control
channel. The form is that of ``run`` (:mod:`execpolicy.approvals.person.question`).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from execpolicy.approvals.person.question import SESSION, Question
from execpolicy.approvals.person.terminal_reviewer import ControllingTerminal
from execpolicy.approvals.review import Abort, Approved, ApprovedExecpolicyAmendment, ApprovedForSession, Denied
from execpolicy.core.quoting import join
from execpolicy.permissions.redaction import redact
from execpolicy.protocol.decisions import Ruling
from execpolicy.protocol.messages import Choice, ToolRequest
from execpolicy.protocol.shell_calls import COMMAND_FIELDS, FOLDER_FIELDS, SHELL_TOOLS
from execpolicy.validators import Checked, flag, folder, function, optional, text, texts

MAX_SHOWN = 3_000
"""The maximum number of characters of an argument that are shown; a longer one loses its middle, with a note."""
MAX_READ = 200_000


class TerminalAsker:
    """Asks questions at a terminal.

    Args:
        show: writes to standard error, which shows the question if it is a terminal.
        keeps: true if an answer may allow the proposed prefix permanently.
        shell_tools: names of tools that run commands.
        cwd: the working directory of the agent, for commands that name none.
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
        self._cwd = optional(folder)(cwd, "TerminalAsker: `cwd`")
        self._tty = text(tty, "TerminalAsker: `tty`")
        self._show = function(show, "TerminalAsker: `show`")
        self._keeps = flag(keeps, "TerminalAsker: `keeps`")
        self._shell_tools = frozenset(texts(shell_tools, "TerminalAsker: `shell_tools`"))

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> PersonAnswer:
        """The person's answer; :attr:`Choice.UNAVAILABLE` if there is no terminal."""
        try:
            terminal = ControllingTerminal(self._tty)
        except OSError:
            return PersonAnswer(Choice.UNAVAILABLE)
        with terminal:
            if terminal.in_background():
                return PersonAnswer(Choice.UNAVAILABLE)
            keeps = self._keeps and not ruling.grave
            asked = question(request, ruling, keeps=keeps, shell_tools=self._shell_tools, cwd=self._cwd)
            answer = await terminal.put(asked, show=self._show if os.isatty(2) else terminal.write)
        match answer:
            case Approved():
                return PersonAnswer(Choice.ONCE)
            case ApprovedForSession():
                return PersonAnswer(Choice.SESSION)
            case ApprovedExecpolicyAmendment(kept):
                return PersonAnswer(Choice.KEEP, prefix=kept.prefix)
            case Denied(message):
                return PersonAnswer(Choice.DENY, message)
            case Abort():
                return PersonAnswer(Choice.ABORT)
        return PersonAnswer(Choice.UNAVAILABLE)


def question(
    request: ToolRequest,
    ruling: Ruling,
    *,
    keeps: bool,
    shell_tools: Collection[str] = SHELL_TOOLS,
    cwd: str | None = None,
) -> Question:
    """The question about ``request``: command, other arguments and reasons, without probable secrets.

    Args:
        keeps: true if the ruling's proposal may be saved.
        cwd: the working directory of a command that names none.
    """
    args = redact(request.args, limit=MAX_READ)
    what: list[str] = []
    facts = [request.tool if request.action is None else f"{request.tool} {request.action}"]
    for name, value in args.items():
        if request.tool in shell_tools and name in COMMAND_FIELDS:
            what.append(_cut(_text(value)))
        elif request.tool in shell_tools and name in FOLDER_FIELDS:
            facts.append(f"in {_cut(_text(value))}")
        else:
            facts.append(f"{name}: {_cut(_text(value))}")
    if cwd is not None and request.tool in shell_tools and not any(request.args.get(name) for name in FOLDER_FIELDS):
        facts.append(f"in {cwd}")
    reasons = [ruling.reason] if ruling.reason else []
    if request.rationale:
        reasons.append(f"the agent says: {_cut(str(redact(request.rationale)))}")
    return Question(
        asks="may this run?",
        what=tuple(what),
        facts=tuple(facts),
        reasons=tuple(reasons),
        session=None if ruling.once else SESSION,
        prefix=ruling.proposal if keeps else (),
    )


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return join(value)
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    if len(text) <= MAX_SHOWN:
        return text
    half = MAX_SHOWN // 2
    return f"{text[:half]} ⟪{len(text) - 2 * half} characters are not shown here⟫ {text[-half:]}"


@dataclass(frozen=True, slots=True)
class PersonAnswer(Checked):
    """A choice, with the person's message for the agent if there is one.

    Attributes:
        prefix: with :attr:`Choice.KEEP`, the first words of the proposal; empty for all of it.
    """

    choice: Choice
    message: str | None = None
    prefix: tuple[str, ...] = ()


class Asker(Protocol):
    """Asks a person: one question at a time, or as many as its attribute ``at_once`` allows."""

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> PersonAnswer:
        """The answer. It is cancelled when the question is pointless (timeout, abort); an exception denies."""


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
