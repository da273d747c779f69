"""Permission requests of many sessions at once: ask, reply, cascades, pending list, events, and the three refusals.

Sources: seed 002, "Ask Flow", "Reply Flow", "Error Types" and Q5 (opencode's texts); seed 001, "approval callback
signature" and "return values". Two things are stricter than in opencode, see ``docs/decisions/README.md``: a
session's approvals never override a configured deny, and they apply to that session only.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal, TypeAlias

from execpolicy.core.decision import Decision
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.permissions.request import Asked, Event, PermissionRequest, Replied, Reply, Withdrawn
from execpolicy.permissions.ruleset import Action, PermissionRule, Ruleset, evaluate, rules_naming, rules_only
from execpolicy.validators import Checked, flag, function, instance, optional, seconds, text


class PermissionRefused(ExecPolicyError):
    """A refused tool call: it must not run."""


class RejectedError(PermissionRefused):
    """A refusal by the user without a message: the agent should stop."""

    def __init__(self, message: str = "The user rejected permission to use this specific tool call.") -> None:
        super().__init__(message)


class TimedOutError(RejectedError):
    """A request without an answer within ``seconds``, which counts as a refusal."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"No one answered the permission request within {seconds:g} seconds.")
        self.seconds = seconds


class CorrectedError(PermissionRefused):
    """A refusal by the user with a message, ``feedback``: the agent may continue as the message says."""

    def __init__(self, feedback: str) -> None:
        text(feedback, "the user's words")
        super().__init__(
            f"The user rejected permission to use this specific tool call with the following feedback: {feedback}"
        )
        self.feedback = feedback


class DeniedError(PermissionRefused):
    """A refusal by a rule, without a question to the user; ``rules`` are those for this permission, in order."""

    def __init__(self, rules: Sequence[PermissionRule]) -> None:
        self.rules: Ruleset = rules_only(rules)
        listed = json.dumps([rule.to_json() for rule in self.rules], ensure_ascii=False, separators=(",", ":"))
        super().__init__(
            "The user has specified a rule which prevents you from using this specific tool call."
            f" Here are some of the relevant rules {listed}"
        )


APPROVER_FAILED = "the approval system failed"
NOBODY_TO_ASK = "no one can be asked to approve this"
NOT_UNDERSTOOD = "the approver's answer was not understood"
DENIED = "denied by the user"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolApprovalResult(Checked):
    """An approver's answer.

    Attributes:
        params: parameters that replace those of the call; ``None`` keeps them.
        deny_reason: the reason for a refusal; always set if the call is not approved.
    """

    approved: bool
    params: Mapping[str, Any] | None = None
    deny_reason: str | None = None

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        if not self.approved and not self.deny_reason:
            object.__setattr__(self, "deny_reason", DENIED)


def read_answer(given: object) -> ToolApprovalResult:
    """Parses an answer: a bool, ``{approved, params?, deny_reason?}``, or a result, which is returned unchanged.

    Both ``deny_reason`` and ``denyReason`` are accepted. Only exactly ``True`` approves; everything else is a refusal.
    An answer with an unknown field (``parms``) is a refusal too, because it is unclear what was approved.
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
    named = isinstance(params, Mapping) and all(isinstance(name, str) for name in params)
    if approved is not True or unknown or not (params is None or named):
        return ToolApprovalResult(approved=False, deny_reason=NOT_UNDERSTOOD)
    return ToolApprovalResult(approved=True, params=deepcopy(dict(params)) if params is not None else None)


Listener: TypeAlias = Callable[[Event], object]


@dataclass(frozen=True, slots=True)
class _Pending:
    request: PermissionRequest
    ruleset: Ruleset
    answer: Future[None]
    deadline: float | None

    def left(self) -> float | None:
        """The remaining seconds in which an answer is accepted; ``None`` for no limit."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())


class Permissions:
    """Asks on behalf of tools and keeps the approvals of each session.

    Safe to use from any thread: :meth:`ask` from coroutines, :meth:`ask_sync` from threads, :meth:`reply` from
    anywhere. Listeners are called with the service locked, in the order of the events: they must not wait. A listener
    may call :meth:`reply` at once.

    Args:
        approvals_override_deny: opencode's own behaviour, where *always* also overrides a configured deny.
    """

    def __init__(self, *, approvals_override_deny: bool = False) -> None:
        flag(approvals_override_deny, "Permissions: `approvals_override_deny`")
        self._lock = threading.RLock()
        self._pending: dict[str, _Pending] = {}
        self._approved: dict[str, list[PermissionRule]] = {}
        self._listeners: list[Listener] = []
        self._fresh_ids = (f"per_{number}" for number in count(1))
        self._approvals_override_deny = approvals_override_deny
        self.listener_errors = 0

    async def ask(
        self, request: PermissionRequest, *, ruleset: Sequence[PermissionRule] = (), timeout_s: float | None = None
    ) -> None:
        """Returns when the call may run.

        Cancelling the waiting task withdraws the request.

        Args:
            ruleset: the effective rules, see :func:`execpolicy.permissions.ruleset.layered`.
            timeout_s: the time limit for an answer in seconds; ``None`` for no limit.

        Raises:
            DeniedError: a rule denies one of the patterns; the user is not asked.
            RejectedError: the user refused this request or another of the session, or did not answer in time.
            CorrectedError: the user refused with a message.
        """
        pending = self._start(request, ruleset, timeout_s)
        if pending is None:
            return
        try:
            async with asyncio.timeout(pending.left()):
                await asyncio.wrap_future(pending.answer)
        except TimeoutError:
            self._end_late(pending, timeout_s)
        finally:
            self._withdraw(pending.request, "cancelled")

    def ask_sync(
        self, request: PermissionRequest, *, ruleset: Sequence[PermissionRule] = (), timeout_s: float | None = None
    ) -> None:
        """Runs :meth:`ask` in a thread that may block; the answer must come from another thread or a listener.

        Args:
            timeout_s: the time limit for an answer in seconds; ``None`` for no limit.
        """
        pending = self._start(request, ruleset, timeout_s)
        if pending is None:
            return
        try:
            pending.answer.result(pending.left())
        except FutureTimeoutError:
            self._end_late(pending, timeout_s)
        finally:
            self._withdraw(pending.request, "cancelled")

    def reply(self, request_id: str, reply: Reply, *, message: str | None = None) -> bool:
        """Answers a pending request.

        * *once* grants this request.
        * *always* also allows its ``always`` patterns in its session and grants the pending requests that they cover.
        * *reject* refuses it and every other pending request of its session; only the request itself gets ``message``.

        Returns:
            ``False`` if no request of that id is pending: it was answered, withdrawn or never made, or its time is
                over.

        Raises:
            UsageError: ``reply`` is not one of the three words; the request keeps waiting.
        """
        reply = Reply(reply)
        optional(text)(message, "the message of a reply")
        with self._lock:
            pending = self._pending.get(request_id)
            if pending is None or not self._still_pending(pending):
                return False
            session = pending.request.session_id
            if reply is Reply.REJECT:
                self._finish(pending, reply, CorrectedError(message) if message else RejectedError())
                self._reject_all(session)
                return True
            if reply is Reply.ALWAYS:
                approved = self._approved.setdefault(session, [])
                for pattern in pending.request.always:
                    rule = PermissionRule(pending.request.permission, pattern, Action.ALLOW)
                    if rule not in approved:
                        approved.append(rule)
            self._finish(pending, reply, None)
            if reply is Reply.ALWAYS:
                for other in self._of_session(session):
                    if self._still_pending(other) and self._decision(other.request, other.ruleset) is Decision.ALLOW:
                        self._finish(other, Reply.ALWAYS, None)
            return True

    def pending(self, session_id: str | None = None) -> tuple[PermissionRequest, ...]:
        """The pending requests, oldest first; only those of ``session_id`` if it is given."""
        with self._lock:
            waiting = self._pending.values() if session_id is None else self._of_session(session_id)
            return tuple(entry.request for entry in waiting)

    def approved(self, session_id: str) -> Ruleset:
        """The rules from *always* answers in this session."""
        with self._lock:
            return tuple(self._approved.get(session_id, ()))

    def end_session(self, session_id: str) -> None:
        """Refuses all pending requests of this session and forgets its approvals."""
        with self._lock:
            self._reject_all(session_id)
            self._approved.pop(session_id, None)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls ``listener`` with every event from now on. Its exceptions are counted and ignored.

        Returns:
            A function that ends the subscription.
        """
        function(listener, "a listener")
        with self._lock:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return unsubscribe

    def _start(
        self, request: PermissionRequest, rules: Sequence[PermissionRule], timeout_s: float | None
    ) -> _Pending | None:
        """Registers the request if the user must be asked; ``None`` if the rules allow it."""
        optional(seconds)(timeout_s, "how long to wait")
        ruleset = rules_only(rules)
        instance(PermissionRequest)(request, "what is asked")
        with self._lock:
            decision = self._decision(request, ruleset)
            if decision is Decision.FORBIDDEN:
                raise DeniedError(rules_naming(request.permission, ruleset))
            if decision is Decision.ALLOW:
                return None
            if not request.id:
                request = replace(request, id=next(id for id in self._fresh_ids if id not in self._pending))
            elif request.id in self._pending:
                raise UsageError(f"a permission request `{request.id}` is already waiting")
            answer: Future[None] = Future()
            answer.set_running_or_notify_cancel()  # from here on only a reply settles it, never a cancelled waiter
            deadline = None if timeout_s is None else time.monotonic() + timeout_s
            pending = _Pending(request, ruleset, answer, deadline)
            self._pending[request.id] = pending
            self._publish(Asked(request))
            return pending

    def _decision(self, request: PermissionRequest, ruleset: Ruleset) -> Decision:
        """The strictest decision about a pattern."""
        approved = self._approved.get(request.session_id, [])

        def about(pattern: str) -> Decision:
            decision = evaluate(request.permission, pattern, ruleset).action.decision
            if approved and (decision is not Decision.FORBIDDEN or self._approvals_override_deny):
                return evaluate(request.permission, pattern, ruleset, approved).action.decision
            return decision

        # A request without patterns does not show its targets, so only a rule for everything can allow it.
        return max([about(pattern) for pattern in request.patterns or ("*",)])

    def _of_session(self, session_id: str) -> list[_Pending]:
        return [entry for entry in self._pending.values() if entry.request.session_id == session_id]

    def _still_pending(self, pending: _Pending) -> bool:
        """True if the request is open: a listener may have answered it during a cascade, or delayed it too long."""
        return self._pending.get(pending.request.id) is pending and pending.left() != 0

    def _reject_all(self, session_id: str) -> None:
        for other in self._of_session(session_id):
            if self._still_pending(other):
                self._finish(other, Reply.REJECT, RejectedError())

    def _finish(self, pending: _Pending, reply: Reply, refusal: Exception | None) -> None:
        del self._pending[pending.request.id]
        if refusal is None:
            pending.answer.set_result(None)
        else:
            pending.answer.set_exception(refusal)
        self._publish(Replied(pending.request.session_id, pending.request.id, reply))

    def _end_late(self, pending: _Pending, timeout_s: float | None) -> None:
        """Ends the wait: withdraws the request, or returns the answer if one arrived at the last moment."""
        if self._withdraw(pending.request, "timeout") or not pending.answer.done():
            raise TimedOutError(timeout_s or 0.0) from None
        pending.answer.result()

    def _withdraw(self, request: PermissionRequest, why: Literal["cancelled", "timeout"]) -> bool:
        with self._lock:
            waiting = self._pending.get(request.id)
            if waiting is None or waiting.request is not request:
                return False
            del self._pending[request.id]
            self._publish(Withdrawn(request.session_id, request.id, why))
            return True

    def _publish(self, event: Event) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:
                self.listener_errors += 1
