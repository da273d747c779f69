"""The profile ``default``: the written specification with our reader."""

from __future__ import annotations

from execpolicy.amend.refusal import refusal
from execpolicy.approvals.ask import AskKind
from execpolicy.approvals.assessment import Opinion
from execpolicy.approvals.judge_assessor import assess_with_judge
from execpolicy.approvals.profile import ALLOWED, ASKED, REFUSED, SANDBOXED, Profile


def _named_shell(script: str, shell: str | None, login: bool) -> tuple[str, ...]:
    return ("bash" if shell is None else shell, "-lc" if login else "-c", script)


DEFAULT = Profile(
    name="default",
    assessor=assess_with_judge,
    aliases={},
    fallback={
        AskKind.NEVER: {Opinion.SAFE: ALLOWED, Opinion.UNKNOWN: ALLOWED, Opinion.DANGEROUS: REFUSED},
        AskKind.ON_FAILURE: {Opinion.SAFE: ALLOWED, Opinion.UNKNOWN: ALLOWED, Opinion.DANGEROUS: ASKED},
        AskKind.ON_REQUEST: {Opinion.SAFE: ALLOWED, Opinion.UNKNOWN: SANDBOXED, Opinion.DANGEROUS: ASKED},
        AskKind.GRANULAR: {Opinion.SAFE: ALLOWED, Opinion.UNKNOWN: SANDBOXED, Opinion.DANGEROUS: ASKED},
        AskKind.UNLESS_TRUSTED: {Opinion.SAFE: ALLOWED, Opinion.UNKNOWN: ASKED, Opinion.DANGEROUS: ASKED},
    },
    escalation=frozenset({AskKind.ON_REQUEST}),
    granular_escalation=False,
    granular_refusal="approval required by policy, but AskForApproval::Granular.sandbox_approval is false",
    justification_needs_permissions=False,
    refuses_proposal=refusal,
    remembered_as=None,
    rejection=str,
    argv_of=_named_shell,
    retry_without_sandbox=frozenset({AskKind.ON_FAILURE, AskKind.UNLESS_TRUSTED}),
)
"""The written specification: a safe list, ``on-failure`` as a policy of its own, escalation under on-request only."""
