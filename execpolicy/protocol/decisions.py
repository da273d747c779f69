"""What the policy says about a tool request, before anybody is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from execpolicy.amend.preview import why_not_savable
from execpolicy.protocol.messages import Choice, ToolRequest
from execpolicy.validators import OneOf, argv, flag, mapping, member, optional, settle, text, texts


class Say(OneOf):
    """Allow, deny, or let a person decide."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A policy's answer.

    Attributes:
        reason: one line for the child and the person.
        rule_id: what decided.
        constraints: what an allowed call is limited to.
        grave: no default action may turn *ask* into *allow*: a person has to look.
        dangerous: the call is known to destroy or to let others in; an agent that does not wait may be ended for it.
        once: a person's yes holds for this one call, whatever they answer: an administrator's rule wants it so.
        grounds: the codes of what an allow of a command rests on (``execpolicy.judge.grounds``), for the audit trail.
        proposal: an argv prefix that could be allowed for good, put in when the question is; empty if there is none.
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

    def __post_init__(self) -> None:
        settle(self, say=member(Say), reason=text, rule_id=optional(text), constraints=optional(mapping), grave=flag)
        settle(self, once=flag, dangerous=flag, grounds=texts, proposal=argv)

    def choices(self) -> tuple[Choice, ...]:
        """What a host may answer."""
        session = () if self.once else (Choice.SESSION,)
        keep = (Choice.KEEP,) if self.proposal else ()
        return (Choice.ONCE, *session, *keep, Choice.DENY, Choice.ABORT, Choice.UNAVAILABLE)

    def offers(self, prefix: tuple[str, ...]) -> bool:
        """Whether ``prefix`` is the proposal, or its first words and not too broad to be kept."""
        offered = bool(self.proposal) and self.proposal[: len(prefix)] == prefix
        return offered and why_not_savable(prefix or self.proposal) is None

    def changed(self, say: Say, reason: str) -> Ruling:
        """What is said in the end, and why: by the same rule, with the same constraints."""
        return Ruling(say=say, reason=reason, rule_id=self.rule_id, constraints=self.constraints)


class Decider(Protocol):
    """Decides about tool requests by rules alone."""

    def decide(self, request: ToolRequest, /) -> Ruling:
        """The ruling. What it raises denies the request."""


class Keeper(Protocol):
    """Keeps an approved prefix for good."""

    def propose(self, request: ToolRequest, /) -> tuple[str, ...]:
        """The argv prefix that a person may allow for good with this request; empty if there is none."""

    async def keep(self, prefix: tuple[str, ...], /) -> str:
        """Put a rule for ``prefix`` in force; one line that says what was done.

        Raises:
            ExecPolicyError: it could not be kept.
        """
