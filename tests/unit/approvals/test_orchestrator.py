"""Approval, sandbox, attempt, retry (specification of approvals, sections 2.2 and 3.1)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from execpolicy.approvals.approval_session import Turn
from execpolicy.approvals.orchestrator import (
    RETRY_REASON,
    RunOutcome,
    SandboxDeniedError,
    ToolOrchestrator,
    ToolRejectedError,
    TurnAbortedError,
    default_exec_approval_requirement,
)
from execpolicy.approvals.profile import DEFAULT, Profile
from execpolicy.approvals.requirement import AskForApproval, ExecPolicyAmendment, Forbidden, NeedsApproval, Skip
from execpolicy.approvals.review import (
    Abort,
    Approved,
    ApprovedExecpolicyAmendment,
    ApprovedForSession,
    Denied,
    NetworkAmendment,
    ReviewDecision,
    TimedOut,
)
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy
from execpolicy.codex.profiles import CODEX_0_169
from execpolicy.errors import UsageError
from tests.support.approval_fakes import ScriptedTool

_READ_ONLY, _FULL = SandboxPolicy.READ_ONLY, SandboxPolicy.DANGER_FULL_ACCESS
_PREFIX = ExecPolicyAmendment(("foo",))


def _granular(sandbox_approval: bool) -> AskForApproval:
    settings = {"sandbox_approval": sandbox_approval, "rules": True, "mcp_elicitations": True}
    return AskForApproval.parse({"granular": settings})


def _run(
    tool: ScriptedTool,
    *,
    policy: AskForApproval = AskForApproval.ON_REQUEST,
    sandbox: SandboxPolicy = _READ_ONLY,
    profile: Profile = DEFAULT,
    turn: Turn | None = None,
) -> RunOutcome[str]:
    async def work() -> Any:
        return await ToolOrchestrator(profile).run(
            tool, "it", turn=turn or Turn("turn"), policy=policy, sandbox=sandbox
        )

    return asyncio.run(work())


@pytest.mark.parametrize(
    ("policy", "sandbox", "kind"),
    [
        ("never", _READ_ONLY, Skip),
        ("on-failure", _READ_ONLY, Skip),
        ("untrusted", _READ_ONLY, NeedsApproval),
        ("untrusted", _FULL, NeedsApproval),
        ("on-request", _FULL, Skip),
        ("on-request", SandboxPolicy.EXTERNAL, Skip),
        ("on-request", _READ_ONLY, NeedsApproval),
        ("on-request", SandboxPolicy.WORKSPACE_WRITE, NeedsApproval),
    ],
)
def test_the_default_requirement(policy: str, sandbox: SandboxPolicy, kind: type) -> None:
    """Specification of approvals, section 2.2."""
    got = default_exec_approval_requirement(AskForApproval.parse(policy), sandbox, profile=DEFAULT)
    assert type(got) is kind


def test_the_default_requirement_under_granular() -> None:
    def requirement(sandbox_approval: bool, sandbox: SandboxPolicy) -> object:
        return default_exec_approval_requirement(_granular(sandbox_approval), sandbox, profile=DEFAULT)

    assert requirement(True, _READ_ONLY) == NeedsApproval()
    assert requirement(False, _FULL) == Skip()
    assert requirement(False, _READ_ONLY) == Forbidden(reason="approval policy disallowed sandbox approval prompt")


def test_on_failure_is_on_request_in_the_newest_codex() -> None:
    got = default_exec_approval_requirement(AskForApproval.ON_FAILURE, _READ_ONLY, profile=CODEX_0_169)
    assert got == NeedsApproval()


def test_forbidden_does_not_run() -> None:
    tool = ScriptedTool(Forbidden(reason="because"))
    with pytest.raises(ToolRejectedError, match="because"):
        _run(tool)
    assert tool.attempts == []


@pytest.mark.parametrize(
    ("skip", "leaves", "sandbox", "confined"),
    [
        (Skip(), False, _READ_ONLY, True),
        (Skip(bypass_sandbox=True), False, _READ_ONLY, False),
        (Skip(), True, _READ_ONLY, True),  # nobody was asked: to ask to leave the sandbox is not to leave it
        (Skip(bypass_sandbox=True), True, _READ_ONLY, False),
        (Skip(), False, _FULL, False),
        (Skip(), False, SandboxPolicy.EXTERNAL, False),
    ],
)
def test_the_first_attempt(skip: Skip, leaves: bool, sandbox: SandboxPolicy, confined: bool) -> None:
    tool = ScriptedTool(skip, leaves=leaves)
    outcome = _run(tool, sandbox=sandbox)
    assert outcome.output == "ran it"
    assert [attempt.sandbox for attempt in tool.attempts] == [sandbox if confined else None]
    assert not outcome.asked


@pytest.mark.parametrize("answer", [Approved(), ApprovedForSession(), ApprovedExecpolicyAmendment(_PREFIX)])
def test_a_yes_runs_sandboxed(answer: ReviewDecision) -> None:
    tool = ScriptedTool(NeedsApproval(reason="r", proposed_execpolicy_amendment=_PREFIX), ask=lambda context: answer)
    outcome = _run(tool)
    assert outcome.asked
    assert [attempt.sandbox for attempt in tool.attempts] == [_READ_ONLY]
    assert [(context.reason, context.proposed_execpolicy_amendment, context.retry) for context in tool.asked] == [
        ("r", _PREFIX, False)
    ]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Denied(), "rejected by user"),
        (Denied("use make"), "use make"),
        (TimedOut(), "no one answered the approval request in time"),
        (NetworkAmendment("x", "deny"), "rejected by user"),
        ("approved", "rejected by user"),
        (None, "rejected by user"),
        (True, "rejected by user"),
    ],
)
def test_a_no_and_what_is_not_understood(answer: Any, reason: str) -> None:
    tool = ScriptedTool(NeedsApproval(), ask=lambda context: answer)
    with pytest.raises(ToolRejectedError) as caught:
        _run(tool)
    assert caught.value.reason == reason
    assert tool.attempts == []


def test_what_is_no_tool_is_refused_before_anything_else() -> None:
    with pytest.raises(UsageError, match="the tool must have the methods"):
        _run(object())  # type: ignore[arg-type]  # what a caller without types passes


def test_abort_ends_the_turn() -> None:
    tool = ScriptedTool(NeedsApproval(), ask=lambda context: Abort())
    with pytest.raises(TurnAbortedError):
        _run(tool)
    assert tool.attempts == []


def test_an_aborted_turn_runs_nothing_more() -> None:
    turn = Turn("turn")
    turn.aborted = True
    tool = ScriptedTool(Skip(bypass_sandbox=True))
    with pytest.raises(TurnAbortedError):
        _run(tool, turn=turn)
    assert tool.attempts == []


def test_a_yes_that_comes_after_the_turn_ended_runs_nothing() -> None:
    turn = Turn("turn")

    def answer(context: object) -> ReviewDecision:
        turn.aborted = True
        return Approved()

    tool = ScriptedTool(NeedsApproval(), ask=answer)
    with pytest.raises(TurnAbortedError):
        _run(tool, turn=turn)
    assert tool.attempts == []


@pytest.mark.parametrize(
    ("profile", "policy", "retries"),
    [
        (DEFAULT, "never", False),
        (DEFAULT, "on-request", False),
        (DEFAULT, "on-failure", True),
        (DEFAULT, "untrusted", True),
        (CODEX_0_169, "never", False),
        (CODEX_0_169, "on-request", False),
        (CODEX_0_169, "on-failure", False),
        (CODEX_0_169, "untrusted", True),
    ],
)
def test_when_a_denied_run_is_retried(profile: Profile, policy: str, retries: bool) -> None:
    """Specification of approvals, section 3.1 step 4; newest Codex: reference of approvals, section 3."""
    tool = ScriptedTool(Skip(proposed_execpolicy_amendment=_PREFIX), ask=lambda context: Approved(), denied=1)
    if not retries:
        with pytest.raises(SandboxDeniedError):
            _run(tool, policy=AskForApproval.parse(policy), profile=profile)
        assert tool.asked == []
        return
    outcome = _run(tool, policy=AskForApproval.parse(policy), profile=profile)
    assert outcome.retried
    assert [attempt.sandbox for attempt in tool.attempts] == [_READ_ONLY, None]
    assert [(context.reason, context.proposed_execpolicy_amendment, context.retry) for context in tool.asked] == [
        (RETRY_REASON, _PREFIX, True)
    ]


@pytest.mark.parametrize(("sandbox_approval", "retries"), [(True, True), (False, False)])
def test_retry_under_granular(sandbox_approval: bool, retries: bool) -> None:
    tool = ScriptedTool(Skip(), ask=lambda context: Approved(), denied=1)
    if retries:
        assert _run(tool, policy=_granular(True), profile=CODEX_0_169).retried
    else:
        with pytest.raises(SandboxDeniedError):
            _run(tool, policy=_granular(False), profile=CODEX_0_169)
    assert len(tool.asked) == int(retries)


def test_an_approved_run_is_asked_about_again_before_it_runs_without_the_sandbox() -> None:
    requirement = NeedsApproval(reason="r", proposed_execpolicy_amendment=_PREFIX, human_only=True)
    tool = ScriptedTool(requirement, ask=lambda context: Approved(), denied=1)
    outcome = _run(tool, policy=AskForApproval.UNLESS_TRUSTED)
    assert outcome.retried
    first, second = tool.asked
    assert (first.attempt.sandbox, first.retry, first.retries_unasked) == (_READ_ONLY, False, False)
    assert (second.attempt.sandbox, second.retry, second.reason) == (None, True, RETRY_REASON)
    assert (second.human_only, second.proposed_execpolicy_amendment) == (True, None)


def test_a_yes_to_the_first_run_and_a_no_to_the_second_runs_it_once() -> None:
    tool = ScriptedTool(NeedsApproval(), ask=lambda context: Denied() if context.retry else Approved(), denied=1)
    with pytest.raises(ToolRejectedError):
        _run(tool, policy=AskForApproval.UNLESS_TRUSTED)
    assert [attempt.sandbox for attempt in tool.attempts] == [_READ_ONLY]


def test_in_codex_one_yes_covers_both_runs_and_the_question_says_so() -> None:
    tool = ScriptedTool(NeedsApproval(), ask=lambda context: Approved(), denied=1)
    outcome = _run(tool, policy=AskForApproval.UNLESS_TRUSTED, profile=CODEX_0_169)
    assert outcome.retried
    assert [context.retries_unasked for context in tool.asked] == [True]


def test_a_refused_retry_is_a_rejection() -> None:
    tool = ScriptedTool(Skip(), ask=lambda context: Denied(), denied=1)
    with pytest.raises(ToolRejectedError) as caught:
        _run(tool, policy=AskForApproval.ON_FAILURE)
    assert len(tool.attempts) == 1
    assert caught.value.ran_confined


def test_there_is_no_third_attempt() -> None:
    tool = ScriptedTool(Skip(), ask=lambda context: Approved(), denied=2)
    with pytest.raises(SandboxDeniedError):
        _run(tool, policy=AskForApproval.ON_FAILURE)
    assert len(tool.attempts) == 2


def test_what_does_not_escalate_is_not_retried() -> None:
    tool = ScriptedTool(Skip(), denied=1, escalates=False)
    with pytest.raises(SandboxDeniedError):
        _run(tool, policy=AskForApproval.ON_FAILURE)
    assert len(tool.attempts) == 1


def test_a_denial_outside_the_sandbox_is_not_retried() -> None:
    tool = ScriptedTool(Skip(bypass_sandbox=True), denied=1)
    with pytest.raises(SandboxDeniedError):
        _run(tool, policy=AskForApproval.ON_FAILURE)
    assert len(tool.attempts) == 1


def test_a_tool_without_a_requirement_gets_the_default_one() -> None:
    asking = ScriptedTool(None, ask=lambda context: Approved())
    assert _run(asking).asked
    assert not _run(ScriptedTool(None), policy=AskForApproval.NEVER).asked
