"""The inbox as the person behind an approval session (``run``, Python hosts) or an arbiter (``serve``, ``arbiter``)."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from execpolicy.approvals.events import ApplyPatchApprovalRequestEvent, ExecApprovalRequestEvent
from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import (
    Approved,
    ApprovedExecpolicyAmendment,
    ApprovedForSession,
    Denied,
    ReviewDecision,
)
from execpolicy.inbox.inbox_call import ask_inbox_async
from execpolicy.inbox.inbox_question import InboxQuestion
from execpolicy.permissions.redaction import redact
from execpolicy.programs.launcher import launched_script
from execpolicy.protocol.decisions import Ruling
from execpolicy.protocol.messages import Choice, ToolRequest
from execpolicy.protocol.questions import PersonAnswer
from execpolicy.protocol.shell_calls import SHELL_TOOLS, NotAShellCall, shell_call
from execpolicy.validators import flag, folder, one_of, seconds, text, texts

_CHOICES = {"once": Choice.ONCE, "session": Choice.SESSION, "always": Choice.KEEP, "deny": Choice.DENY}


class InboxAsker:
    """Sends questions to the page of ``execpolicy ui``.

    Args:
        source: ``serve`` or ``arbiter``.
        cwd: the folder that the agent works in.
        keeps: True if an answer may allow the proposed prefix permanently.
        wait_s: the number of seconds that a question waits.
    """

    at_once = 1_000

    def __init__(
        self,
        *,
        source: str,
        cwd: str,
        keeps: bool = False,
        wait_s: float = 300.0,
        shell_tools: Collection[str] = SHELL_TOOLS,
    ) -> None:
        self._source = one_of("serve", "arbiter")(source, "source")
        self._cwd = folder(cwd, "cwd")
        self._keeps = flag(keeps, "keeps")
        self._wait_s = seconds(wait_s, "wait_s")
        self._shell_tools = frozenset(texts(shell_tools, "shell_tools"))

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> PersonAnswer:
        """The person's answer; :attr:`Choice.UNAVAILABLE` if no person answers in the inbox."""
        keeps = self._keeps and bool(ruling.proposal) and not ruling.grave
        question = InboxQuestion(
            source=self._source,
            session=(request.run_id or "")[:200],
            tool=request.tool[:200],
            reason=ruling.reason,
            once=ruling.once,
            rules_help=False,
            own_saving=ruling.proposal if keeps else (),
            wait_s=self._wait_s,
            **self._what(request),
        )
        answer = await ask_inbox_async(question)
        if answer.word is None:
            return PersonAnswer(Choice.UNAVAILABLE, answer.message)
        return PersonAnswer(_CHOICES[answer.word], answer.message or None, answer.prefix)

    def _what(self, request: ToolRequest) -> dict[str, Any]:
        """The fields for the action: a command where there is one, otherwise the arguments."""
        if request.tool in self._shell_tools:
            with suppress(NotAShellCall):
                call = shell_call(request.args, cwd=self._cwd)
                return {"commands": (call.command,), "cwd": call.cwd, "shell": call.shell}
        return {"arguments": redact(request.args), "cwd": self._cwd}


class InboxReviewer:
    """A person at the page of ``execpolicy ui``. Without a page, or when the time is over: denied, with the reason.

    Args:
        source: the source of the question, as the page shows it.
        agent, session: the agent that asks and its session.
        can_save: offer to save prefixes, which the session's amender does.
        wait_s: the number of seconds that a question waits.
    """

    def __init__(
        self, *, source: str = "api", agent: str = "", session: str = "", can_save: bool = True, wait_s: float = 300.0
    ) -> None:
        self._source = text(source, "source")
        self._agent = text(agent, "agent")
        self._session = text(session, "session")
        self._can_save = flag(can_save, "can_save")
        self._wait_s = seconds(wait_s, "wait_s")

    async def review(self, event: ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent) -> ReviewDecision:
        """The person's answer; cancelling withdraws the question."""
        answer = await ask_inbox_async(self._question(event))
        if answer.word is None:
            return Denied(f"approval is needed, and there is none: {answer.message}")
        if answer.word == "deny":
            return Denied(answer.message or None)
        if answer.word == "always" and answer.prefix:
            return ApprovedExecpolicyAmendment(ExecPolicyAmendment(answer.prefix))
        return ApprovedForSession() if answer.word == "session" else Approved()

    def _question(self, event: ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent) -> InboxQuestion:
        common: dict[str, Any] = {
            "agent": self._agent,
            "session": self._session,
            "wait_s": self._wait_s,
            "reason": "; ".join(_reasons(event)),
        }
        if not isinstance(event, ExecApprovalRequestEvent):
            changes = {path: asdict(change) for path, change in event.changes.items()}
            return InboxQuestion(source=self._source, tool="apply_patch", cwd=os.getcwd(), changes=changes, **common)
        launched = launched_script(event.command)
        saved = event.proposed_execpolicy_amendment if self._can_save else None
        to = event.network
        return InboxQuestion(
            source=self._source,
            commands=(event.command,) if launched is None or launched.positional else (launched.script,),
            cwd=event.cwd,
            once=event.human_only,
            network=() if to is None else (to.host, to.protocol, str(to.port)),
            rules_help=to is not None and self._can_save,
            own_saving=() if saved is None else saved.prefix,
            **common,
        )


def _reasons(event: ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent) -> Iterator[str]:
    """The reasons of the question, and the other effects of the answer."""
    if event.reason:
        yield event.reason
    if not isinstance(event, ExecApprovalRequestEvent):
        if event.grant_root is not None:
            yield f"for this session, everything in {event.grant_root} may be written"
        return
    if event.network is not None:
        to = event.network
        yield f"may it connect? {to.protocol} to {to.host}, port {to.port}"
    if event.sandbox is not None:
        yield event.sandbox
