"""The inbox as the person behind an approval session (``run``, Python hosts) or an arbiter (``serve``, ``arbiter``)."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import asdict
from typing import Any

from execpolicy.approvals.events import (
    ApplyPatchApprovalRequestEvent,
    ApprovalRequest,
    ExecApprovalRequestEvent,
    ToolApprovalRequestEvent,
)
from execpolicy.core.answer import Answer, AnswerKind
from execpolicy.inbox.inbox_call import ask_inbox_async
from execpolicy.inbox.inbox_question import InboxQuestion
from execpolicy.programs.launcher import launched_script
from execpolicy.protocol.questions import ReviewerAsker
from execpolicy.protocol.shell_calls import SHELL_TOOLS
from execpolicy.validators import flag, one_of, seconds, text


class InboxReviewer:
    """A person at the page of ``execpolicy ui``. Without a page, or when the time is over, the answer is missing.

    Args:
        source: the source of the question, as the page shows it.
        agent, session: the agent that asks and its session.
        can_save: offer to save prefixes, which the session's amender does.
        wait_s: the number of seconds that a question waits.
    """

    at_once = 1_000

    def __init__(
        self, *, source: str = "api", agent: str = "", session: str = "", can_save: bool = True, wait_s: float = 300.0
    ) -> None:
        self._source = text(source, "source")
        self._agent = text(agent, "agent")
        self._session = text(session, "session")
        self._can_save = flag(can_save, "can_save")
        self._wait_s = seconds(wait_s, "wait_s")

    async def review(self, event: ApprovalRequest) -> Answer:
        """The person's answer; cancelling withdraws the question."""
        answer = await ask_inbox_async(self._question(event))
        if answer.kind is AnswerKind.UNAVAILABLE:
            return Answer(answer.kind, f"approval is needed, and there is none: {answer.feedback}")
        return Answer(answer.kind, answer.feedback or None, answer.amendment)

    def _question(self, event: ApprovalRequest) -> InboxQuestion:
        common: dict[str, Any] = {
            "source": self._source,
            "agent": self._agent,
            "session": self._session,
            "wait_s": self._wait_s,
            "reason": "; ".join([*event.reasons, *_effects(event)]),
        }
        if isinstance(event, ToolApprovalRequestEvent):
            return _about_tool(event, {**common, "session": self._session or event.session[:200]})
        if not isinstance(event, ExecApprovalRequestEvent):
            changes = {path: asdict(change) for path, change in event.changes.items()}
            return InboxQuestion(tool="apply_patch", cwd=os.getcwd(), changes=changes, **common)
        launched = launched_script(event.command)
        saved = event.proposed_execpolicy_amendment if self._can_save else None
        to = event.network
        return InboxQuestion(
            commands=(event.command,) if launched is None or launched.positional else (launched.script,),
            cwd=event.cwd,
            once=event.human_only,
            network=() if to is None else (to.host, to.protocol, str(to.port)),
            rules_help=to is not None and self._can_save,
            own_saving=() if saved is None else saved.prefix,
            **common,
        )


def _about_tool(event: ToolApprovalRequestEvent, common: dict[str, Any]) -> InboxQuestion:
    saved = event.proposed_execpolicy_amendment
    return InboxQuestion(
        commands=() if event.command is None else (event.command,),
        arguments=event.arguments if event.command is None else {},
        shell=event.shell,
        cwd=event.cwd or os.getcwd(),
        tool=event.tool[:200],
        once=event.human_only,
        rules_help=False,
        own_saving=() if saved is None else saved.prefix,
        **common,
    )


def _effects(event: ApprovalRequest) -> Iterator[str]:
    """The other effects of the answer."""
    if isinstance(event, ApplyPatchApprovalRequestEvent) and event.grant_root is not None:
        yield f"for this session, everything in {event.grant_root} may be written"
    elif isinstance(event, ExecApprovalRequestEvent):
        if event.network is not None:
            to = event.network
            yield f"may it connect? {to.protocol} to {to.host}, port {to.port}"
        if event.sandbox is not None:
            yield event.sandbox


class InboxAsker(ReviewerAsker):
    """Sends the questions of an arbiter to the page of ``execpolicy ui``.

    Args:
        source: ``serve`` or ``arbiter``.
        wait_s: the number of seconds that a question waits.
        cwd, keeps, shell_tools: see :class:`execpolicy.protocol.ReviewerAsker`.
    """

    def __init__(
        self,
        *,
        source: str,
        cwd: str,
        keeps: bool = False,
        wait_s: float = 300.0,
        shell_tools: Collection[str] = SHELL_TOOLS,
    ) -> None:
        reviewer = InboxReviewer(source=one_of("serve", "arbiter")(source, "source"), wait_s=wait_s)
        super().__init__(reviewer, keeps=keeps, shell_tools=shell_tools, cwd=cwd)
