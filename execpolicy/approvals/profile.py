"""The points in which systems of approval differ, as data: no branch of the code asks which one is meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from execpolicy.approvals.ask import AskForApproval, AskKind
from execpolicy.core.decision import Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from execpolicy.approvals.assessment import Assessor, Leaning


class Cell(NamedTuple):
    """What a command that no rule settles gets.

    Attributes:
        confined: it would run in a read-only or workspace-write sandbox.
        escalated: that sandbox is configured, and the call asks to leave it.
        unconfined: full access, or a sandbox that is not ours.
    """

    confined: Decision
    escalated: Decision
    unconfined: Decision


_A, _P, _F = Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN
ALLOWED, ASKED, REFUSED = Cell(_A, _A, _A), Cell(_P, _P, _P), Cell(_F, _F, _F)
SANDBOXED = Cell(_A, _P, _A)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The differences between the systems that requests are decided for.

    Attributes:
        assessor: how a request is read and matched.
        aliases: approval policies that behave as another one.
        fallback: for each approval policy, what each opinion becomes.
        escalation: the approval policies under which a call may ask to leave the sandbox at all.
        granular_escalation: under ``granular`` it may ask if ``sandbox_approval`` is set (never, where this is false).
        granular_refusal: the answer where ``granular`` lacks ``sandbox_approval`` and only heuristics ask; ``None``
            asks all the same, without offering a prefix.
        justification_needs_permissions: a justification without ``sandbox_permissions`` is a wrong call.
        refuses_proposal: why a whole command is not offered to be saved, or ``None``.
        remembered_as: the words that an approval for the session is remembered by, for a command; ``None`` if by all
            of its own.
        rejection: what the agent is told of a command that was not run, made of the reason.
        argv_of: what runs a script: ``(script, shell or None, login)``.
        retry_without_sandbox: the approval policies under which a run that the sandbox denied is retried outside.
    """

    name: str
    assessor: Assessor
    aliases: Mapping[AskKind, AskForApproval]
    fallback: Mapping[AskKind, Mapping[Leaning, Cell]]
    escalation: frozenset[AskKind]
    granular_escalation: bool
    granular_refusal: str | None
    justification_needs_permissions: bool
    refuses_proposal: Callable[[tuple[str, ...]], str | None]
    remembered_as: Callable[[tuple[str, ...]], tuple[str, ...]] | None
    rejection: Callable[[str], str]
    argv_of: Callable[[str, str | None, bool], tuple[str, ...]]
    retry_without_sandbox: frozenset[AskKind]

    def effective(self, policy: AskForApproval) -> AskForApproval:
        """The approval policy that ``policy`` behaves as."""
        return self.aliases.get(policy.kind, policy)

    def may_escalate(self, policy: AskForApproval) -> bool:
        """Whether a call may ask to leave the sandbox."""
        if policy.granular is not None:
            return self.granular_escalation and policy.granular.sandbox_approval
        return policy.kind in self.escalation

    def may_retry(self, policy: AskForApproval) -> bool:
        """Whether a run that the sandbox denied may be retried outside it."""
        if policy.granular is not None:
            return policy.granular.sandbox_approval
        return policy.kind in self.retry_without_sandbox
