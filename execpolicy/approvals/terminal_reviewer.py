"""Asks a person on the controlling terminal, never on standard input: that belongs to the command."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from typing import TYPE_CHECKING

from execpolicy.amend.savable import why_not_savable
from execpolicy.approvals.events import ExecApprovalRequestEvent
from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import Abort, Approved, ApprovedForSession, ApprovedWithAmendment, Denied
from execpolicy.approvals.visible import visible, visible_lines
from execpolicy.core.quoting import join
from execpolicy.programs.launcher import launched_script

if TYPE_CHECKING:
    from execpolicy.approvals.events import ApplyPatchApprovalRequestEvent
    from execpolicy.approvals.review import ReviewDecision

NO_TERMINAL = "approval is needed, and there is no terminal to ask on"
_LONGEST_ANSWER = 8192


class TerminalReviewer:
    """A person at a terminal.

    Args:
        path: the terminal's device.
        can_save: offer to save prefixes.
    """

    def __init__(self, path: str = "/dev/tty", *, can_save: bool = True) -> None:
        self._path = path
        self._can_save = can_save
        self._turn = asyncio.Lock()

    async def review(self, event: ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent) -> ReviewDecision:
        """The person's answer; one question at a time. Without a terminal: denied, with the reason."""
        async with self._turn:
            try:
                descriptor = os.open(self._path, os.O_RDWR | os.O_NOCTTY)
            except OSError:
                why = event.reason and f" ({visible(event.reason)})"
                return Denied(f"{NO_TERMINAL}{why or ''}")
            try:
                terminal = _Terminal(descriptor)
                if terminal.in_background():
                    return Denied(f"{NO_TERMINAL}: this process runs in the background")
                return await self._dialogue(terminal, event)
            finally:
                os.close(descriptor)

    async def _dialogue(
        self, terminal: _Terminal, event: ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent
    ) -> ReviewDecision:
        prefix = self._prefix(event)
        terminal.drop_typed()
        terminal.write(_question(event, prefix))
        while True:
            answer = await terminal.ask("answer: ")
            if answer is None:
                return Abort()
            word, _, rest = answer.strip().partition(" ")
            if word in ("y", "yes"):
                return Approved()
            if word in ("s", "session") and not _once_only(event):
                return ApprovedForSession()
            if word in ("q", "quit", "abort"):
                return Abort()
            if word in ("n", "no"):
                message = rest.strip() or await terminal.ask("what should be done instead (optional): ")
                return Abort() if message is None else Denied(message.strip() or None)
            if word in ("p", "prefix") and prefix is not None:
                chosen, problem = _chosen(prefix, rest.strip())
                if chosen is not None:
                    return ApprovedWithAmendment(ExecPolicyAmendment(chosen))
                terminal.write(f"{problem}\n")
            else:
                terminal.write("please answer with one of the letters above\n")

    def _prefix(self, event: ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent) -> tuple[str, ...] | None:
        if not self._can_save or not isinstance(event, ExecApprovalRequestEvent) or event.proposed_amendment is None:
            return None
        return event.proposed_amendment.prefix


def _chosen(prefix: tuple[str, ...], words: str) -> tuple[tuple[str, ...] | None, str | None]:
    """The first ``words`` words of ``prefix`` (all, where nothing is said), or why that cannot be saved."""
    if words and not (words.isascii() and words.isdigit() and 1 <= int(words) <= len(prefix)):
        return None, f"write `p`, or `p N` with N from 1 to {len(prefix)} for the first N words"
    chosen = prefix[: int(words)] if words else prefix
    problem = why_not_savable(chosen)
    return (chosen, None) if problem is None else (None, f"this cannot be saved: {visible(problem)}")


def _once_only(event: ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent) -> bool:
    return isinstance(event, ExecApprovalRequestEvent) and event.human_only


def _question(event: ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent, prefix: tuple[str, ...] | None) -> str:
    width = max(shutil.get_terminal_size().columns - 6, 20)
    lines = ["", "execpolicy: may this run?" if isinstance(event, ExecApprovalRequestEvent) else "may this be written?"]
    if isinstance(event, ExecApprovalRequestEvent):
        launched = launched_script(event.command)
        if launched is None or launched.positional:
            lines += [f"  │ {line}" for line in visible_lines(join(event.command), width)]
        else:
            lines.append(f"  {visible(join(event.command[: launched.index]))}")
            lines += [f"  │ {line}" for line in visible_lines(launched.script, width)]
        lines.append(f"  in {visible(event.cwd)}")
    else:
        for path, change in event.changes.items():
            lines.append(f"  {change.kind} {visible(path)}")
            shown = change.unified_diff if change.kind == "update" else change.content
            lines += [f"  │ {line}" for line in visible_lines(shown or "", width)]
    if event.reason:
        lines += [f"  ? {line}" for line in visible_lines(event.reason, width)]
    lines.append("  y  yes, once")
    if not _once_only(event):
        lines.append("  s  yes, and the same again in this session")
    if prefix is not None:
        lines.append(f"  p  yes, and save a rule that allows every command starting with: {visible(join(prefix))}")
        if len(prefix) > 1:
            lines.append("     (p N saves only the first N words)")
    return "\n".join([*lines, "  n  no (n MESSAGE says why)", "  q  no, and stop", ""])


class _Terminal:
    """Lines from and to an open terminal, without blocking the event loop."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def in_background(self) -> bool:
        """Whether reading would stop this process, since the terminal belongs to another job."""
        with contextlib.suppress(OSError):
            return os.tcgetpgrp(self._descriptor) != os.getpgrp()
        return False

    def write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(self._descriptor, data) :]

    def drop_typed(self) -> None:
        """Forget what was typed before the question stood there: it was no answer to it."""
        import termios

        with contextlib.suppress(termios.error):
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

    async def ask(self, prompt: str) -> str | None:
        """The line typed behind ``prompt``; ``None`` at the end of input."""
        self.write(prompt)
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
            except OSError:  # the terminal is gone
                return None
            if not block or len(line) > _LONGEST_ANSWER:
                return None
            line += block
        return line.decode("utf-8", "replace")
