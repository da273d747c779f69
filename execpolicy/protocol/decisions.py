"""The decision of the policy about a tool request, before any question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from execpolicy.amend.preview import why_not_savable
from execpolicy.permissions.ruleset import PermissionRule
from execpolicy.protocol.messages import Choice, ToolRequest
from execpolicy.validators import Checked, OneOf, argv


class Say(OneOf):
    """Allow, deny, or let a person decide."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling(Checked, proposal=argv):
    """A policy's answer.

    Attributes:
        reason: one line for the child and the person.
        rule_id: the id of the deciding rule.
        constraints: the limits of an allowed call.
        grave: true if only a person may allow it: no default action turns *ask* into *allow*.
        dangerous: true if the call is known to be dangerous; an agent that does not wait may be ended for it.
        once: true if an approval is valid for this one call only, because an administrator's rule requires it.
        grounds: the codes of the grounds for allowing a command (``execpolicy.judge.grounds``), for the audit trail.
        proposal: an argv prefix that could be allowed permanently, added for the question; empty if there is none.
    """

    say: Say
    reason: str
    rule_id: str | None = None
    constraints: Mapping[str, Any] | None = None
    grave: bool = False
    dangerous: bool = False
    once: bool = False
    grounds: tuple[str, ...] = ()
    proposal: tuple[str, ...] = ()

    def choices(self) -> tuple[Choice, ...]:
        """The answers that a host may send."""
        session = () if self.once else (Choice.SESSION,)
        keep = (Choice.KEEP,) if self.proposal else ()
        return (Choice.ONCE, *session, *keep, Choice.DENY, Choice.ABORT, Choice.UNAVAILABLE)

    def offers(self, prefix: tuple[str, ...]) -> bool:
        """True if ``prefix`` is the proposal or its first words, and is not too broad to be saved."""
        offered = bool(self.proposal) and self.proposal[: len(prefix)] == prefix
        return offered and why_not_savable(prefix or self.proposal) is None

    def changed(self, say: Say, reason: str) -> Ruling:
        """A ruling with another decision and reason, but the same rule and constraints."""
        return Ruling(say=say, reason=reason, rule_id=self.rule_id, constraints=self.constraints)


def question(reason: str, rule_id: str | None = None) -> Ruling:
    """A question that only a person may answer."""
    return Ruling(say=Say.ASK, reason=reason, rule_id=rule_id, grave=True)


def ruling_of(rule: PermissionRule | None, permission: str) -> Ruling:
    """The ruling of a permission rule; without one, a question."""
    if rule is None:
        return Ruling(say=Say.ASK, reason=f"no permission rule for {permission} matches")
    say = Say(rule.action.value)
    name = f"permission:{rule.permission}:{rule.pattern}"
    reason = f"permission {rule.permission} `{rule.pattern}`"
    return Ruling(say=say, reason=reason, rule_id=name, grave=say is Say.ASK)


_ORDER = {Say.ALLOW: 0, Say.ASK: 1, Say.DENY: 2}


def stricter(one: Ruling, other: Ruling | None) -> Ruling:
    """The stricter of two rulings; of two equally strict ones, the grave one."""
    if other is None or (_ORDER[one.say], one.grave) >= (_ORDER[other.say], other.grave):
        return one
    return other


class Decider(Protocol):
    """Decides about tool requests by rules alone."""

    def decide(self, request: ToolRequest, /) -> Ruling:
        """The ruling. An exception denies the request."""


class Keeper(Protocol):
    """Saves an approved prefix permanently."""

    def propose(self, request: ToolRequest, /) -> tuple[str, ...]:
        """The argv prefix that a person may allow permanently with this request; empty if there is none."""

    async def keep(self, prefix: tuple[str, ...], /) -> str:
        """Makes a rule for ``prefix`` effective and returns one line that describes the change.

        Raises:
            ExecPolicyError: it could not be saved.
        """
