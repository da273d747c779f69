"""What must happen before a command may run: nothing, a question, or it may not run at all.

One command that an agent wants to run, with everything that the decision depends on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from execpolicy.approvals.ask import AskForApproval, ask_for_approval
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions, SandboxPolicy, sandbox_policy
from execpolicy.validators import argv, flag, folder, instance, member, optional, settle, text
from execpolicy.validators import prefix as words


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecRequest:
    """What is asked for. Nothing in it is trusted. Policies may be given by their words.

    Attributes:
        command: argv; a script stands as ``(shell, "-c" | "-lc", script)``.
        cwd: absolute working folder; relative program paths are taken from it.
        home: what ``~`` stands for in a program path.
        sandbox_permissions: ``None`` when the call does not mention them, which Codex tells apart.
        justification: the caller's own words for the person asked.
        prefix_rule: the prefix that the caller would like to be saved; empty for none.
    """

    command: tuple[str, ...]
    approval_policy: AskForApproval = AskForApproval.ON_REQUEST
    sandbox_policy: SandboxPolicy = SandboxPolicy.READ_ONLY
    cwd: str = "/"
    home: str | None = None
    sandbox_permissions: SandboxPermissions | None = None
    justification: str | None = None
    prefix_rule: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        settle(self, command=argv, approval_policy=ask_for_approval, sandbox_policy=sandbox_policy, cwd=folder)
        settle(self, home=optional(folder), sandbox_permissions=optional(member(SandboxPermissions)))
        settle(self, justification=optional(text), prefix_rule=argv)

    @property
    def permissions(self) -> SandboxPermissions:
        """The permissions asked for, the default where none are mentioned."""
        return self.sandbox_permissions or SandboxPermissions.USE_DEFAULT


@dataclass(frozen=True, slots=True)
class ExecPolicyAmendment:
    """A program and further words that could be saved as an allow rule. On the wire a bare list of strings.

    A client of Codex may send an empty one: a yes, and what is told is that nothing could be saved.
    """

    prefix: tuple[str, ...]

    def __post_init__(self) -> None:
        settle(self, prefix=words)

    def to_json(self) -> list[str]:
        """The tokens."""
        return list(self.prefix)


_AMENDMENT = optional(instance(ExecPolicyAmendment))


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Run without a question.

    Attributes:
        bypass_sandbox: every command is covered by an allow rule, so the first attempt needs no sandbox.
        proposed_execpolicy_amendment: offered only if the sandboxed run fails and a retry outside is asked about.
    """

    bypass_sandbox: bool = False
    proposed_execpolicy_amendment: ExecPolicyAmendment | None = None

    def __post_init__(self) -> None:
        settle(self, bypass_sandbox=flag, proposed_execpolicy_amendment=_AMENDMENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsApproval:
    """Ask a person first.

    Attributes:
        reason: why, one paragraph for that person; ``None`` leaves it to the caller's own justification.
        proposed_execpolicy_amendment: the prefix that an answer may save.
        human_only: an administrator's rule wants a person to answer, each time: no automatic reviewer, and nothing that
            is remembered.
    """

    reason: str | None = None
    proposed_execpolicy_amendment: ExecPolicyAmendment | None = None
    human_only: bool = False

    def __post_init__(self) -> None:
        settle(self, reason=optional(text), proposed_execpolicy_amendment=_AMENDMENT, human_only=flag)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden:
    """Do not run. ``reason`` is what the caller is told."""

    reason: str

    def __post_init__(self) -> None:
        settle(self, reason=text)

    @property
    def proposed_execpolicy_amendment(self) -> None:
        """Nothing can be saved that would let it run."""
        return None


ExecApprovalRequirement: TypeAlias = Skip | NeedsApproval | Forbidden
"""One of the three; ``isinstance`` takes it."""

NOTHING_REQUIRED = Skip()


def stricter(one: ExecApprovalRequirement, other: ExecApprovalRequirement) -> ExecApprovalRequirement:
    """Both of them: what either forbids, or asks about. Nothing is offered to be saved for the other's question."""
    if isinstance(one, Forbidden) or isinstance(other, Skip):
        return one
    if isinstance(other, Forbidden) or isinstance(one, Skip):
        return other
    return NeedsApproval(
        reason=_both(one.reason, other.reason),
        human_only=one.human_only or other.human_only,
    )


def _both(one: str | None, other: str | None) -> str | None:
    return "; ".join([reason for reason in (one, other) if reason is not None]) or None


def requirement_to_json(requirement: ExecApprovalRequirement, *, justification: str | None = None) -> dict[str, Any]:
    """``{kind, reason, proposed_execpolicy_amendment, bypass_sandbox}`` as a person would be asked.

    ``reason`` falls back to the caller's ``justification``, as the question does. A prefix is only reported where a
    question offers it: the one kept in :class:`Skip` for a later retry is ``null`` here.
    """
    kind, reason, amendment, bypass = "skip", None, None, False
    if isinstance(requirement, NeedsApproval):
        kind = "needs_approval"
        reason = requirement.reason if requirement.reason is not None else justification
        amendment = requirement.proposed_execpolicy_amendment
    elif isinstance(requirement, Forbidden):
        kind, reason = "forbidden", requirement.reason
    else:
        bypass = requirement.bypass_sandbox
    return {
        "kind": kind,
        "reason": reason,
        "proposed_execpolicy_amendment": None if amendment is None else amendment.to_json(),
        "bypass_sandbox": bypass,
    }
