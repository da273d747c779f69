"""An open approval request: the question, its start time and the answers it accepts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TypeAlias

from execpolicy.amend.preview import why_not_savable
from execpolicy.approvals.events import ApplyPatchApprovalRequestEvent, ExecApprovalRequestEvent
from execpolicy.approvals.review import ApprovedExecpolicyAmendment, NetworkAmendment, ReviewDecision
from execpolicy.approvals.turn import Turn

Request: TypeAlias = ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent


@dataclass(slots=True, eq=False)
class OpenRequest:
    """An approval request without an answer yet.

    Attributes:
        claimed: an answer is being applied; further answers are ignored.
        since: when the request was made, by the session's clock.
    """

    event: Request
    turn: Turn
    since: float
    claimed: bool = False
    task: asyncio.Task[object] | None = field(default_factory=asyncio.current_task)
    answer: asyncio.Future[ReviewDecision] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def why_refused(self, decision: ReviewDecision, *, any_amendment: bool) -> str | None:
        """The reason that ``decision`` is not a valid answer, or ``None``.

        Args:
            any_amendment: an answer may save a prefix that was not offered.
        """
        event = self.event
        if isinstance(decision, NetworkAmendment):
            asked = event.network if isinstance(event, ExecApprovalRequestEvent) else None
            same = asked is not None and asked.host == decision.host
            return None if same else "a lasting answer about a host answers only a question about that host"
        if not isinstance(decision, ApprovedExecpolicyAmendment) or any_amendment:
            return None
        if not isinstance(event, ExecApprovalRequestEvent) or event.network is not None:
            return "no rule for commands was offered"
        if event.human_only:
            return "a person has to be asked each time, so that no rule can answer"
        offered, wanted = event.proposed_execpolicy_amendment, decision.proposed_execpolicy_amendment.prefix
        if offered is None or offered.prefix[: len(wanted)] != wanted:
            return "this rule was not offered"
        return why_not_savable(wanted)
