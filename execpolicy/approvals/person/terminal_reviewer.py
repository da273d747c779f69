"""Asks a person on the controlling terminal, never on standard input: that belongs to the command."""

from __future__ import annotations

import asyncio

from execpolicy.approvals.events import ApplyPatchApprovalRequestEvent, ExecApprovalRequestEvent
from execpolicy.approvals.person.controlling_terminal import ControllingTerminal
from execpolicy.approvals.person.question import SESSION, Question
from execpolicy.approvals.person.visible import visible
from execpolicy.approvals.review import Abort, Denied, ReviewDecision
from execpolicy.core.quoting import join
from execpolicy.programs.launcher import launched_script
from execpolicy.validators import flag, text

NO_TERMINAL = "approval is needed, and there is no terminal to ask on"


class TerminalReviewer:
    """A person at a terminal.

    Args:
        path: the terminal's device.
        can_save: offer to save rules.
    """

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
    """The question that ``event`` stands for."""
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
