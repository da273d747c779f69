"""Whose semantics hold: ``default`` (the written specification with our reader) or ``codex-0.169`` (as measured).

A profile is data. Where two profiles differ, they differ in a field of this class, not in a branch of the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from execpolicy.approvals.ask import AskForApproval, AskKind
from execpolicy.approvals.assessment import Opinion
from execpolicy.approvals.codex_assessor import assess_as_codex
from execpolicy.core.decision import Decision

if TYPE_CHECKING:
    from collections.abc import Mapping

    from execpolicy.approvals.assessment import Assessor

_A, _P, _F = Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN


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


_ALLOWED, _ASKED, _REFUSED = Cell(_A, _A, _A), Cell(_P, _P, _P), Cell(_F, _F, _F)
_SANDBOXED = Cell(_A, _P, _A)


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
        banned_proposals: prefixes too broad to be saved are not offered even if they are the whole command.
        retry_without_sandbox: the approval policies under which a run that the sandbox denied is retried outside.
    """

    name: str
    assessor: Assessor
    aliases: Mapping[AskKind, AskForApproval]
    fallback: Mapping[AskKind, Mapping[Opinion, Cell]]
    escalation: frozenset[AskKind]
    granular_escalation: bool
    granular_refusal: str | None
    justification_needs_permissions: bool
    banned_proposals: bool
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


_CODEX_FALLBACK = {
    AskKind.NEVER: {Opinion.SAFE: _ALLOWED, Opinion.UNKNOWN: _ALLOWED, Opinion.DANGEROUS: _REFUSED},
    AskKind.ON_REQUEST: {Opinion.SAFE: _SANDBOXED, Opinion.UNKNOWN: _SANDBOXED, Opinion.DANGEROUS: _ASKED},
    AskKind.ON_FAILURE: {Opinion.SAFE: _SANDBOXED, Opinion.UNKNOWN: _SANDBOXED, Opinion.DANGEROUS: _ASKED},
    AskKind.GRANULAR: {Opinion.SAFE: _SANDBOXED, Opinion.UNKNOWN: _SANDBOXED, Opinion.DANGEROUS: _ASKED},
    AskKind.UNLESS_TRUSTED: {Opinion.SAFE: _ASKED, Opinion.UNKNOWN: _ASKED, Opinion.DANGEROUS: _ASKED},
}

CODEX_0_169 = Profile(
    name="codex-0.169",
    assessor=assess_as_codex,
    aliases={AskKind.ON_FAILURE: AskForApproval.ON_REQUEST},
    fallback=_CODEX_FALLBACK,
    escalation=frozenset({AskKind.ON_REQUEST, AskKind.UNLESS_TRUSTED}),
    granular_escalation=True,
    granular_refusal=None,
    justification_needs_permissions=True,
    banned_proposals=False,
    retry_without_sandbox=frozenset({AskKind.UNLESS_TRUSTED}),
)
"""Exactly what the recorded cases show."""
