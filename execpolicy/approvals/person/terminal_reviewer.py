"""Asks a person on the controlling terminal. Standard input is not used, since it belongs to the command."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import shutil
import termios
from collections.abc import Callable

from execpolicy.approvals.events import ApplyPatchApprovalRequestEvent, ExecApprovalRequestEvent
from execpolicy.approvals.person.question import PROMPT, SESSION, Question, visible
from execpolicy.approvals.review import Abort, Denied, ReviewDecision
from execpolicy.core.quoting import join
from execpolicy.programs.launcher import launched_script
from execpolicy.validators import flag, text

_LONGEST_ANSWER = 8192


class ControllingTerminal:
    """An open terminal that does not block the event loop. Use as a context manager.

    Args:
        path: its device.

    Raises:
        OSError: there is no terminal.
    """

    def __init__(self, path: str = "/dev/tty") -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)

    def __enter__(self) -> ControllingTerminal:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._descriptor)

    def in_background(self) -> bool:
        """True if reading would stop this process, since the terminal belongs to another job or to none."""
        try:
            return os.tcgetpgrp(self._descriptor) != os.getpgrp()
        except OSError:
            return True

    async def put(self, question: Question, *, show: Callable[[str], None] | None = None) -> ReviewDecision | None:
        """Show ``question`` and return the answer; ``None`` if the terminal is gone.

        Args:
            show: writes the question, for instance to standard error; by default to the terminal.
        """
        show = self.write if show is None else show
        with contextlib.suppress(termios.error):  # keys typed before the question do not answer it
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
        show(question.text(shutil.get_terminal_size().columns))
        try:
            while True:
                line = await self._line()
                if line is None:
                    show("\n")
                    return None
                answer = question.read(line)
                if not isinstance(answer, str):
                    return answer
                show(f"{answer}\n{PROMPT}")
        except asyncio.CancelledError:
            show("\n(the question is withdrawn)\n")
            raise

    def write(self, text: str) -> None:
        """Write ``text``. If the terminal is gone, the text is discarded."""
        data = text.encode("utf-8", "replace")
        with contextlib.suppress(OSError):
            while data:
                select.select([], [self._descriptor], [])
                with contextlib.suppress(BlockingIOError):
                    data = data[os.write(self._descriptor, data) :]

    async def _line(self) -> str | None:
        """The next line; ``None`` at the end of input, or if the terminal is gone."""
        loop = asyncio.get_running_loop()
        line = bytearray()
        while not line.endswith(b"\n"):
            readable = asyncio.Event()
            loop.add_reader(self._descriptor, readable.set)
            try:
                await readable.wait()
            finally:
                loop.remove_reader(self._descriptor)
            try:
                block = os.read(self._descriptor, 4096)
            except BlockingIOError:
                continue
            except OSError:
                return None
            if not block or len(line) > _LONGEST_ANSWER:
                return None
            line += block
        return line.decode("utf-8", "replace")


NO_TERMINAL = "approval is needed, and there is no terminal to ask on"


class TerminalReviewer:
    """A reviewer that asks a person at the terminal ``path``, and offers to save rules if it ``can_save``."""

    def __init__(self, path: str = "/dev/tty", *, can_save: bool = True) -> None:
        self._path = text(path, "TerminalReviewer: `path`")
        self._can_save = flag(can_save, "TerminalReviewer: `can_save`")
        self._turn = asyncio.Lock()

    async def review(self, event: ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent) -> ReviewDecision:
        """The person's answer; one question at a time. Without a terminal: denied, with the reason."""
        async with self._turn:
            try:
                terminal = ControllingTerminal(self._path)
            except OSError:
                why = event.reason and f" ({visible(event.reason)})"
                return Denied(f"{NO_TERMINAL}{why or ''}")
            with terminal:
                if terminal.in_background():
                    return Denied(f"{NO_TERMINAL}: this process runs in the background")
                answer = await terminal.put(question_about(event, can_save=self._can_save))
                return Abort() if answer is None else answer


def question_about(
    event: ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent, *, can_save: bool = True
) -> Question:
    """The question for ``event``."""
    reasons = () if event.reason is None else (event.reason,)
    if isinstance(event, ExecApprovalRequestEvent):
        return _about_command(event, event.told or reasons, can_save=can_save)
    changes: list[str] = []
    for path, change in event.changes.items():
        changes.append(f"{change.kind} {path}")
        changes.append((change.unified_diff if change.kind == "update" else change.content) or "")
    session = "the same files again in this session"
    if event.grant_root is not None:
        session = f"let this session write everything in {event.grant_root}"
    return Question(asks="may this be written?", what=tuple(changes), reasons=reasons, session=session)


def _about_command(event: ExecApprovalRequestEvent, reasons: tuple[str, ...], *, can_save: bool) -> Question:
    launched = launched_script(event.command)
    if launched is None or launched.positional:
        what, facts = join(event.command), []
    else:
        what, facts = launched.script, [join(event.command[: launched.index])]
    facts.append(f"in {event.cwd}")
    if event.network is not None:
        to = event.network
        where = f"{to.protocol} to {to.host}, port {to.port}"
        return Question(
            asks="may this connect?",
            what=(where,),
            facts=(what, *facts),
            reasons=reasons,
            session="other connections to it in this session",
            host=to.host if can_save else None,
        )
    if event.sandbox is not None:
        facts.append(event.sandbox)
    offered = event.proposed_execpolicy_amendment
    return Question(
        asks="may this run?",
        what=(what,),
        facts=tuple(facts),
        reasons=reasons,
        session=None if event.human_only else SESSION,
        prefix=offered.prefix if can_save and offered is not None else (),
    )
