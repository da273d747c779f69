"""What an approver may answer, and how it is read.

Source: seed 001, "approval callback signature" and "return values".
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from execpolicy.validators import flag, mapping, optional, settle, text

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
