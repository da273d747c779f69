"""What an approver may answer, and how it is read.

Source: seed 001, "approval callback signature" and "return values".

How a permission request ends when it is not granted: three kinds, because the agent reacts differently to each.

Source: seed 002, "Error Types" and Q5; the texts are opencode's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from execpolicy.errors import ExecPolicyError
from execpolicy.permissions.ruleset import PermissionRule, Ruleset, rules_only
from execpolicy.validators import flag, mapping, optional, settle, text


class PermissionRefused(ExecPolicyError):
    """The tool call must not run."""


class RejectedError(PermissionRefused):
    """The user said no without a word: the agent should stop."""

    def __init__(self, message: str = "The user rejected permission to use this specific tool call.") -> None:
        super().__init__(message)


class TimedOutError(RejectedError):
    """Nobody answered in time, which counts as no.

    Attributes:
        seconds: how long the request waited.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Nobody answered the permission request within {seconds:g} seconds.")
        self.seconds = seconds


class CorrectedError(PermissionRefused):
    """The user said no and what to do instead: the agent may go on with that.

    Attributes:
        feedback: the user's words.
    """

    def __init__(self, feedback: str) -> None:
        text(feedback, "the user's words")
        super().__init__(
            f"The user rejected permission to use this specific tool call with the following feedback: {feedback}"
        )
        self.feedback = feedback


class DeniedError(PermissionRefused):
    """A rule said no; nobody was asked.

    Attributes:
        rules: the configured rules that speak for this permission, in order.
    """

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
class ToolApprovalResult:
    """An approver's answer.

    Attributes:
        params: parameters to run with instead of those that were asked about; ``None`` leaves them.
        deny_reason: why not; always set when it is a refusal.
    """

    approved: bool
    params: Mapping[str, Any] | None = None
    deny_reason: str | None = None

    def __post_init__(self) -> None:
        settle(self, approved=flag, params=optional(mapping), deny_reason=optional(text))
        if not self.approved and not self.deny_reason:
            object.__setattr__(self, "deny_reason", DENIED)


def read_answer(given: object) -> ToolApprovalResult:
    """The answer that ``given`` stands for: a bool, ``{approved, params?, deny_reason?}``, or a result as it is.

    Both ``deny_reason`` and ``denyReason`` are read. Everything else is a refusal: only exactly ``True`` approves, and
    with a field that nobody knows (``parms``) it is not known what was approved.
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
    if approved is not True or unknown or not (params is None or _is_params(params)):
        return ToolApprovalResult(approved=False, deny_reason=NOT_UNDERSTOOD)
    return ToolApprovalResult(approved=True, params=deepcopy(dict(params)) if params is not None else None)


def _is_params(params: object) -> bool:
    return isinstance(params, Mapping) and all(isinstance(name, str) for name in params)
