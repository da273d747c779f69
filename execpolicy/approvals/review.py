"""The answers to an approval request, from a person or an automatic reviewer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.core.answer import Answer, AnswerKind
from execpolicy.core.hosts import normalise_host
from execpolicy.errors import InvalidRuleError, UsageError
from execpolicy.validators import Checked, instance, name, shown

MAX_REJECTION_BYTES = 4096
"""Longer rejection texts are cut at a character boundary, so that an answer cannot flood the agent's context."""

REJECTED_BY_USER = "rejected by user"
TIMED_OUT = "no one answered the approval request in time"


@dataclass(frozen=True, slots=True)
class Approved:
    """Yes, once."""


@dataclass(frozen=True, slots=True)
class ApprovedForSession:
    """Yes, and do not ask again in this session for exactly the same request."""


@dataclass(frozen=True, slots=True)
class ApprovedExecpolicyAmendment(Checked):
    """Yes, and save ``proposed_execpolicy_amendment`` as an allow rule."""

    proposed_execpolicy_amendment: ExecPolicyAmendment


def _host(value: Any, what: str) -> str:
    try:
        return normalise_host(name(value, what))
    except InvalidRuleError as error:
        raise UsageError(f"{what} is none: {error}") from None


@dataclass(frozen=True, slots=True)
class NetworkAmendment(Checked, host=_host):
    """A lasting answer about a host (normalised): ``allow`` is a yes, ``deny`` a no."""

    host: str
    action: Literal["allow", "deny"]


@dataclass(frozen=True, slots=True)
class Denied(Checked):
    """No; the agent continues and receives ``rejection``, or a message that the user rejected the request."""

    rejection: str | None = None

    def text(self) -> str:
        """The message for the agent."""
        if not self.rejection:
            return REJECTED_BY_USER
        return self.rejection.encode("utf-8", "replace")[:MAX_REJECTION_BYTES].decode("utf-8", "ignore")


@dataclass(frozen=True, slots=True)
class TimedOut:
    """No, because the request was not answered in time."""


@dataclass(frozen=True, slots=True)
class Abort:
    """No, and stop the whole turn."""


ReviewDecision: TypeAlias = (
    Approved | ApprovedForSession | ApprovedExecpolicyAmendment | NetworkAmendment | Denied | TimedOut | Abort
)
"""An answer to a request; usable with ``isinstance``. :func:`decision_from_json` parses its word."""


def is_approval(decision: ReviewDecision) -> bool:
    """True if ``decision`` lets the command run."""
    if isinstance(decision, NetworkAmendment):
        return decision.action == "allow"
    return isinstance(decision, Approved | ApprovedForSession | ApprovedExecpolicyAmendment)


def decision_of(answer: Answer) -> ReviewDecision:
    """``answer`` as a decision; one that saves no certain rule is a plain yes, and a missing one is a no."""
    match instance(Answer)(answer, "the answer").kind:
        case AnswerKind.APPROVE_SESSION:
            return ApprovedForSession()
        case AnswerKind.APPROVE_RULE if answer.amendment:
            return ApprovedExecpolicyAmendment(ExecPolicyAmendment(answer.amendment))
        case AnswerKind.ABORT:
            return Abort()
    return Approved() if answer.approves else Denied(answer.feedback)


def answer_of(decision: ReviewDecision) -> Answer:
    """``decision`` as an answer."""
    match decision_from_json(decision):
        case ApprovedExecpolicyAmendment(saved):
            return Answer(AnswerKind.APPROVE_RULE, amendment=saved.prefix)
        case ApprovedForSession():
            return Answer(AnswerKind.APPROVE_SESSION)
        case Abort():
            return Answer(AnswerKind.ABORT)
        case Denied(rejection):
            return Answer(AnswerKind.DENY, rejection)
        case TimedOut():
            return Answer(AnswerKind.UNAVAILABLE, TIMED_OUT)
    return Answer(AnswerKind.APPROVE if is_approval(decision) else AnswerKind.DENY)


def decision_to_json(decision: ReviewDecision) -> str | dict[str, Any]:
    """The wire form: snake case, a bare word if there is no further data.

    Raises:
        UsageError: it is no decision.
    """
    if isinstance(decision, ApprovedExecpolicyAmendment):
        return {
            "approved_execpolicy_amendment": {
                "proposed_execpolicy_amendment": decision.proposed_execpolicy_amendment.to_json()
            }
        }
    if isinstance(decision, NetworkAmendment):
        amendment = {"host": decision.host, "action": decision.action}
        return {"network_policy_amendment": {"network_policy_amendment": amendment}}
    if isinstance(decision, Denied):
        return "denied" if decision.rejection is None else {"denied": {"rejection": decision.rejection}}
    if type(decision) not in _WORDS:
        raise UsageError(f"there is no such decision: {shown(decision)}")
    return _WORDS[type(decision)]


_WORDS: dict[type, str] = {
    Approved: "approved",
    ApprovedForSession: "approved_for_session",
    TimedOut: "timed_out",
    Abort: "abort",
}
_BY_WORD: dict[str, ReviewDecision] = {
    **{word: kind() for kind, word in _WORDS.items()},
    "denied": Denied(),
    "accept": Approved(),
    "acceptForSession": ApprovedForSession(),
    "decline": Denied(),
    "cancel": Abort(),
}


def decision_from_json(value: object) -> ReviewDecision:
    """Parse ``value`` into a decision: the wire form, or the words of Codex's app server (``accept``, …).

    A decision is returned unchanged; an :class:`Answer` is translated.

    Raises:
        UsageError: ``value`` is not an answer. A host that must continue treats it as :class:`Denied`.
    """
    if isinstance(value, ReviewDecision):
        return value
    if isinstance(value, Answer):
        return decision_of(value)
    if isinstance(value, str) and value in _BY_WORD:
        return _BY_WORD[value]
    match value if isinstance(value, dict) and len(value) == 1 else None:
        case {"denied": {"rejection": str(rejection)}}:
            return Denied(rejection)
        case {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": list(words)}} | {
            "acceptWithExecpolicyAmendment": {"execpolicy_amendment": list(words)}
        } if all(isinstance(word, str) for word in words):
            return ApprovedExecpolicyAmendment(ExecPolicyAmendment(tuple(words)))
        case {"network_policy_amendment": {"network_policy_amendment": {"host": str(host), "action": action}}} | {
            "applyNetworkPolicyAmendment": {"network_policy_amendment": {"host": str(host), "action": action}}
        } if action in ("allow", "deny"):
            return NetworkAmendment(host, action)
    raise UsageError(
        f"unknown review decision {value!r}: write approved, approved_for_session, "
        '{"approved_execpolicy_amendment": …}, denied, timed_out or abort'
    )
