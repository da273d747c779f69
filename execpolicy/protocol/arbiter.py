"""The arbiter: decides tool requests, asks where the policy requires it, and keeps the state of every call.

Source: seed 004, sections 3.1 and 4 to 8. The arbiter uses no processes or pipes: events come in through
:meth:`receive`, messages go out through ``send``. The runner of a child and the embedding ``serve`` share it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from execpolicy.core.decision import Decision
from execpolicy.permissions.audit import AuditSink
from execpolicy.protocol import outgoing
from execpolicy.protocol.codec import MessageError
from execpolicy.protocol.decisions import Arrival, CallLedger, CallState, Decider, Keeper, Recent, Ruling, refusal
from execpolicy.protocol.messages import (
    MAX_ID,
    AbortCode,
    ArbiterOptions,
    Control,
    Event,
    PolicyAnswer,
    PolicyPing,
    ToolProgress,
    ToolRequest,
    ToolResult,
    is_name,
    negotiate,
)
from execpolicy.protocol.questions import NOT_RECORDED, Asker, Consultation, Questions
from execpolicy.validators import function, instance, optional, port

_REMEMBERED = 500
_AT_ONCE, _A_SECOND = 20.0, 2.0


class Pings:
    """Decides which pings are answered: those that are not themselves answers, at a limited rate."""

    def __init__(self) -> None:
        self._sent: Recent[bool] = Recent(_REMEMBERED)
        self._room, self._counted_at = _AT_ONCE, time.monotonic()

    def sent(self, id: str) -> None:
        """Records the ``id`` of a sent ping. A ping that arrives with this id is an answer."""
        self._sent.put(id, True)

    def to_answer(self, id: str) -> bool:
        """True if a ping with this ``id`` needs an answer.

        Answers to answers would never end, so the number of answers at once and per second is limited.
        """
        if self._sent.get(id):
            return False
        now = time.monotonic()
        self._room = min(_AT_ONCE, self._room + (now - self._counted_at) * _A_SECOND)
        self._counted_at = now
        if self._room < 1:
            return False
        self._room -= 1
        return True


REMEMBERED = 50_000
"""The minimum number of nonces that are remembered."""
MAX_PENDING_SIZE = 64 << 20
"""The maximum size of all waiting requests in characters; further requests are denied."""


class Arbiter:
    """The decisions of one session. Use it from one event loop.

    Args:
        send: sends a message to the other side; must not block.
        abort: ends the session; takes a code and a one-line reason.
        warn: shows a line to the person; must not block.
        asker: asks the person; without one, ``options.default_action`` decides.
        keeper: saves prefixes that a person allows permanently.
        audit: receives every request, decision and result. A call whose record cannot be stored is not allowed.
    """

    def __init__(
        self,
        decider: Decider,
        *,
        send: Callable[[Control], None],
        abort: Callable[[AbortCode, str], None],
        warn: Callable[[str], None] = lambda text: None,
        asker: Asker | None = None,
        keeper: Keeper | None = None,
        audit: AuditSink | None = None,
        options: ArbiterOptions | None = None,
    ) -> None:
        self.options = options if options is not None else ArbiterOptions()
        instance(ArbiterOptions)(self.options, "Arbiter: `options`")
        self._decider = port("decide")(decider, "Arbiter: `decider`")
        self._send = function(send, "Arbiter: `send`")
        self._abort = function(abort, "Arbiter: `abort`")
        function(warn, "Arbiter: `warn`")
        self._ledger = CallLedger(self.options.run_id, warn, optional(port("write"))(audit, "Arbiter: `audit`"))
        self.calls = self._ledger.calls
        self.counters = self._ledger.counters
        self._questions = Questions(self.options.timeout_s, at_once=getattr(asker, "at_once", 1))
        asker = optional(port("ask"))(asker, "Arbiter: `asker`")
        keeper = optional(port("propose", "keep"))(keeper, "Arbiter: `keeper`")
        self._replies = Consultation(
            self._ledger, self._questions, self.options, send, self.abort, decider, asker, keeper
        )
        self._pings = Pings()
        self._nonces: Recent[bool] = Recent(REMEMBERED)
        self._closed = False

    def ping(self, *, answers: PolicyPing | None = None) -> PolicyPing:
        """A ping, which states that the approval channel works; an answer to another ping has the id of that ping."""
        options = self.options
        id = None if answers is None else answers.id
        ping = outgoing.ping(run_id=options.run_id, timeout_s=options.timeout_s, answers=options.ask_host, id=id)
        self._pings.sent(ping.id)
        return ping

    def receive(self, event: Event) -> None:
        """Processes an event. Decisions that need no question are sent before this returns."""
        if self._closed:
            return
        match event:
            case ToolRequest():
                self._request(event)
            case ToolResult():
                self._result(event)
            case ToolProgress():
                self._ledger.note("progress", event.id, {"message": event.message})
            case PolicyPing():
                self._pinged(event)
            case PolicyAnswer():
                self._replies.host_answered(event)

    def broken_line(self, error: MessageError) -> None:
        """Counts a line that should be an event but is not. Too many of them end the session (section 8.2)."""
        if self._closed:
            return
        self.counters.parse_errors += 1
        value = error.value or {}
        id = value["id"] if isinstance(value.get("id"), str) else None
        self._ledger.note("parse_error", id, {"problem": error.problem, "error": str(error)})
        self.warning(f"a broken event line ({error.problem}): {error}")
        if value.get("type") == ToolRequest.TYPE and id and value.get("requires_policy") is True:
            # The child waits for an answer to a request that cannot be judged.
            if self.calls.settle(id, CallState.DENIED) is not None:
                self._questions.withdraw(id)
            run_id = value["run_id"] if is_name(value.get("run_id")) else None
            ruling = refusal(f"the request is broken: {error}")
            self._replies.decision(id[:MAX_ID], run_id, None, ruling)
        if 0 < self.options.max_parse_errors <= self.counters.parse_errors:
            self.abort(AbortCode.PROTOCOL_ERROR, f"{self.counters.parse_errors} broken event lines")

    def warning(self, text: str) -> None:
        """Shows a warning to the person, as one printable line."""
        self._ledger.warning(text)

    def transport_failed(self, why: str) -> None:
        """Fails every pending call, because nothing can be sent any more (section 6.1)."""
        for call in self.calls.pending():
            if call.request is not None:
                self._replies.fail(call.request, CallState.FAILED_TRANSPORT, by="transport", reason=why)

    def abort(self, code: AbortCode, reason: str) -> None:
        """Ends the session: pending calls are denied, then the other side receives the abort."""
        if self._closed:
            return
        self.deny_pending(f"the session is aborted: {reason}", by="abort")
        self._ledger.note("abort", None, {"code": code.value, "reason": reason})
        self._closed = True
        self._abort(code, reason)

    def deny_pending(self, reason: str, *, by: str) -> None:
        """Denies all pending calls."""
        for call in self.calls.pending():
            if call.request is not None:
                self._replies.answer(call.request, refusal(reason), by=by)

    async def close(self) -> None:
        """Stops all questions and fails the pending calls after the other side has ended."""
        self._closed = True
        await self._questions.close()
        self.transport_failed("the session is over")

    def input_ended(self) -> None:
        """Denies the questions that the other side was to answer, because it sends nothing more."""
        self._questions.expect_no_answers()

    async def idle(self) -> None:
        """Waits until no question is open."""
        await self._questions.idle()

    def _request(self, request: ToolRequest) -> None:
        arrival = self.calls.open(request, time.monotonic())
        if arrival is Arrival.REPEATED:
            self.counters.repeated += 1
            self._ledger.note("repeated", request.id, {})
            return
        if arrival is Arrival.REUSED:
            self._reused(request)
            return
        self.counters.requests += 1
        shown = {"tool": request.tool, "action": request.action, "args": request.args, "waits": request.requires_policy}
        kept = self._ledger.note("request", request.id, shown)
        if request.nonce is not None and self._nonces.get(request.nonce):
            self.counters.replayed += 1
            self.warning(f"the nonce of request `{request.id}` was used before")
            self._replies.answer(request, refusal("the nonce was used before"), by="policy")
            return
        if request.nonce is not None:
            self._nonces.put(request.nonce, True)
        if not kept:
            self._replies.answer(request, refusal(NOT_RECORDED), by="audit")
            return
        if len(self.calls) > self.options.max_pending or self.calls.pending_size > MAX_PENDING_SIZE:
            self._replies.answer(request, refusal("too many requests are waiting"), by="policy")
            return
        try:
            ruling: Ruling = instance(Ruling)(self._decider.decide(request), "a ruling")
        except Exception as error:
            self.warning(f"the policy failed on request `{request.id}`: {error}")
            ruling = refusal("the policy failed")
        if ruling.decision is Decision.PROMPT:
            self._replies.begin(request, ruling)
        else:
            self._replies.answer(request, ruling, by="policy")

    def _pinged(self, ping: PolicyPing) -> None:
        """Answers a ping. It aborts the session if the two sides have no version in common."""
        self._ledger.note("ping", ping.id, {"capabilities": list(ping.capabilities)})
        if negotiate(ping.capabilities) is None:
            self.abort(AbortCode.PROTOCOL_ERROR, "no version of policy.decision in common")
        elif self._pings.to_answer(ping.id):
            self._send(self.ping(answers=ping))

    def _reused(self, request: ToolRequest) -> None:
        """Denies another request under a known id: a grant for that id does not apply to it."""
        self.counters.reused += 1
        self.warning(f"the id `{request.id}` was used before for something else")
        self._ledger.note("reused", request.id, {"tool": request.tool, "action": request.action, "args": request.args})
        ruling = refusal("the id was used before")
        call = self.calls.get(request.id)
        if call is not None and call.state is CallState.PENDING and call.request is not None:
            self._replies.answer(call.request, ruling, by="policy")
        elif request.requires_policy:
            self._replies.decide(request, ruling)

    def _result(self, result: ToolResult) -> None:
        completed = self.calls.complete(result.id)
        if completed is None:
            self.counters.unknown_ids += 1
            self.warning(f"a result for the unknown id `{result.id}`")
            self._ledger.note("unknown_result", result.id, {"ok": result.ok})
            return
        call, before = completed
        self._questions.withdraw(result.id)
        self._ledger.note("result", result.id, {"ok": result.ok, "error": result.error, "state": before.value})
        if before is CallState.COMPLETED or not call.waits or not result.ok or call.allowed:
            return
        if self.options.ask_host and before is CallState.PENDING:
            return  # the host asked and a person agreed
        self.counters.violations += 1
        self.abort(AbortCode.POLICY_VIOLATION, f"the call `{result.id}` ran although it was not allowed")
