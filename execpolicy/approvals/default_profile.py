"""The profile ``default``: the written specification with execpolicy's own parser."""

from __future__ import annotations

from execpolicy.amend.preview import why_not_savable
from execpolicy.approvals.ask import AskKind
from execpolicy.approvals.judge_assessor import assess_with_judge
from execpolicy.approvals.profile import ALLOWED, ASKED, REFUSED, SANDBOXED, Leaning, Profile

_SAFE, _UNKNOWN, _DANGEROUS = Leaning.SAFE, Leaning.UNKNOWN, Leaning.DANGEROUS


DEFAULT = Profile(
    name="default",
    assessor=assess_with_judge,
    aliases={},
    fallback={
        AskKind.NEVER: {_SAFE: ALLOWED, _UNKNOWN: ALLOWED, _DANGEROUS: REFUSED},
        AskKind.ON_FAILURE: {_SAFE: ALLOWED, _UNKNOWN: ALLOWED, _DANGEROUS: ASKED},
        AskKind.ON_REQUEST: {_SAFE: SANDBOXED, _UNKNOWN: SANDBOXED, _DANGEROUS: ASKED},
        AskKind.GRANULAR: {_SAFE: SANDBOXED, _UNKNOWN: SANDBOXED, _DANGEROUS: ASKED},
        AskKind.UNLESS_TRUSTED: {_SAFE: ALLOWED, _UNKNOWN: ASKED, _DANGEROUS: ASKED},
    },
    escalation=frozenset({AskKind.ON_REQUEST}),
    granular_escalation=False,
    granular_refusal="approval required by policy, but AskForApproval::Granular.sandbox_approval is false",
    justification_needs_permissions=False,
    refuses_proposal=why_not_savable,
    remembered_as=None,
    rejection=str,
    argv_of=lambda script, shell, login: (
        "bash" if shell is None else shell,
        "-c" if login is False else "-lc",
        script,
    ),
    retry_without_sandbox=frozenset({AskKind.ON_FAILURE, AskKind.UNLESS_TRUSTED}),
    asks_before_retry=True,
    takes_any_amendment=False,
    judges_input=True,
)
"""The written specification: a safe list, ``on-failure`` as a separate policy, escalation under on-request only."""
