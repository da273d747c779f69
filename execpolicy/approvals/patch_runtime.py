"""Applies patches for the orchestrator: who must be asked, and about which files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from execpolicy.approvals.approval_store import patch_keys, with_cached_approval
from execpolicy.approvals.ask import AskKind
from execpolicy.approvals.outcomes import ToolRejectedError
from execpolicy.approvals.patch.apply import apply_plan
from execpolicy.approvals.patch.hunks import PatchError
from execpolicy.approvals.requirement import Forbidden, NeedsApproval, Skip
from execpolicy.approvals.sandboxing import SandboxMode
from execpolicy.safety.protected import protected as protected_reason

if TYPE_CHECKING:
    from execpolicy.approvals.approval_session import ApprovalSession, Turn
    from execpolicy.approvals.ask import AskForApproval
    from execpolicy.approvals.orchestrator import Attempt, QuestionContext
    from execpolicy.approvals.patch.patch_plan import PatchPlan
    from execpolicy.approvals.requirement import ExecApprovalRequirement
    from execpolicy.approvals.review import ReviewDecision
    from execpolicy.approvals.sandboxing import SandboxPolicy

_READ_ONLY = "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings"
_OUTSIDE = "patch rejected: writing outside of the project; rejected by user approval settings"

_KEPT = frozenset({".git", ".codex"})
"""What stands in such folders decides what runs or is allowed later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchRequest:
    """A patch that fits the files.

    Attributes:
        policy: the approval policy in force, aliases resolved.
        roots: the folders that the sandbox lets be written, links followed.
        protected: paths inside them that it does not; folders named ``.git`` and ``.codex`` are kept anyway.
    """

    call_id: str
    turn: Turn
    plan: PatchPlan
    policy: AskForApproval
    sandbox: SandboxPolicy
    roots: tuple[str, ...]
    protected: tuple[str, ...] = ()

    def outside(self) -> tuple[str, ...]:
        """The paths that the sandbox would not let be written."""
        if not self.sandbox.confined:
            return ()
        return tuple([path for path in self.plan.paths() if not self._writable(path)])

    def _writable(self, path: str) -> bool:
        if _below(path, self.protected) or protected_reason(path) is not None:
            return False
        inside = [path.removeprefix(root.rstrip("/") + "/") for root in self.roots if _below(path, (root,))]
        return bool(inside) and all(_KEPT.isdisjoint(rest.split("/")) for rest in inside)


def _below(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def patch_requirement(request: PatchRequest) -> ExecApprovalRequirement:
    """Whether a patch may be applied: inside what is writable without a question, elsewhere by the approval policy."""
    kind, granular = request.policy.kind, request.policy.granular
    if kind is AskKind.UNLESS_TRUSTED:
        return NeedsApproval()
    if not request.outside():
        return Skip()
    if kind is AskKind.NEVER or (granular is not None and not granular.sandbox_approval):
        return Forbidden(reason=_READ_ONLY if request.sandbox.mode is SandboxMode.READ_ONLY else _OUTSIDE)
    return NeedsApproval()


class PatchRuntime:
    """The patches of one session. They are applied in this process, so only after :func:`patch_requirement` is met."""

    escalates_on_failure = False

    def __init__(self, *, session: ApprovalSession) -> None:
        self._session = session

    def approval_requirement(self, request: PatchRequest) -> ExecApprovalRequirement:
        """See :func:`patch_requirement`."""
        return patch_requirement(request)

    def leaves_sandbox(self, request: PatchRequest) -> bool:
        """Whether a file outside the sandbox is written."""
        return bool(request.outside())

    async def ask(self, request: PatchRequest, context: QuestionContext) -> ReviewDecision:
        """Ask, unless every file of the patch was approved for the session."""
        outside = request.outside()
        return await with_cached_approval(
            self._session.store,
            () if context.reason is not None else patch_keys(request.plan.paths()),
            lambda: self._session.request_patch_approval(
                turn=request.turn,
                call_id=request.call_id,
                changes=request.plan.changes(),
                reason=context.reason,
                grant_root=_common_folder(outside) if outside else None,
            ),
        )

    async def run(self, request: PatchRequest, attempt: Attempt) -> str:
        """Apply the patch and say what changed.

        Raises:
            ToolRejectedError: a file changed meanwhile or cannot be written; nothing was changed.
        """
        try:
            apply_plan(request.plan)
        except PatchError as error:
            raise ToolRejectedError(f"patch rejected: {error}") from error
        return request.plan.summary()


def _common_folder(paths: tuple[str, ...]) -> str:
    return os.path.commonpath([os.path.dirname(path) for path in paths])
