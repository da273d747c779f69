"""Approval, choice of sandbox, attempt, retry: the same sequence for every tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from execpolicy.approvals.ask import AskKind
from execpolicy.approvals.outcomes import SandboxDeniedError, ToolRejectedError, TurnAbortedError
from execpolicy.approvals.requirement import Forbidden, NeedsApproval, Skip
from execpolicy.approvals.review import REJECTED_BY_USER, TIMED_OUT, Abort, Denied, TimedOut, is_approval

if TYPE_CHECKING:
    from execpolicy.approvals.approval_session import Turn
    from execpolicy.approvals.ask import AskForApproval
    from execpolicy.approvals.profile import Profile
    from execpolicy.approvals.requirement import ExecApprovalRequirement, ExecPolicyAmendment
    from execpolicy.approvals.review import ReviewDecision
    from execpolicy.approvals.sandboxing import SandboxPolicy

RETRY_REASON = "command failed; retry without sandbox?"

Request = TypeVar("Request", contravariant=True)
Output = TypeVar("Output", covariant=True)
Result = TypeVar("Result", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionContext:
    """What a question is about beside the request.

    Attributes:
        reason: why it is asked; ``None`` leaves it to the request's own justification.
        retry: it is about a second attempt, outside the sandbox.
        human_only: only a person may answer, and the answer is not remembered.
    """

    reason: str | None
    proposed_amendment: ExecPolicyAmendment | None
    retry: bool = False
    human_only: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """How to run: inside ``sandbox``, or unconfined where that is ``None``."""

    sandbox: SandboxPolicy | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome(Generic[Result]):
    """A tool's result.

    Attributes:
        attempt: the one that the result is from.
        asked: whether someone was asked, or an earlier answer for the session was used.
        retried: the sandbox denied the first attempt.
    """

    output: Result
    attempt: Attempt
    asked: bool
    retried: bool = False


class ToolRuntime(Protocol[Request, Output]):
    """A tool that can be approved, sandboxed and run."""

    @property
    def escalates_on_failure(self) -> bool:
        """Whether a run that the sandbox denied may be tried again outside it."""
        ...

    def approval_requirement(self, request: Request) -> ExecApprovalRequirement | None:
        """The tool's own requirement; ``None`` takes the default for the policies in force."""
        ...

    def leaves_sandbox(self, request: Request) -> bool:
        """Whether ``request`` asks to run unconfined at once. It does so only when it was approved."""
        ...

    async def ask(self, request: Request, context: QuestionContext) -> ReviewDecision:
        """Ask about ``request``, or answer from what the session remembers."""
        ...

    async def run(self, request: Request, attempt: Attempt) -> Output:
        """Run ``request``.

        Raises:
            SandboxDeniedError: the sandbox stood in its way.
        """
        ...


def default_exec_approval_requirement(
    policy: AskForApproval, sandbox: SandboxPolicy, *, profile: Profile
) -> ExecApprovalRequirement:
    """What a tool without a requirement of its own needs."""
    policy = profile.effective(policy)
    if policy.kind in (AskKind.NEVER, AskKind.ON_FAILURE):
        return Skip()
    if policy.kind is AskKind.UNLESS_TRUSTED:
        return NeedsApproval()
    if not sandbox.confined:
        return Skip()
    if policy.granular is not None and not policy.granular.sandbox_approval:
        return Forbidden(reason="approval policy disallowed sandbox approval prompt")
    return NeedsApproval()


class ToolOrchestrator:
    """Drives tools through approval and sandbox."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    async def run(
        self,
        tool: ToolRuntime[Request, Result],
        request: Request,
        *,
        turn: Turn,
        policy: AskForApproval,
        sandbox: SandboxPolicy,
    ) -> RunOutcome[Result]:
        """The result of running ``request``, once or, where policy and answers permit, a second time unconfined.

        Raises:
            ToolRejectedError: a rule, the policy or a person refused.
            TurnAbortedError: a person stopped the turn.
            SandboxDeniedError: the sandbox stood in the way and no retry was permitted.
        """
        with turn.running():
            return await self._run(tool, request, turn, self._profile.effective(policy), sandbox)

    async def _run(
        self,
        tool: ToolRuntime[Request, Result],
        request: Request,
        turn: Turn,
        policy: AskForApproval,
        sandbox: SandboxPolicy,
    ) -> RunOutcome[Result]:
        if turn.aborted:
            raise TurnAbortedError(turn.id)
        requirement = tool.approval_requirement(request)
        if requirement is None:
            requirement = default_exec_approval_requirement(policy, sandbox, profile=self._profile)
        if isinstance(requirement, Forbidden):
            raise ToolRejectedError(requirement.reason)
        approved = isinstance(requirement, NeedsApproval)
        if isinstance(requirement, NeedsApproval):
            context = QuestionContext(
                reason=requirement.reason,
                proposed_amendment=requirement.proposed_amendment,
                human_only=requirement.human_only,
            )
            _insist(await tool.ask(request, context), turn)
        bypass = isinstance(requirement, Skip) and requirement.bypass_sandbox
        first = Attempt(None if bypass or not sandbox.confined or tool.leaves_sandbox(request) else sandbox)
        try:
            output = await tool.run(request, first)
        except SandboxDeniedError:
            if first.sandbox is None or not tool.escalates_on_failure or not self._profile.may_retry(policy):
                raise
        else:
            return RunOutcome(output=output, attempt=first, asked=approved)
        if not approved:
            context = QuestionContext(
                reason=RETRY_REASON, proposed_amendment=requirement.proposed_amendment, retry=True
            )
            _insist(await tool.ask(request, context), turn)
        second = Attempt(None)
        return RunOutcome(output=await tool.run(request, second), attempt=second, asked=True, retried=True)


def _insist(decision: ReviewDecision, turn: Turn) -> None:
    """Return only if ``decision`` is a yes. Whatever is not understood is a no."""
    if turn.aborted or isinstance(decision, Abort):
        raise TurnAbortedError(turn.id)
    if is_approval(decision):
        return
    if isinstance(decision, TimedOut):
        raise ToolRejectedError(TIMED_OUT)
    raise ToolRejectedError(decision.text() if isinstance(decision, Denied) else REJECTED_BY_USER)
