"""Scripted hosts for tests of approvals: someone who answers, a sandbox, a clock, a tool."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from execpolicy.approvals.orchestrator import Attempt, QuestionContext, SandboxDeniedError
from execpolicy.approvals.requirement import ExecApprovalRequirement
from execpolicy.approvals.review import ReviewDecision
from execpolicy.approvals.sandbox.bubblewrap import Confined
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy
from execpolicy.approvals.tools.process import ExecOutput


class ScriptedReviewer:
    """Answers with ``answer``: a decision, or what makes one of the event; keeps what was asked."""

    def __init__(self, answer: ReviewDecision | Callable[[Any], ReviewDecision]) -> None:
        self.answer = answer
        self.asked: list[Any] = []

    async def review(self, event: Any, /) -> ReviewDecision:
        self.asked.append(event)
        return self.answer(event) if callable(self.answer) else self.answer


class ManualClock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self.time = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        wake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (self.time + seconds, wake)
        self._sleepers.append(entry)
        try:
            await wake
        finally:
            self._sleepers.remove(entry)

    async def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass and everything that waited for them go on."""
        self.time += seconds
        for due, wake in list(self._sleepers):
            if due <= self.time and not wake.done():
                wake.set_result(None)
        await settle()

    @property
    def sleepers(self) -> int:
        return len(self._sleepers)


async def settle() -> None:
    """Let every task that can go on do so."""
    for _ in range(20):
        await asyncio.sleep(0)


class OpenSandbox:
    """Confines nothing; ``denies`` says of an output whether the sandbox was in the way."""

    def __init__(self, denies: Callable[[ExecOutput], bool] = lambda output: False) -> None:
        self._denies = denies
        self.confined: list[tuple[tuple[str, ...], SandboxPolicy]] = []

    @contextlib.contextmanager
    def confine(
        self, argv: Sequence[str], *, policy: SandboxPolicy, cwd: str, env: Mapping[str, str]
    ) -> Iterator[Confined]:
        self.confined.append((tuple(argv), policy))
        yield Confined(argv)

    def denied(self, output: ExecOutput) -> bool:
        return self._denies(output)


class ScriptedTool:
    """A tool for the orchestrator whose requirement, answers and runs are given."""

    def __init__(
        self,
        requirement: ExecApprovalRequirement | None,
        *,
        ask: Callable[[QuestionContext], ReviewDecision] | None = None,
        denied: int = 0,
        escalates: bool = True,
        leaves: bool = False,
    ) -> None:
        self.escalate_on_failure = escalates
        self._requirement = requirement
        self._ask = ask
        self._denied = denied
        self._leaves = leaves
        self.asked: list[QuestionContext] = []
        self.attempts: list[Attempt] = []

    def exec_approval_requirement(self, request: str) -> ExecApprovalRequirement | None:
        return self._requirement

    def leaves_sandbox(self, request: str) -> bool:
        return self._leaves

    async def start_approval_async(self, request: str, context: QuestionContext) -> ReviewDecision:
        self.asked.append(context)
        assert self._ask is not None, "nobody expected a question"
        return self._ask(context)

    async def run(self, request: str, attempt: Attempt) -> str:
        self.attempts.append(attempt)
        if len(self.attempts) <= self._denied:
            raise SandboxDeniedError(f"denied {len(self.attempts)}")
        return f"ran {request}"
