"""Approval, choice of sandbox, attempt and retry: the same sequence for every tool, and the errors that end a call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from execpolicy.approvals.approval_session import Turn
from execpolicy.approvals.profile import Profile
from execpolicy.approvals.requirement import (
    AskForApproval,
    AskKind,
    ExecApprovalRequirement,
    ExecPolicyAmendment,
    Forbidden,
    NeedsApproval,
    Skip,
    ask_for_approval,
)
from execpolicy.approvals.review import (
    REJECTED_BY_USER,
    TIMED_OUT,
    Abort,
    Denied,
    ReviewDecision,
    TimedOut,
    is_approval,
)
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy, sandbox_policy
from execpolicy.errors import ExecPolicyError
from execpolicy.validators import Checked, flag, instance, optional, port


class ToolRejectedError(ExecPolicyError):
    """The call is rejected. ``reason`` is for the agent.

    Attributes:
        ran_confined: it ran once and the sandbox blocked it; it is not run again without a sandbox.
    """

    def __init__(self, reason: str, *, ran_confined: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.ran_confined = flag(ran_confined, "ToolRejectedError: `ran_confined`")


class SandboxUnavailableError(ToolRejectedError):
    """A sandbox is required and this machine has none; the reason says what to install or which setting to change."""


class TurnAbortedError(ExecPolicyError):
    """A person stopped the whole turn."""

    def __init__(self, turn_id: str) -> None:
        super().__init__(f"turn {turn_id} was aborted")
        self.turn_id = turn_id


class SandboxDeniedError(ExecPolicyError):
    """The command ran and the sandbox blocked it; ``output`` is the tool's normal return value."""

    def __init__(self, output: Any) -> None:
        super().__init__("the sandbox denied what the command tried to do")
        self.output = output


_requirement = optional(instance(Skip, NeedsApproval, Forbidden))
_runtime = port("exec_approval_requirement", "leaves_sandbox", "start_approval_async", "run")

RETRY_REASON = "command failed; retry without sandbox?"

Request = TypeVar("Request", contravariant=True)
Output = TypeVar("Output", covariant=True)
Result = TypeVar("Result", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionContext(Checked):
    """The context of a question, in addition to the request.

    Attributes:
        reason: the reason for the question; ``None`` uses the request's own justification.
        attempt: how the request would run.
        retry: the question is about a second attempt, outside the sandbox.
        retries_unasked: if the sandbox blocks the run, it is repeated without a sandbox and without a question.
        human_only: only a person may answer, and the answer is not remembered.
    """

    reason: str | None
    proposed_execpolicy_amendment: ExecPolicyAmendment | None
    attempt: Attempt
    retry: bool = False
    retries_unasked: bool = False
    human_only: bool = False


@dataclass(frozen=True, slots=True)
class Attempt(Checked, sandbox=optional(sandbox_policy)):
    """How a request runs: inside ``sandbox``, or unconfined if that is ``None``.

    Attributes:
        reason: why it runs, or why a person was asked; no part of the comparison.
    """

    sandbox: SandboxPolicy | None
    reason: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome(Checked, Generic[Result]):
    """A tool's result.

    Attributes:
        attempt: the attempt that produced the result.
        asked: true if the request was approved now or by an earlier answer for the session.
        retried: the sandbox denied the first attempt.
    """

    output: Result
    attempt: Attempt
    asked: bool
    retried: bool = False


class ToolRuntime(Protocol[Request, Output]):
    """A tool that can be approved, sandboxed and run."""

    @property
    def escalate_on_failure(self) -> bool:
        """True if a run that the sandbox denied may be repeated outside it."""

    def exec_approval_requirement(self, request: Request) -> ExecApprovalRequirement | None:
        """The tool's own requirement; ``None`` uses the default for the effective policies."""

    def leaves_sandbox(self, request: Request) -> bool:
        """True if ``request`` asks to run unconfined at the first attempt. It does so only if approved."""

    async def start_approval_async(self, request: Request, context: QuestionContext) -> ReviewDecision:
        """Ask about ``request``, or return a remembered answer. The wire form of a decision is not accepted here."""

    async def run(self, request: Request, attempt: Attempt) -> Output:
        """Run ``request``.

        Raises:
            SandboxDeniedError: the sandbox blocked it.
        """


def default_exec_approval_requirement(
    policy: AskForApproval, sandbox: SandboxPolicy, *, profile: Profile
) -> ExecApprovalRequirement:
    """The requirement of a tool that has none of its own. Policies may be given by their words."""
    policy = instance(Profile)(profile, "the profile").effective(ask_for_approval(policy, "the approval policy"))
    sandbox = sandbox_policy(sandbox, "the sandbox policy")
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
    """Runs tools with approval and sandbox."""

    def __init__(self, profile: Profile) -> None:
        self._profile = instance(Profile)(profile, "ToolOrchestrator: `profile`")

    async def run(
        self,
        tool: ToolRuntime[Request, Result],
        request: Request,
        *,
        turn: Turn,
        policy: AskForApproval,
        sandbox: SandboxPolicy,
    ) -> RunOutcome[Result]:
        """Run ``request`` and return the result. Policy and answers may permit a second, unconfined run.

        Raises:
            ToolRejectedError: a rule, the policy or a person refused.
            TurnAbortedError: a person stopped the turn.
            SandboxDeniedError: the sandbox blocked the run and no retry was permitted.
            UsageError: ``tool`` is not a tool, or a policy word is unknown.
        """
        _runtime(tool, "the tool")
        with turn.running():
            policy = self._profile.effective(ask_for_approval(policy, "the approval policy"))
            return await self._run(tool, request, turn, policy, sandbox_policy(sandbox, "the sandbox policy"))

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
        requirement = _requirement(tool.exec_approval_requirement(request), "a tool's requirement")
        if requirement is None:
            requirement = default_exec_approval_requirement(policy, sandbox, profile=self._profile)
        if isinstance(requirement, Forbidden):
            raise ToolRejectedError(requirement.reason)
        first = _first_attempt(tool, request, requirement, sandbox)
        retries = first.sandbox is not None and tool.escalate_on_failure is True and self._profile.may_retry(policy)
        approved = isinstance(requirement, NeedsApproval)
        if isinstance(requirement, NeedsApproval):
            context = QuestionContext(
                reason=requirement.reason,
                proposed_execpolicy_amendment=requirement.proposed_execpolicy_amendment,
                attempt=first,
                retries_unasked=retries and not self._profile.asks_before_retry,
                human_only=requirement.human_only,
            )
            _require_approval(await tool.start_approval_async(request, context), turn)
        try:
            output = await tool.run(request, first)
        except SandboxDeniedError:
            if not retries:
                raise
        else:
            return RunOutcome(output=output, attempt=first, asked=approved)
        second = Attempt(None, RETRY_REASON)
        if not approved or self._profile.asks_before_retry:
            context = QuestionContext(
                reason=RETRY_REASON,
                proposed_execpolicy_amendment=None if approved else requirement.proposed_execpolicy_amendment,
                attempt=second,
                retry=True,
                human_only=isinstance(requirement, NeedsApproval) and requirement.human_only,
            )
            answer = await tool.start_approval_async(request, context)
            try:
                _require_approval(answer, turn)
            except ToolRejectedError as refused:
                raise ToolRejectedError(refused.reason, ran_confined=True) from None
        return RunOutcome(output=await tool.run(request, second), attempt=second, asked=True, retried=True)


def _first_attempt(
    tool: ToolRuntime[Request, Result], request: Request, requirement: Skip | NeedsApproval, sandbox: SandboxPolicy
) -> Attempt:
    """The first attempt: sandboxed, unless rules bypass the sandbox or a question covers leaving it.

    A rule for a command does not cover hosts: under network rules the command stays in the sandbox.
    """
    if isinstance(requirement, Skip):
        leaves = requirement.bypass_sandbox and not sandbox.proxied
    else:
        leaves = tool.leaves_sandbox(request) is True
    return Attempt(None if leaves or not sandbox.confined else sandbox, requirement.reason)


def _require_approval(decision: ReviewDecision, turn: Turn) -> None:
    """Return only if ``decision`` is an approval. Every unknown value is a denial."""
    if turn.aborted or isinstance(decision, Abort):
        raise TurnAbortedError(turn.id)
    if is_approval(decision):
        return
    if isinstance(decision, TimedOut):
        raise ToolRejectedError(TIMED_OUT)
    raise ToolRejectedError(decision.text() if isinstance(decision, Denied) else REJECTED_BY_USER)
