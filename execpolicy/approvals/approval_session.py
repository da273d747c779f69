"""The turns and open approval requests of one agent session, the effects of answers, and the interfaces of its host."""

from __future__ import annotations

import asyncio
import json
import os
import time
import warnings
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias
from weakref import WeakSet

from execpolicy.amend.preview import why_not_savable
from execpolicy.approvals.approval_store import ApprovalKey, ApprovalStore, with_cached_approval
from execpolicy.approvals.events import (
    ApplyPatchApprovalRequestEvent,
    ApprovalRequest,
    ApprovalResolvedEvent,
    DeveloperMessage,
    Event,
    ExecApprovalRequestEvent,
    FileChange,
    NetworkTarget,
    TurnAbortedEvent,
    WarningEvent,
)
from execpolicy.approvals.parsed_command import parse_command
from execpolicy.approvals.requirement import (
    AskForApproval,
    ExecPolicyAmendment,
    ExecRequest,
    Forbidden,
    NeedsApproval,
    ask_for_approval,
)
from execpolicy.approvals.review import (
    Abort,
    ApprovedExecpolicyAmendment,
    ApprovedForSession,
    Denied,
    NetworkAmendment,
    ReviewDecision,
    TimedOut,
    decision_from_json,
)
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy, sandbox_policy
from execpolicy.approvals.tools.shell_arguments import ShellEnvironmentPolicy
from execpolicy.core.answer import Answer
from execpolicy.core.decision import Decision
from execpolicy.errors import ExecPolicyError
from execpolicy.validators import Checked, flag, folder, function, instance, optional, port, seconds, text


class Turn:
    """A turn, made by :meth:`execpolicy.approvals.approval_session.ApprovalSession.begin_turn`.

    Attributes:
        aborted: set once and never reset; later requests of the turn are aborted without a question.
    """

    def __init__(self, turn_id: str) -> None:
        self.id = text(turn_id, "a turn's id")
        self.aborted = False
        self._tasks: set[asyncio.Task[object]] = set()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Cancel the current task if the turn is interrupted."""
        task = asyncio.current_task()
        if task is None or task in self._tasks:
            yield
            return
        self._tasks.add(task)
        try:
            yield
        finally:
            self._tasks.discard(task)

    def cancel_running(self, *, besides: set[asyncio.Task[object]]) -> None:
        """Cancel the tasks of the turn, except ``besides`` and the calling task."""
        try:
            caller = asyncio.current_task()
        except RuntimeError:  # a host may also interrupt outside an event loop
            caller = None
        for task in self._tasks - besides:
            if task is not caller:
                task.cancel()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext(
    Checked, cwd=folder, approval_policy=ask_for_approval, sandbox_policy=sandbox_policy, home=optional(folder)
):
    """The settings of a turn. Policies may be given by their words.

    Attributes:
        cwd: absolute; a call's ``workdir`` is relative to it.
        home: the value of ``~`` in program paths.
        environ: the host's variables, which ``environment`` selects from.
        dependency_env: variables merged last, regardless of ``environment``.
        request_rule: true if a call may ask to save a prefix (``prefix_rule``).
        additional_permissions: true if a call may use ``with_additional_permissions``.
    """

    turn: Turn
    cwd: str
    approval_policy: AskForApproval
    sandbox_policy: SandboxPolicy
    home: str | None = None
    environment: ShellEnvironmentPolicy = field(default_factory=ShellEnvironmentPolicy)
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    dependency_env: Mapping[str, str] = field(default_factory=dict)
    request_rule: bool = False
    additional_permissions: bool = False

    def resolve(self, path: str | None) -> str:
        """``path`` relative to the turn's working directory; that directory for ``None`` and the empty string."""
        return os.path.normpath(os.path.join(self.cwd, path)) if path else self.cwd


class EventSink(Protocol):
    """Receives every event of a session, in order. It must not block; its exceptions reach the caller."""

    def __call__(self, event: Event, /) -> None:
        """Receive ``event``."""


class Reviewer(Protocol):
    """Answers approval requests. An exception denies the request; cancellation means that the answer is not needed.

    A reviewer that is not a person sets ``automatic = True`` and does not receive requests with ``human_only``.
    """

    async def review(self, event: ApprovalRequest, /) -> Answer | ReviewDecision:
        """The answer to ``event``, in either form."""


class Amender(Protocol):
    """Saves lasting answers as rules that are effective at once."""

    async def amend(self, prefix: tuple[str, ...], /) -> None:
        """Save an allow rule for ``prefix``.

        Raises:
            ExecPolicyError: it could not be saved; the message gives the reason.
        """

    async def amend_network(self, host: str, protocol: str, decision: Decision, /) -> None:
        """Save a rule for connections to ``host``.

        Raises:
            ExecPolicyError: it could not be saved; the message gives the reason.
        """


class CommandRules(Protocol):
    """Restricts commands in addition to rules and heuristics. It can prompt or forbid, but not allow."""

    def requirement(self, request: ExecRequest, /) -> Forbidden | NeedsApproval | None:
        """The requirement for ``request``; ``None`` adds nothing. Called at least once for each call."""


class Clock(Protocol):
    """A source of time that tests can replace."""

    def now(self) -> float:
        """Seconds since a fixed moment. Never decreases."""

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds``."""


class SystemClock:
    """The real clock."""

    def now(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Sleep in the running event loop."""
        await asyncio.sleep(seconds)


Request: TypeAlias = ExecApprovalRequestEvent | ApplyPatchApprovalRequestEvent


@dataclass(slots=True, eq=False)
class OpenRequest:
    """An approval request without an answer yet.

    Attributes:
        claimed: an answer is being applied; further answers are ignored.
        since: when the request was made, by the session's clock.
    """

    event: Request
    turn: Turn
    since: float
    claimed: bool = False
    task: asyncio.Task[object] | None = field(default_factory=asyncio.current_task)
    answer: asyncio.Future[ReviewDecision] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def why_refused(self, decision: ReviewDecision, *, any_amendment: bool) -> str | None:
        """The reason that ``decision`` is not a valid answer, or ``None``.

        Args:
            any_amendment: an answer may save a prefix that was not offered.
        """
        event = self.event
        if isinstance(decision, NetworkAmendment):
            asked = event.network if isinstance(event, ExecApprovalRequestEvent) else None
            same = asked is not None and asked.host == decision.host
            return None if same else "a lasting answer about a host answers only a question about that host"
        if not isinstance(decision, ApprovedExecpolicyAmendment) or any_amendment:
            return None
        if not isinstance(event, ExecApprovalRequestEvent) or event.network is not None:
            return "no rule for commands was offered"
        if event.human_only:
            return "a person has to be asked each time, so that no rule can answer"
        offered, wanted = event.proposed_execpolicy_amendment, decision.proposed_execpolicy_amendment.prefix
        if offered is None or offered.prefix[: len(wanted)] != wanted:
            return "this rule was not offered"
        return why_not_savable(wanted)


PERSON_NEEDED = "this command requires human approval, but this session requires automatic review"


class ApprovalSession:
    """Sends approval requests, waits for answers, remembers session approvals and applies the answers.

    Args:
        emit: receives the session's events.
        reviewer: answers requests; without one the host calls :meth:`exec_approval` and :meth:`patch_approval`.
        amender: saves approved prefixes; without one saving fails with a warning and the command still runs.
        timeout: seconds until an unanswered request is denied; ``None`` waits forever.
        store: the approvals of the session; empty by default.
        takes_any_amendment: an answer may save a prefix that was not offered (see :class:`Profile`).
    """

    def __init__(
        self,
        *,
        emit: EventSink,
        reviewer: Reviewer | None = None,
        amender: Amender | None = None,
        timeout: float | None = None,
        clock: Clock | None = None,
        store: ApprovalStore | None = None,
        takes_any_amendment: bool = False,
    ) -> None:
        self.store = ApprovalStore() if store is None else store
        optional(instance(ApprovalStore))(store, "ApprovalSession: `store`")
        self.emit = function(emit, "ApprovalSession: `emit`")
        self._reviewer = optional(port("review"))(reviewer, "ApprovalSession: `reviewer`")
        self._amender = optional(port("amend"))(amender, "ApprovalSession: `amender`")
        self._timeout = optional(seconds)(timeout, "ApprovalSession: `timeout`")
        self._clock = SystemClock() if clock is None else port("now", "sleep")(clock, "ApprovalSession: `clock`")
        self._takes_any_amendment = flag(takes_any_amendment, "ApprovalSession: `takes_any_amendment`")
        self._pending: dict[str, OpenRequest] = {}
        self._turns: WeakSet[Turn] = WeakSet()
        self._closed = False

    def begin_turn(self, turn_id: str) -> Turn:
        """Start a new turn, which :meth:`interrupt` and :meth:`close` can stop."""
        turn = Turn(turn_id)
        self._turns.add(turn)
        return turn

    def pending(self) -> tuple[Request, ...]:
        """The open requests, oldest first."""
        return tuple([pending.event for pending in self._pending.values()])

    async def request_command_approval(
        self,
        *,
        turn: Turn,
        call_id: str,
        command: tuple[str, ...],
        cwd: str,
        reason: str | None = None,
        proposed_execpolicy_amendment: ExecPolicyAmendment | None = None,
        human_only: bool = False,
        sandbox: str | None = None,
        retry: bool = False,
        network: NetworkTarget | None = None,
        told: tuple[str, ...] = (),
        keys: Sequence[ApprovalKey] = (),
    ) -> ReviewDecision:
        """Request approval of a command, or of a connection of a running command, and return the answer.

        Args:
            sandbox: how the command would run, in words.
            network: the connection.
            told: the reasons for the question, one line each.
            keys: an earlier answer for the session about all of them is repeated; a new one is remembered.
        """
        event = ExecApprovalRequestEvent(
            approval_id=self._free_id(call_id if network is None else f"{call_id}/network"),
            call_id=call_id,
            turn_id=turn.id,
            command=command,
            cwd=cwd,
            reason=reason,
            proposed_execpolicy_amendment=proposed_execpolicy_amendment,
            parsed_cmd=parse_command(command),
            human_only=human_only,
            sandbox=sandbox,
            retry=retry,
            network=network,
            told=told,
        )
        return await with_cached_approval(self.store, () if human_only else keys, lambda: self._ask(event, turn))

    async def request_network_approval(
        self, *, turn: Turn, call_id: str, command: tuple[str, ...], cwd: str, to: NetworkTarget, reason: str | None
    ) -> ReviewDecision:
        """Request approval of a connection, by the name that :meth:`request_command_approval` had for it."""
        message = "request_network_approval is deprecated: use request_command_approval(network=...)"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return await self.request_command_approval(
            turn=turn, call_id=call_id, command=command, cwd=cwd, reason=reason, network=to
        )

    async def request_patch_approval(
        self,
        *,
        turn: Turn,
        call_id: str,
        changes: Mapping[str, FileChange],
        reason: str | None = None,
        grant_root: str | None = None,
        keys: Sequence[ApprovalKey] = (),
    ) -> ReviewDecision:
        """Request approval of a patch and return the answer. An approval for the session also grants ``grant_root``.

        Args:
            keys: as for a command.
        """
        event = ApplyPatchApprovalRequestEvent(
            approval_id=self._free_id(call_id),
            call_id=call_id,
            turn_id=turn.id,
            changes=dict(changes),
            reason=reason,
            grant_root=grant_root,
        )

        async def ask() -> ReviewDecision:
            decision = await self._ask(event, turn)
            if grant_root is not None and isinstance(decision, ApprovedForSession):
                self.store.grant(grant_root)
            return decision

        return await with_cached_approval(self.store, keys, ask)

    async def exec_approval(self, approval_id: str, decision: ReviewDecision) -> bool:
        """Answer an open request about a command. ``False``, with a warning, if it is not open or already answered.

        An answer that would save a rule that was not offered is refused in the same way, and the request stays open. A
        rule is saved before the command is released, so that the next command is judged by it.

        Raises:
            UsageError: ``decision`` is neither a decision nor the wire form of one; the request stays open.
        """
        return await self._answer(approval_id, decision, ExecApprovalRequestEvent)

    async def patch_approval(self, approval_id: str, decision: ReviewDecision) -> bool:
        """Answer an open request about a patch; see :meth:`exec_approval`."""
        return await self._answer(approval_id, decision, ApplyPatchApprovalRequestEvent)

    async def _answer(self, approval_id: str, decision: ReviewDecision, kind: type[Request]) -> bool:
        decision = decision_from_json(decision)
        pending = self._claim(approval_id, decision, kind)
        if pending is None:
            return False
        if isinstance(pending.event, ExecApprovalRequestEvent):
            await self._save(decision, pending.event.network)
        self._settle(pending, decision)
        return True

    def interrupt(self, turn: Turn) -> None:
        """Stop ``turn``: its open requests end with an abort and its running tasks are cancelled."""
        if instance(Turn)(turn, "what is interrupted").aborted:
            return
        turn.aborted = True
        waiting: set[asyncio.Task[object]] = set()
        for pending in list(self._pending.values()):
            if pending.turn is turn:
                if not pending.answer.done():
                    pending.answer.set_result(Abort())
                if pending.task is not None:
                    waiting.add(pending.task)
        turn.cancel_running(besides=waiting)
        self.emit(TurnAbortedEvent(turn.id))

    def close(self) -> None:
        """End the session: every open or later request ends with an abort."""
        self._closed = True
        for turn in list(self._turns):
            self.interrupt(turn)

    def _free_id(self, call_id: str) -> str:
        """``call_id``, with a number appended while another request of the same call is open. Agents reuse ids."""
        approval_id, number = call_id, 1
        while approval_id in self._pending:
            number += 1
            approval_id = f"{call_id}#{number}"
        return approval_id

    async def _ask(self, event: Request, turn: Turn) -> ReviewDecision:
        if turn.aborted or self._closed:
            return Abort()
        pending = self._pending[event.approval_id] = OpenRequest(event, turn, self._clock.now())
        helpers: list[asyncio.Task[None]] = []
        decision: ReviewDecision = Abort()
        try:
            self.emit(event)
            if self._reviewer is not None:
                helpers.append(asyncio.create_task(self._review(self._reviewer, pending)))
            if self._timeout is not None:
                helpers.append(asyncio.create_task(self._expire(self._timeout, pending)))
            decision = await pending.answer
            return decision
        finally:
            del self._pending[event.approval_id]
            current = asyncio.current_task()
            for task in helpers:
                if task is not current:
                    task.cancel()
            self.emit(ApprovalResolvedEvent(approval_id=event.approval_id, turn_id=turn.id, decision=decision))

    async def _review(self, reviewer: Reviewer, pending: OpenRequest) -> None:
        try:
            if getattr(reviewer, "automatic", False) and getattr(pending.event, "human_only", False):
                decision: ReviewDecision = Denied(PERSON_NEEDED)
            else:
                decision = decision_from_json(await reviewer.review(pending.event))
                refused = pending.why_refused(decision, any_amendment=self._takes_any_amendment)
                if refused is not None:
                    self.emit(WarningEvent(f"the answer was refused, which denies the request: {refused}"))
                    decision = Denied(f"the answer was refused: {refused}")
        except Exception as error:
            self.emit(WarningEvent(f"the reviewer failed, so the request was denied: {type(error).__name__}: {error}"))
            decision = Denied(f"denied because the reviewer failed: {error}")
        if pending.answer.done():
            return
        await self._answer(pending.event.approval_id, decision, type(pending.event))

    async def _expire(self, seconds: float, pending: OpenRequest) -> None:
        await self._clock.sleep(seconds)
        if not pending.claimed:
            pending.claimed = True
            self._settle(pending, TimedOut())

    def _claim(self, approval_id: str, decision: ReviewDecision, kind: type[Request]) -> OpenRequest | None:
        """The request that ``decision`` answers; ``None``, with a warning, if it cannot be answered so."""
        pending = self._pending.get(approval_id)
        refused = pending and pending.why_refused(decision, any_amendment=self._takes_any_amendment)
        if refused:
            problem = f"the answer to approval request `{approval_id}` was refused: {refused}"
        elif pending is None or not isinstance(pending.event, kind):
            problem = f"no open approval request has the id `{approval_id}`; the answer was ignored"
        elif pending.claimed or pending.answer.done():
            problem = f"approval request `{approval_id}` is answered already; the answer was ignored"
        else:
            pending.claimed = True
            if self._timeout is None or self._clock.now() - pending.since < self._timeout:
                return pending
            # A callback that blocked the event loop also delayed the time-out.
            problem = f"the answer to approval request `{approval_id}` came too late; it was ignored"
            self._settle(pending, TimedOut())
        self.emit(WarningEvent(problem))
        return None

    def _settle(self, pending: OpenRequest, decision: ReviewDecision) -> None:
        if not pending.answer.done():
            pending.answer.set_result(decision)
        if isinstance(decision, Abort):
            self.interrupt(pending.turn)

    async def _save(self, decision: ReviewDecision, to: NetworkTarget | None) -> None:
        """Save the rule of a lasting answer; ``to`` is the connection that the question was about."""
        if isinstance(decision, ApprovedExecpolicyAmendment):
            prefix = decision.proposed_execpolicy_amendment.prefix
            done = f"Approved command prefix saved:\n- {json.dumps(prefix, ensure_ascii=False)}"
            await self._save_with(lambda amender: amender.amend(prefix), done, "Failed to apply execpolicy amendment")
        elif isinstance(decision, NetworkAmendment) and to is not None:
            rule = (to.host, to.protocol, Decision("forbidden" if decision.action == "deny" else decision.action))
            done = f"Network rule saved:\n- {decision.action} {to.protocol}://{to.host}"
            await self._save_with(lambda amender: amender.amend_network(*rule), done, "Failed to save the network rule")

    async def _save_with(self, save: Callable[[Amender], Awaitable[None]], done: str, failed: str) -> None:
        try:
            if self._amender is None:
                raise ExecPolicyError("this session has no rules file to save to")
            await save(self._amender)
        except ExecPolicyError as error:
            self.emit(WarningEvent(f"{failed}: {error}"))
        else:
            self.emit(DeveloperMessage(done))
