"""Chooses the prefix that is offered for saving, so that the same command needs no further approval."""

from __future__ import annotations

from execpolicy.approvals.profile import Assessment, Profile
from execpolicy.approvals.requirement import ExecPolicyAmendment, ExecRequest
from execpolicy.core.banned import is_banned
from execpolicy.core.decision import Decision


def proposed_execpolicy_amendment(
    assessment: Assessment, request: ExecRequest, *, profile: Profile
) -> ExecPolicyAmendment | None:
    """The prefix to offer for a request that prompts or is skipped, or ``None``.

    The caller's ``prefix_rule`` is offered under three conditions: it is not too broad, no rule matched, and saving it
    would allow everything that the request runs. Otherwise the first command decided by the fallback is offered whole.
    """
    asked = assessment.decision is Decision.PROMPT
    if asked and _acceptable(request.prefix_rule, assessment, profile):
        return ExecPolicyAmendment(request.prefix_rule)
    if assessment.grave:
        return None
    by_rule = assessment.prompt_note is not None or bool(assessment.rule_matches(Decision.PROMPT))
    if by_rule if asked else assessment.matched:
        return None
    command = assessment.first_fallback(assessment.decision)
    if command is None or not command.proposable or profile.refuses_proposal(command.argv) is not None:
        return None
    return ExecPolicyAmendment(command.argv) if command.argv[0] and assessment.settles(command.argv) else None


def _acceptable(prefix: tuple[str, ...], assessment: Assessment, profile: Profile) -> bool:
    if not prefix or not prefix[0] or is_banned(prefix) or profile.refuses_proposal(prefix) is not None:
        return False
    return not assessment.matched and assessment.covers(prefix)
