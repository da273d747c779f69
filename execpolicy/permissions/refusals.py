"""The answers of an approver, their parser, and the three kinds of refusal, to which an agent reacts differently.

Sources: seed 001, "approval callback signature" and "return values"; seed 002, "Error Types" and Q5 (opencode's texts).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from execpolicy.errors import ExecPolicyError
from execpolicy.permissions.ruleset import PermissionRule, Ruleset, rules_only
from execpolicy.validators import Checked, text


class PermissionRefused(ExecPolicyError):
    """A refused tool call: it must not run."""


class RejectedError(PermissionRefused):
    """A refusal by the user without a message: the agent should stop."""

    def __init__(self, message: str = "The user rejected permission to use this specific tool call.") -> None:
        super().__init__(message)


class TimedOutError(RejectedError):
    """A request without an answer within ``seconds``, which counts as a refusal."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Nobody answered the permission request within {seconds:g} seconds.")
        self.seconds = seconds


class CorrectedError(PermissionRefused):
    """A refusal by the user with a message, ``feedback``: the agent may continue as the message says."""

    def __init__(self, feedback: str) -> None:
        text(feedback, "the user's words")
        super().__init__(
            f"The user rejected permission to use this specific tool call with the following feedback: {feedback}"
        )
        self.feedback = feedback


class DeniedError(PermissionRefused):
    """A refusal by a rule, without a question to the user; ``rules`` are those for this permission, in order."""

    def __init__(self, rules: Sequence[PermissionRule]) -> None:
        self.rules: Ruleset = rules_only(rules)
        listed = json.dumps([rule.to_json() for rule in self.rules], ensure_ascii=False, separators=(",", ":"))
        super().__init__(
            "The user has specified a rule which prevents you from using this specific tool call."
            f" Here are some of the relevant rules {listed}"
        )


APPROVER_FAILED = "the approval system failed"
NOBODY_TO_ASK = "nobody can be asked to approve this"
NOT_UNDERSTOOD = "the approver's answer was not understood"
DENIED = "denied by the user"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolApprovalResult(Checked):
    """An approver's answer.

    Attributes:
        params: parameters that replace those of the call; ``None`` keeps them.
        deny_reason: the reason for a refusal; always set if the call is not approved.
    """

    approved: bool
    params: Mapping[str, Any] | None = None
    deny_reason: str | None = None

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        if not self.approved and not self.deny_reason:
            object.__setattr__(self, "deny_reason", DENIED)


def read_answer(given: object) -> ToolApprovalResult:
    """Parses an answer: a bool, ``{approved, params?, deny_reason?}``, or a result, which is returned unchanged.

    Both ``deny_reason`` and ``denyReason`` are accepted. Only exactly ``True`` approves; everything else is a refusal.
    An answer with an unknown field (``parms``) is a refusal too, because it is unclear what was approved.
    """
    if isinstance(given, ToolApprovalResult):
        return given
    if isinstance(given, bool):
        return ToolApprovalResult(approved=given)
    if not isinstance(given, Mapping):
        return ToolApprovalResult(approved=False, deny_reason=NOT_UNDERSTOOD)
    approved, params = given.get("approved"), given.get("params")
    reason = given.get("deny_reason", given.get("denyReason"))
    if approved is False:
        return ToolApprovalResult(approved=False, deny_reason=reason if isinstance(reason, str) else None)
    unknown = given.keys() - {"approved", "params", "deny_reason", "denyReason"}
    named = isinstance(params, Mapping) and all(isinstance(name, str) for name in params)
    if approved is not True or unknown or not (params is None or named):
        return ToolApprovalResult(approved=False, deny_reason=NOT_UNDERSTOOD)
    return ToolApprovalResult(approved=True, params=deepcopy(dict(params)) if params is not None else None)
