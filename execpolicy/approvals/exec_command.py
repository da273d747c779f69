"""Computes what a request requires before it runs, and the prefix that is offered for saving. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from execpolicy.approvals.approval_session import CommandRules
from execpolicy.approvals.profile import Assessment, Leaning, Profile
from execpolicy.approvals.requirement import (
    NOTHING_REQUIRED,
    AskForApproval,
    AskKind,
    ExecApprovalRequirement,
    ExecPolicyAmendment,
    ExecRequest,
    Forbidden,
    NeedsApproval,
    Skip,
    requirement_to_json,
    stricter,
)
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions
from execpolicy.core.banned import is_banned
from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch
from execpolicy.core.quoting import join
from execpolicy.validators import flag, instance


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


_NEVER_PROMPTS = "approval required by policy, but AskForApproval is set to Never"
_WITHOUT_A_QUESTION = "the approval policy runs it without a question"
_RULES_OFF = "approval required by policy rule, but AskForApproval::Granular.rules is false"


def decide_exec_command(request: ExecRequest, rules: object, *, profile: Profile) -> ExecApprovalRequirement:
    """The requirement of ``request``: a refusal of the call itself, else the one of rules and heuristics.

    Args:
        rules: a :class:`execpolicy.core.policy.Policy` or a rulebook, as the profile's assessor expects.
    """
    refusal = refuse_call(request, profile=profile)
    if refusal is not None:
        return Forbidden(reason=refusal)
    return create_exec_approval_requirement_for_command(request, rules, profile=profile)


def requirement_json(
    request: ExecRequest, rules: object, *, profile: Profile, permissions: CommandRules | None = None
) -> dict[str, Any]:
    """:func:`decide_exec_command` as ``{kind, reason, proposed_execpolicy_amendment, bypass_sandbox}``.

    Args:
        permissions: permission rules that apply in addition to ``rules``.
    """
    requirement = decide_exec_command(request, rules, profile=profile)
    requirement = stricter(requirement, required_by_permissions(permissions, request, profile=profile))
    return requirement_to_json(requirement, justification=request.justification)


def refuse_call(request: ExecRequest, *, profile: Profile, additional_permissions: bool = False) -> str | None:
    """The reason to refuse the call itself before any rule is evaluated, or ``None``.

    Args:
        additional_permissions: true if the host has enabled ``with_additional_permissions``.

    Raises:
        UsageError: an argument has the wrong type.
    """
    _accepted(request, profile)
    flag(additional_permissions, "`additional_permissions`")
    if not request.command or not request.command[0]:
        return "there is no command to run"
    permissions = request.sandbox_permissions
    if permissions is None:
        if request.justification is not None and profile.justification_needs_permissions:
            return (
                "`justification` requires an explicit `sandbox_permissions`; use "
                '`sandbox_permissions: "require_escalated"` for unsandboxed execution, or omit `justification`.'
            )
        return None
    policy = profile.effective(request.approval_policy)
    if permissions is SandboxPermissions.REQUIRE_ESCALATED and not profile.may_escalate(policy):
        name = policy.debug()
        return (
            f"approval policy is {name}; reject command — you cannot ask for escalated permissions "
            f"if the approval policy is {name}"
        )
    if permissions is SandboxPermissions.WITH_ADDITIONAL_PERMISSIONS:
        if not additional_permissions:
            return (
                "additional permissions are disabled; enable `features.exec_permission_approvals` before using "
                "`with_additional_permissions`"
            )
        if policy.kind is not AskKind.ON_REQUEST:
            return (
                f"approval policy is {policy.debug()}; reject command — you cannot request additional permissions "
                "unless the approval policy is OnRequest"
            )
    return None


def fallback_for(request: ExecRequest, *, profile: Profile) -> Callable[[Leaning], Decision]:
    """Maps the heuristics' opinion of a command that no rule settles to its decision."""
    cells = profile.fallback[profile.effective(request.approval_policy).kind]
    if not request.sandbox_policy.confined:
        return lambda opinion: cells[opinion].unconfined
    if request.permissions.overrides:
        return lambda opinion: cells[opinion].escalated
    return lambda opinion: cells[opinion].confined


def create_exec_approval_requirement_for_command(
    request: ExecRequest, rules: object, *, profile: Profile
) -> ExecApprovalRequirement:
    """The requirement of rules and heuristics for a request that :func:`refuse_call` accepted.

    Raises:
        UsageError: an argument has the wrong type.
    """
    _accepted(request, profile)
    assessment = profile.assessor(request, rules, fallback_for(request, profile=profile))
    policy = profile.effective(request.approval_policy)
    if assessment.decision is Decision.FORBIDDEN:
        return Forbidden(reason=assessment.reason or _forbidden_reason(assessment))
    if assessment.decision is Decision.ALLOW:
        return Skip(
            bypass_sandbox=assessment.granted,
            proposed_execpolicy_amendment=proposed_execpolicy_amendment(assessment, request, profile=profile),
            reason=assessment.reason and (_WITHOUT_A_QUESTION if assessment.open else assessment.reason),
        )
    prompting = assessment.rule_matches(Decision.PROMPT)
    by_rule = bool(prompting) or assessment.prompt_note is not None
    refusal = _prompt_refusal(policy, by_rule=by_rule, profile=profile)
    if refusal is not None:
        return Forbidden(reason=refusal)
    human_only = any(match.rule.human_only for match in prompting)
    offers = not human_only and (policy.granular is None or policy.granular.sandbox_approval)
    return NeedsApproval(
        reason=assessment.reason
        or _prompt_reason(assessment, prompting, "human approval" if human_only else "approval"),
        proposed_execpolicy_amendment=proposed_execpolicy_amendment(assessment, request, profile=profile)
        if offers
        else None,
        human_only=human_only,
    )


def _accepted(request: object, profile: object) -> None:
    instance(ExecRequest)(request, "the request")
    instance(Profile)(profile, "the profile")


def required_by_permissions(
    permissions: CommandRules | None, request: ExecRequest, *, profile: Profile
) -> ExecApprovalRequirement:
    """The requirement of permission rules. If the approval policy allows no question about rules, a prompt forbids."""
    required = None if permissions is None else permissions.requirement(request)
    if isinstance(required, NeedsApproval):
        refusal = _prompt_refusal(profile.effective(request.approval_policy), by_rule=True, profile=profile)
        return required if refusal is None else Forbidden(reason=refusal)
    return NOTHING_REQUIRED if required is None else required


def _prompt_refusal(policy: AskForApproval, *, by_rule: bool, profile: Profile) -> str | None:
    """The reason that ``policy`` does not allow the question, or ``None``."""
    if policy.kind is AskKind.NEVER:
        return _NEVER_PROMPTS
    if policy.granular is None:
        return None
    if by_rule:
        return None if policy.granular.rules else _RULES_OFF
    return None if policy.granular.sandbox_approval else profile.granular_refusal


def _prompt_reason(assessment: Assessment, prompting: Sequence[PrefixMatch], what: str) -> str | None:
    if not prompting and assessment.prompt_note is None:
        return None
    justification = _weightiest(prompting).rule.justification if prompting else assessment.prompt_note
    command = join(assessment.shown)
    if justification is None:
        return f"`{command}` requires {what} by policy"
    return f"`{command}` requires {what}: {justification}"


def _forbidden_reason(assessment: Assessment) -> str:
    forbidding = assessment.rule_matches(Decision.FORBIDDEN)
    command = join(assessment.shown)
    if forbidding:
        match = _weightiest(forbidding)
        if match.rule.justification is not None:
            return f"`{command}` rejected: {match.rule.justification}"
        return f"`{command}` rejected: policy forbids commands starting with `{join(match.prefix)}`"
    return f"`{command}` rejected: {assessment.refusal or 'blocked by policy'}"


def _weightiest(matches: Sequence[PrefixMatch]) -> PrefixMatch:
    """The match with the longest prefix; of several, the last."""
    return max(reversed(matches), key=lambda match: len(match.prefix))
