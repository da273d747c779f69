"""Applies patches for the orchestrator: decides whether approval is needed, and for which files."""

from __future__ import annotations

import os
from dataclasses import dataclass

from execpolicy.approvals.approval_session import ApprovalSession, Turn
from execpolicy.approvals.approval_store import patch_keys
from execpolicy.approvals.events import PatchBeginEvent, PatchEndEvent
from execpolicy.approvals.orchestrator import Attempt, QuestionContext, ToolRejectedError
from execpolicy.approvals.patch import PatchError, PatchPlan, apply_plan
from execpolicy.approvals.requirement import (
    NOTHING_REQUIRED,
    AskForApproval,
    AskKind,
    ExecApprovalRequirement,
    Forbidden,
    NeedsApproval,
    Skip,
    stricter,
)
from execpolicy.approvals.review import ReviewDecision
from execpolicy.approvals.sandbox.sandboxing import SandboxMode, SandboxPolicy, own_paths
from execpolicy.judge.folders.repository_around import why_guarded
from execpolicy.validators import instance

_READ_ONLY = "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings"
_OUTSIDE = "patch rejected: writing outside of the project; rejected by user approval settings"

_PROTECTED = frozenset({".git", ".codex"})
"""Files in these folders decide what later runs or is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchRequest:
    """A patch that fits the files.

    Attributes:
        policy: the effective approval policy, with aliases resolved.
        roots: the folders that are writable in the sandbox, with symbolic links resolved.
        protected: paths inside them that are not writable; folders named ``.git`` and ``.codex`` are always protected.
        required: a further requirement, in addition to the approval policy.
    """

    call_id: str
    turn: Turn
    plan: PatchPlan
    policy: AskForApproval
    sandbox: SandboxPolicy
    roots: tuple[str, ...]
    protected: tuple[str, ...] = ()
    home: str | None = None
    required: ExecApprovalRequirement = NOTHING_REQUIRED

    def outside(self) -> tuple[str, ...]:
        """The paths that are not writable in the sandbox."""
        if not self.sandbox.confined:
            return ()
        return tuple([path for path in self.plan.paths() if not self._writable(path)])

    def grantable_root(self) -> str | None:
        """The folder to grant for the paths outside the sandbox; ``None`` if there are none or the folder is too broad.

        Never granted are the whole system, a home folder, paths that decide about commands, and folders that contain
        them.
        """
        outside = self.outside()
        if not outside or any(_is_protected(path, self.protected) for path in outside):
            return None
        root = os.path.commonpath([os.path.dirname(path) for path in outside])
        homes = [os.path.realpath(home) for home in (self.home, os.path.expanduser("~")) if home]
        own = own_paths()
        holds = any(_below(place, (root,)) for place in (*homes, *own))
        too_much = root == "/" or holds or _below(root, own) or why_guarded(root) is not None
        return None if too_much else root

    def _writable(self, path: str) -> bool:
        if _is_protected(path, self.protected):
            return False
        inside = [path.removeprefix(root.rstrip("/") + "/") for root in self.roots if _below(path, (root,))]
        return bool(inside) and all(_PROTECTED.isdisjoint(rest.split("/")) for rest in inside)


def _is_protected(path: str, protected: tuple[str, ...]) -> bool:
    return _below(path, protected) or why_guarded(path) is not None


def _below(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def patch_requirement(request: PatchRequest) -> ExecApprovalRequirement:
    """The requirement of a patch: none inside writable folders, elsewhere that of the approval policy."""
    kind, granular = request.policy.kind, request.policy.granular
    if kind is AskKind.UNLESS_TRUSTED:
        return NeedsApproval()
    if not request.outside():
        return Skip()
    if kind is AskKind.NEVER or (granular is not None and not granular.sandbox_approval):
        return Forbidden(reason=_READ_ONLY if request.sandbox.mode is SandboxMode.READ_ONLY else _OUTSIDE)
    return NeedsApproval()


class PatchRuntime:
    """Runs the patches of one session. They are applied in this process, after :func:`patch_requirement` is met."""

    escalate_on_failure = False

    def __init__(self, *, session: ApprovalSession) -> None:
        self._session = instance(ApprovalSession)(session, "PatchRuntime: `session`")

    def exec_approval_requirement(self, request: PatchRequest) -> ExecApprovalRequirement:
        """See :func:`patch_requirement`."""
        return stricter(patch_requirement(request), request.required)

    def leaves_sandbox(self, request: PatchRequest) -> bool:
        """True if a file outside the sandbox is written."""
        return bool(request.outside())

    async def start_approval_async(self, request: PatchRequest, context: QuestionContext) -> ReviewDecision:
        """Ask, unless every file of the patch was approved for the session."""
        decision: ReviewDecision = await self._session.request_patch_approval(
            turn=request.turn,
            call_id=request.call_id,
            changes=request.plan.changes(),
            reason=context.reason,
            grant_root=request.grantable_root(),
            keys=() if context.reason is not None else patch_keys(request.plan.paths()),
        )
        return decision

    async def run(self, request: PatchRequest, attempt: Attempt) -> str:
        """Apply the patch and return a summary of the changes.

        Raises:
            ToolRejectedError: a file changed meanwhile or cannot be written; nothing was changed.
        """
        emit, ids = self._session.emit, {"call_id": request.call_id, "turn_id": request.turn.id}
        emit(PatchBeginEvent(**ids, paths=request.plan.paths()))
        try:
            apply_plan(request.plan)
        except PatchError as error:
            emit(PatchEndEvent(**ids, success=False))
            raise ToolRejectedError(f"patch rejected: {error}") from error
        emit(PatchEndEvent(**ids, success=True))
        return request.plan.summary()
