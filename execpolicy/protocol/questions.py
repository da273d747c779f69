"""The questions about tool requests, put to a reviewer or to the host, their answers, and the replies.

At a terminal, the question goes to standard error and the answer comes from ``/dev/tty``: the child's standard input is
the control channel.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from execpolicy.approvals.approval_session import PERSON_NEEDED, Reviewer
from execpolicy.approvals.events import ToolApprovalRequestEvent
from execpolicy.approvals.exec_command import create_exec_approval_requirement_for_command
from execpolicy.approvals.profile import DEFAULT
from execpolicy.approvals.requirement import AskForApproval, ExecPolicyAmendment, ExecRequest
from execpolicy.approvals.review import answer_of, decision_from_json
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy
from execpolicy.approvals.terminal import TerminalReviewer
from execpolicy.core.answer import Answer, AnswerKind
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import ExecPolicyError, RuleStoreError
from execpolicy.manager.policy_manager import PolicyManager
from execpolicy.permissions.audit import redact
from execpolicy.protocol import outgoing
from execpolicy.protocol.decisions import CallLedger, CallState, Decider, Keeper, Ruling, digest_of, refusal
from execpolicy.protocol.messages import (
    AbortCode,
    ArbiterOptions,
    Choice,
    Control,
    DecisionWord,
    PolicyAnswer,
    PolicyDecision,
    ToolRequest,
)
from execpolicy.protocol.shell_calls import COMMAND_FIELDS, FOLDER_FIELDS, SHELL_TOOLS, NotAShellCall, shell_call
from execpolicy.validators import flag, folder, function, instance, optional, port, text, texts


class Asker(Protocol):
    """Asks a person: one question at a time, or as many as its attribute ``at_once`` allows."""

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> Answer:
        """The answer. It is cancelled when the question is pointless (timeout, abort); an exception denies."""


class ReviewerAsker:
    """Puts the questions to a reviewer of an approval session.

    Args:
        keeps: true if an answer may allow the proposed prefix permanently.
        shell_tools: names of tools that run commands.
        cwd: the working directory of the agent, for commands that name none; by default that of this process.
    """

    def __init__(
        self,
        reviewer: Reviewer,
        *,
        keeps: bool = False,
        shell_tools: Collection[str] = SHELL_TOOLS,
        cwd: str | None = None,
    ) -> None:
        self._reviewer: Reviewer = port("review")(reviewer, "ReviewerAsker: `reviewer`")
        self._keeps = flag(keeps, "ReviewerAsker: `keeps`")
        self._shell_tools = frozenset(texts(shell_tools, "ReviewerAsker: `shell_tools`"))
        self._cwd = optional(folder)(cwd, "ReviewerAsker: `cwd`") or os.getcwd()
        self.at_once: int = getattr(reviewer, "at_once", 1)

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> Answer:
        """The reviewer's answer."""
        if ruling.once and getattr(self._reviewer, "automatic", False):
            return Answer(AnswerKind.DENY, PERSON_NEEDED)
        given = await self._reviewer.review(self.event(request, ruling))
        return given if isinstance(given, Answer) else answer_of(decision_from_json(given))

    def event(self, request: ToolRequest, ruling: Ruling) -> ToolApprovalRequestEvent:
        """The event for ``request``: a command where there is one, and the other arguments."""
        call = None
        hidden: tuple[str, ...] = ()
        if request.tool in self._shell_tools:
            with suppress(NotAShellCall):
                call = shell_call(request.args, cwd=self._cwd)
                hidden = (*COMMAND_FIELDS, *FOLDER_FIELDS)
        said = f"the agent says: {request.rationale}" if request.rationale else ""
        offered = self._keeps and bool(ruling.proposal) and not ruling.grave
        return ToolApprovalRequestEvent(
            tool=request.tool if request.action is None else f"{request.tool} {request.action}",
            command=None if call is None else call.command,
            shell="bash" if call is None else call.shell,
            cwd=self._cwd if call is None else call.cwd,
            arguments=redact({name: value for name, value in request.args.items() if name not in hidden}),
            session=request.run_id or "",
            told=tuple([line for line in (ruling.reason, said) if line]),
            proposed_execpolicy_amendment=ExecPolicyAmendment(ruling.proposal) if offered else None,
            human_only=ruling.once,
        )


class TerminalAsker(ReviewerAsker):
    """Asks questions at a terminal.

    Args:
        show: writes to standard error, which shows the question if it is a terminal.
        keeps, shell_tools, cwd: see :class:`ReviewerAsker`.
    """

    def __init__(
        self,
        *,
        show: Callable[[str], None],
        tty: str = "/dev/tty",
        keeps: bool = False,
        shell_tools: Collection[str] = SHELL_TOOLS,
        cwd: str | None = None,
    ) -> None:
        reviewer = TerminalReviewer(tty, show=function(show, "TerminalAsker: `show`"))
        super().__init__(reviewer, keeps=keeps, shell_tools=shell_tools, cwd=cwd)


class Questions:
    """The questions of one session, by request id.

    Args:
        timeout_s: the time limit of a question in seconds, including the wait for its turn.
        at_once: the maximum number of questions that are asked at a time.
    """

    def __init__(self, timeout_s: float, *, at_once: int = 1) -> None:
        self._timeout_s = timeout_s
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Semaphore(at_once)
        self._unanswerable = asyncio.Event()

    def put(self, id: str, ask: Callable[[], Awaitable[None]], late: Callable[[], None]) -> None:
        """Awaits ``ask`` when its turn has come; calls ``late`` if the time limit passes."""

        async def run() -> None:
            try:
                async with asyncio.timeout(self._timeout_s), self._turn:
                    await ask()
            except TimeoutError:
                late()

        self._start(id, run())

    def hold(self, id: str, late: Callable[[], None]) -> None:
        """Holds a question that the host asks; calls ``late`` if it is still open after the time limit."""

        async def run() -> None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._unanswerable.wait(), self._timeout_s)
            late()

        self._start(id, run())

    def expect_no_answers(self) -> None:
        """Ends the time of all held questions, because the host cannot answer any more."""
        self._unanswerable.set()

    def is_open(self, id: str) -> bool:
        """True if the question of this request is open."""
        return id in self._tasks

    def withdraw(self, id: str) -> None:
        """Cancels the question of this request. A question that is being answered at this moment ends by itself."""
        task = self._tasks.get(id)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    async def idle(self) -> None:
        """Waits until no question is open."""
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def close(self) -> None:
        """Withdraws all questions."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, id: str, run: Coroutine[Any, Any, None]) -> None:
        task = self._tasks[id] = asyncio.create_task(run)
        task.add_done_callback(lambda done: self._tasks.pop(id) if self._tasks.get(id) is done else None)


class PolicyKeeper:
    """Saves prefixes with a policy manager.

    Args:
        path: the rule file that they are appended to.
        cwd: the working directory of the child.
    """

    def __init__(
        self,
        manager: PolicyManager,
        path: str,
        *,
        cwd: str,
        home: str | None = None,
        shell_tools: Collection[str] = SHELL_TOOLS,
    ) -> None:
        self._manager: PolicyManager = instance(PolicyManager)(manager, "PolicyKeeper: `manager`")
        self._path = text(path, "PolicyKeeper: `path`")
        self._cwd = folder(cwd, "PolicyKeeper: `cwd`")
        self._home = optional(folder)(home, "PolicyKeeper: `home`")
        self._shell_tools = frozenset(texts(shell_tools, "PolicyKeeper: `shell_tools`"))

    def propose(self, request: ToolRequest, /) -> tuple[str, ...]:
        """The prefix that `run` would offer for the same command; empty if there is none."""
        if request.tool not in self._shell_tools:
            return ()
        try:
            call = shell_call(request.args, cwd=self._cwd)
        except NotAShellCall:
            return ()
        if call.doubts:
            return ()
        command = (call.shell, "-c", call.command) if isinstance(call.command, str) else call.command
        asked = ExecRequest(
            command=command,
            approval_policy=AskForApproval.UNLESS_TRUSTED,
            sandbox_policy=SandboxPolicy.DANGER_FULL_ACCESS,
            cwd=call.cwd,
            home=self._home,
        )
        rulebook = self._manager.current().rulebook
        requirement = create_exec_approval_requirement_for_command(asked, rulebook, profile=DEFAULT)
        offered = requirement.proposed_execpolicy_amendment
        return () if offered is None else offered.prefix

    async def keep(self, prefix: tuple[str, ...], /) -> str:
        """Saves a rule for ``prefix``, effective at once.

        Raises:
            RuleStoreError: it was not saved, or is not effective.
        """
        done = await self._manager.aamend(prefix, path=self._path)
        if done.not_in_force is not None:
            raise RuleStoreError(f"saved in {self._path}, but not in force: {done.not_in_force}")
        return f"from now on `{join(prefix)}` is allowed ({self._path})"


NOT_RECORDED = "the decision could not be written to the audit trail"
_APPROVED = "approved earlier in this session"
_KINDS = {
    Choice.ONCE: AnswerKind.APPROVE,
    Choice.SESSION: AnswerKind.APPROVE_SESSION,
    Choice.KEEP: AnswerKind.APPROVE_RULE,
    Choice.DENY: AnswerKind.DENY,
    Choice.ABORT: AnswerKind.ABORT,
    Choice.UNAVAILABLE: AnswerKind.UNAVAILABLE,
}
"""The answers by the protocol's words."""


@dataclass(frozen=True, slots=True)
class Replies:
    """The answers to one session's requests: each settles its call and withdraws its question.

    Args:
        send: sends a message to the other side; must not block.
        abort: ends the session; takes a code and a one-line reason.
    """

    ledger: CallLedger
    questions: Questions
    options: ArbiterOptions
    send: Callable[[Control], None]
    abort: Callable[[AbortCode, str], None]

    def answer(self, request: ToolRequest, ruling: Ruling, *, by: str) -> None:
        """Settles a pending call and sends the decision if the child waits for it."""
        state = CallState.ALLOWED if ruling.decision is Decision.ALLOW else CallState.DENIED
        call = self.ledger.settle(request, state, ruling, by=by)
        if call is None:
            return
        self.questions.withdraw(request.id)
        if state is CallState.ALLOWED and not call.allowed:  # the decision could not be recorded
            ruling = refusal(NOT_RECORDED)
        if call.waits:
            self.decide(request, ruling if call.allowed else replace(ruling, decision=Decision.FORBIDDEN))
        elif not call.allowed:
            self._unwaited(request, ruling)

    def timed_out(self, request: ToolRequest) -> None:
        """Denies a request that was not answered in time."""
        self.ledger.counters.timed_out += 1
        if self.fail(request, CallState.DENIED_TIMEOUT, by="timeout", reason="policy timeout"):
            self.decide(request, refusal("policy timeout"))

    def fail(self, request: ToolRequest, state: CallState, *, by: str, reason: str) -> bool:
        """Closes the call of ``request`` without a message to the other side; ``False`` if it was not open."""
        if self.ledger.settle(request, state, refusal(reason), by=by) is None:
            return False
        self.questions.withdraw(request.id)
        return True

    def decide(self, request: ToolRequest, ruling: Ruling) -> None:
        """Sends ``ruling`` on ``request``."""
        self.decision(request.id, request.run_id, request.nonce, ruling)

    def decision(self, id: str, run_id: str | None, nonce: str | None, ruling: Ruling) -> None:
        """Sends ``ruling`` on the request with these ids, also on a broken request."""
        allowed, asked = ruling.decision is Decision.ALLOW, ruling.decision is Decision.PROMPT
        self.send(
            PolicyDecision(
                **outgoing.stamp(run_id or self.options.run_id),
                id=id,
                decision=DecisionWord.of(ruling.decision),
                reason=ruling.reason,
                request_nonce=nonce,
                rule_id=ruling.rule_id,
                constraints=ruling.constraints if allowed else None,
                expires_in_ms=self.options.expires_in_ms if allowed else None,
                choices=ruling.choices() if asked else None,
                proposal=ruling.proposal or None if asked else None,
            )
        )

    def _unwaited(self, request: ToolRequest, ruling: Ruling) -> None:
        """Warns about the request of a child that does not wait for decisions, or aborts the session (section 8.1)."""
        word = "denied" if ruling.decision is Decision.FORBIDDEN else "asked about"
        self.ledger.warning(f"`{request.tool}` (request `{request.id}`) would be {word}, but the agent does not wait")
        if self.options.unwaited == "abort" and (ruling.decision is Decision.FORBIDDEN or ruling.dangerous):
            self.abort(AbortCode.POLICY_VIOLATION, f"`{request.tool}` is {word}: {ruling.reason}")


@dataclass(frozen=True, slots=True)
class Consultation(Replies):
    """Asks about requests of one session and applies the answers.

    Args:
        decider: decides open questions again after an answer that may settle them.
        asker: asks the person; without one, ``options.default_action`` decides.
        keeper: saves prefixes that a person allows permanently.
    """

    decider: Decider
    asker: Asker | None
    keeper: Keeper | None
    _approved: set[bytes] = field(default_factory=set, init=False)

    def begin(self, request: ToolRequest, ruling: Ruling) -> None:
        """Asks about ``request``, unless the session already has the answer or the answer would come too late."""
        if digest_of(request) in self._approved:
            self._allow(request, ruling, _APPROVED, by="session")
        elif not request.requires_policy:
            self.answer(request, ruling, by="policy")  # an answer would come too late
        elif self.options.ask_host:
            self._hand_over(request, ruling)
        elif self.asker is None:
            self._by_default(request, ruling)
        else:
            asking = partial(self._ask, request, ruling, self.asker)
            self.questions.put(request.id, asking, partial(self.timed_out, request))

    def _with_proposal(self, request: ToolRequest, ruling: Ruling) -> Ruling:
        if self.keeper is None or ruling.grave:
            return ruling
        return replace(ruling, proposal=self.keeper.propose(request))

    def _allow(self, request: ToolRequest, ruling: Ruling, why: str, *, by: str) -> None:
        self.answer(request, ruling.changed(Decision.ALLOW, why), by=by)

    def _deny(self, request: ToolRequest, ruling: Ruling, why: str, *, by: str) -> None:
        self.answer(request, ruling.changed(Decision.FORBIDDEN, why), by=by)

    async def _ask(self, request: ToolRequest, ruling: Ruling, asker: Asker) -> None:
        """Asks one question, when its turn has come."""
        try:
            ruling = self._with_proposal(request, ruling)
            answer = await asker.ask(request, ruling)
            if answer.kind is AnswerKind.APPROVE_RULE:
                await self._keep(ruling, answer)
        except Exception as error:
            self.ledger.warning(f"the question about request `{request.id}` failed: {error}")
            answer = Answer(AnswerKind.DENY, "the question could not be put")
        self._person_answered(request, ruling, answer)

    def _person_answered(self, request: ToolRequest, ruling: Ruling, answer: Answer) -> None:
        call = self.ledger.calls.get(request.id)
        if call is None or call.state is not CallState.PENDING:
            self._too_late(request.id)
            return
        if time.monotonic() - call.opened >= self.options.timeout_s:
            # The asker blocked the event loop, and with it the timeout.
            self._too_late(request.id)
            self.timed_out(request)
            return
        session = answer.kind is AnswerKind.APPROVE_SESSION
        kind = AnswerKind.APPROVE if ruling.once and session else answer.kind
        match kind:
            case AnswerKind.APPROVE:
                self._allow(request, ruling, "approved by the user", by="user")
            case AnswerKind.APPROVE_SESSION:
                self._approved.add(digest_of(request))
                self._allow(request, ruling, "approved by the user for the session", by="user")
                self._reconsider()
            case AnswerKind.APPROVE_RULE if not ruling.offers(answer.amendment):
                self._deny(request, ruling, "what was to be kept was not offered", by="policy")
            case AnswerKind.APPROVE_RULE:
                self._allow(request, ruling, "approved by the user", by="user")
                self._reconsider()
            case AnswerKind.UNAVAILABLE:
                self._by_default(request, ruling)
            case AnswerKind.DENY | AnswerKind.ABORT:
                said = f"denied by the user: {answer.feedback}" if answer.feedback else "denied by the user"
                self._deny(request, ruling, said, by="user")
                if kind is AnswerKind.ABORT:
                    self.abort(AbortCode.USER_CANCEL, answer.feedback or "the user cancelled the approval")

    def _too_late(self, id: str) -> None:
        self.ledger.warning(f"the answer about request `{id}` came too late")

    def host_answered(self, answer: PolicyAnswer) -> None:
        """Applies an answer that a host sends. The same answer again changes nothing; a different one is too late."""
        self.ledger.note("answer", answer.id, {"answer": answer.answer.value, "message": answer.message})
        call = self.ledger.calls.get(answer.id)
        if call is None or call.handed_over is None:
            self.ledger.counters.unknown_ids += 1
            self.ledger.warning(f"an answer for the id `{answer.id}`, which no question has")
            return
        request, ruling = call.request, call.handed_over
        if call.answer is not None and call.answer.answer is answer.answer:
            self.ledger.counters.repeated += 1
            return
        if request is None or call.state is not CallState.PENDING or call.answer is not None:
            self._too_late(answer.id)
            return
        call.answer = answer
        given = Answer(_KINDS[answer.answer], answer.message, answer.prefix or ())
        self.questions.withdraw(answer.id)
        if given.kind is not AnswerKind.APPROVE_RULE:
            self._person_answered(request, ruling, given)
        else:
            keeping = partial(self._keep_answered, request, ruling, given)
            self.questions.put(answer.id, keeping, partial(self.timed_out, request))

    async def _keep_answered(self, request: ToolRequest, ruling: Ruling, answer: Answer) -> None:
        await self._keep(ruling, answer)
        self._person_answered(request, ruling, answer)

    async def _keep(self, ruling: Ruling, answer: Answer) -> None:
        if self.keeper is None or not ruling.offers(answer.amendment):
            return
        try:
            self.ledger.warn(visible(await self.keeper.keep(answer.amendment or ruling.proposal)))
        except (ExecPolicyError, OSError) as error:
            self.ledger.warning(f"the rule could not be saved: {error}")

    def _reconsider(self) -> None:
        """Decides other open questions again: the policy may allow them now, or they are about an approved call."""
        for call in self.ledger.calls.pending():
            if call.request is None or not self.questions.is_open(call.request.id):
                continue
            if call.digest in self._approved:
                self._allow(call.request, refusal(_APPROVED), _APPROVED, by="session")
                continue
            try:
                ruling = self.decider.decide(call.request)
            except Exception:
                continue  # the question stays open
            if ruling.decision is not Decision.PROMPT:
                self.answer(call.request, ruling, by="policy")

    def _by_default(self, request: ToolRequest, ruling: Ruling) -> None:
        """Applies the default action, because no person can be asked (section 7)."""
        if self.options.default_action == "allow" and not ruling.grave:
            self._allow(request, ruling, "allowed by default: no one can be asked", by="default")
        else:
            self._deny(request, ruling, f"no one can be asked: {ruling.reason}", by="default")

    def _hand_over(self, request: ToolRequest, ruling: Ruling) -> None:
        """Passes the question to the host. The call stays open until the host's answer, its result or its timeout."""
        ruling = self._with_proposal(request, ruling)
        call = self.ledger.calls.get(request.id)
        if call is not None:
            call.handed_over = ruling
        self.decide(request, ruling)
        self.ledger.note("handed_over", request.id, {"reason": ruling.reason})
        self.questions.hold(request.id, partial(self.timed_out, request))
