"""A request to run a command, and its requirement before it may run: none, an approval, or a refusal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from execpolicy.approvals.ask import AskForApproval, ask_for_approval
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions, SandboxPolicy, sandbox_policy
from execpolicy.validators import Checked, argv, folder, optional
from execpolicy.validators import prefix as words


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecRequest(
    Checked,
    command=argv,
    approval_policy=ask_for_approval,
    sandbox_policy=sandbox_policy,
    cwd=folder,
    home=optional(folder),
    prefix_rule=argv,
):
    """A request to run a command. Every field is untrusted. Policies may be given by their words.

    Attributes:
        command: argv; a script has the form ``(shell, "-c" | "-lc", script)``.
        cwd: absolute working directory; relative program paths are relative to it.
        home: the value of ``~`` in a program path.
        sandbox_permissions: ``None`` if the call does not set them, which Codex distinguishes.
        justification: the caller's own words for the person who decides.
        prefix_rule: the prefix that the caller wants to save; empty for none.
    """

    command: tuple[str, ...]
    approval_policy: AskForApproval = AskForApproval.ON_REQUEST
    sandbox_policy: SandboxPolicy = SandboxPolicy.READ_ONLY
    cwd: str = "/"
    home: str | None = None
    sandbox_permissions: SandboxPermissions | None = None
    justification: str | None = None
    prefix_rule: tuple[str, ...] = ()

    @property
    def permissions(self) -> SandboxPermissions:
        """The requested permissions; the default if the call sets none."""
        return self.sandbox_permissions or SandboxPermissions.USE_DEFAULT


@dataclass(frozen=True, slots=True)
class ExecPolicyAmendment(Checked, prefix=words):
    """A program and further words that could be saved as an allow rule. In JSON a bare list of strings.

    A client of Codex may send an empty list: the request is approved, with a warning that nothing could be saved.
    """

    prefix: tuple[str, ...]

    def to_json(self) -> list[str]:
        """The words of the prefix."""
        return list(self.prefix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip(Checked):
    """Run without a question.

    Attributes:
        bypass_sandbox: allow rules cover every command, so the first attempt needs no sandbox.
        proposed_execpolicy_amendment: offered only if the sandboxed run fails and a retry outside needs approval.
        reason: why no question is asked; ``None`` where Codex's profile decides. No part of the comparison.
    """

    bypass_sandbox: bool = False
    proposed_execpolicy_amendment: ExecPolicyAmendment | None = None
    reason: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsApproval(Checked):
    """Ask a person first.

    Attributes:
        reason: the reason, one paragraph for that person; ``None`` uses the caller's justification.
        proposed_execpolicy_amendment: the prefix that an answer may save.
        human_only: an administrator's rule requires that a person answers each time. Automatic reviewers and remembered
            answers do not count.
    """

    reason: str | None = None
    proposed_execpolicy_amendment: ExecPolicyAmendment | None = None
    human_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden(Checked):
    """Do not run. ``reason`` is the message for the caller."""

    reason: str

    @property
    def proposed_execpolicy_amendment(self) -> None:
        """Always ``None``: no saved rule would allow the command."""
        return None


ExecApprovalRequirement: TypeAlias = Skip | NeedsApproval | Forbidden
"""One of the three requirements; usable with ``isinstance``."""

NOTHING_REQUIRED = Skip()


def stricter(one: ExecApprovalRequirement, other: ExecApprovalRequirement) -> ExecApprovalRequirement:
    """Combine two requirements: the stricter one applies. If both prompt, no amendment is offered."""
    if isinstance(one, Forbidden) or isinstance(other, Skip):
        return one
    if isinstance(other, Forbidden) or isinstance(one, Skip):
        return other
    reasons = [reason for reason in (one.reason, other.reason) if reason is not None]
    return NeedsApproval(reason="; ".join(reasons) or None, human_only=one.human_only or other.human_only)


def requirement_to_json(requirement: ExecApprovalRequirement, *, justification: str | None = None) -> dict[str, Any]:
    """``{kind, reason, proposed_execpolicy_amendment, bypass_sandbox}`` in the form of the question.

    ``reason`` falls back to the caller's ``justification``, as in the question. A prefix is reported only if a question
    offers it. The amendment that :class:`Skip` keeps for a later retry is ``null`` here.
    """
    reason, amendment = requirement.reason, None
    if isinstance(requirement, NeedsApproval):
        reason = reason if reason is not None else justification
        amendment = requirement.proposed_execpolicy_amendment
    return {
        "kind": {Skip: "skip", NeedsApproval: "needs_approval", Forbidden: "forbidden"}[type(requirement)],
        "reason": reason,
        "proposed_execpolicy_amendment": None if amendment is None else amendment.to_json(),
        "bypass_sandbox": isinstance(requirement, Skip) and requirement.bypass_sandbox,
    }
