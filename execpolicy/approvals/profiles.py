"""Whose semantics hold: ``default`` (the written specification with our reader) or ``codex-0.169`` (as measured)."""

from __future__ import annotations

from execpolicy.amend.refusal import refusal
from execpolicy.approvals.ask import AskForApproval, AskKind
from execpolicy.approvals.assessment import Opinion
from execpolicy.approvals.codex_assessor import assess_as_codex
from execpolicy.approvals.judge_assessor import assess_with_judge
from execpolicy.approvals.output import codex_rejection
from execpolicy.approvals.profile import Cell, Profile
from execpolicy.approvals.request import shell_argv
from execpolicy.core.decision import Decision
from execpolicy.errors import UsageError

_A, _P, _F = Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN
_ALLOWED, _ASKED, _REFUSED = Cell(_A, _A, _A), Cell(_P, _P, _P), Cell(_F, _F, _F)
_SANDBOXED = Cell(_A, _P, _A)
_SAFE, _UNKNOWN, _DANGEROUS = Opinion.SAFE, Opinion.UNKNOWN, Opinion.DANGEROUS


def _named_shell(script: str, shell: str | None, login: bool) -> tuple[str, ...]:
    return ("bash" if shell is None else shell, "-lc" if login else "-c", script)


def _codex_shell(script: str, shell: str | None, login: bool) -> tuple[str, ...]:
    return shell_argv(script, shell=shell, login=login)


def _never_refused(prefix: tuple[str, ...]) -> str | None:
    return None


DEFAULT = Profile(
    name="default",
    assessor=assess_with_judge,
    aliases={},
    fallback={
        AskKind.NEVER: {_SAFE: _ALLOWED, _UNKNOWN: _ALLOWED, _DANGEROUS: _REFUSED},
        AskKind.ON_FAILURE: {_SAFE: _ALLOWED, _UNKNOWN: _ALLOWED, _DANGEROUS: _ASKED},
        AskKind.ON_REQUEST: {_SAFE: _ALLOWED, _UNKNOWN: _SANDBOXED, _DANGEROUS: _ASKED},
        AskKind.GRANULAR: {_SAFE: _ALLOWED, _UNKNOWN: _SANDBOXED, _DANGEROUS: _ASKED},
        AskKind.UNLESS_TRUSTED: {_SAFE: _ALLOWED, _UNKNOWN: _ASKED, _DANGEROUS: _ASKED},
    },
    escalation=frozenset({AskKind.ON_REQUEST}),
    granular_escalation=False,
    granular_refusal="approval required by policy, but AskForApproval::Granular.sandbox_approval is false",
    justification_needs_permissions=False,
    refuses_proposal=refusal,
    canonical_keys=False,
    rejection=str,
    argv_of=_named_shell,
    retry_without_sandbox=frozenset({AskKind.ON_FAILURE, AskKind.UNLESS_TRUSTED}),
)
"""The written specification: a safe list, ``on-failure`` as a policy of its own, escalation under on-request only."""

CODEX_0_169 = Profile(
    name="codex-0.169",
    assessor=assess_as_codex,
    aliases={AskKind.ON_FAILURE: AskForApproval.ON_REQUEST},
    fallback={
        AskKind.NEVER: {_SAFE: _ALLOWED, _UNKNOWN: _ALLOWED, _DANGEROUS: _REFUSED},
        AskKind.ON_REQUEST: {_SAFE: _SANDBOXED, _UNKNOWN: _SANDBOXED, _DANGEROUS: _ASKED},
        AskKind.GRANULAR: {_SAFE: _SANDBOXED, _UNKNOWN: _SANDBOXED, _DANGEROUS: _ASKED},
        AskKind.UNLESS_TRUSTED: {_SAFE: _ASKED, _UNKNOWN: _ASKED, _DANGEROUS: _ASKED},
    },
    escalation=frozenset({AskKind.ON_REQUEST, AskKind.UNLESS_TRUSTED}),
    granular_escalation=True,
    granular_refusal=None,
    justification_needs_permissions=True,
    refuses_proposal=_never_refused,
    canonical_keys=True,
    rejection=codex_rejection,
    argv_of=_codex_shell,
    retry_without_sandbox=frozenset({AskKind.UNLESS_TRUSTED}),
)
"""Exactly what the recorded cases show."""

_BY_NAME = {profile.name: profile for profile in (DEFAULT, CODEX_0_169)}


def profile_named(name: str) -> Profile:
    """The profile of that name.

    Raises:
        UsageError: there is none; the message lists the names.
    """
    profile = _BY_NAME.get(name)
    if profile is None:
        raise UsageError(f"unknown profile {name!r}: write one of {', '.join(_BY_NAME)}")
    return profile
