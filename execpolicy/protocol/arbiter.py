"""The arbiter: decides tool requests, asks where the policy asks, and keeps every call's state.

Source: seed 004, sections 4 to 8. It knows nothing of processes and pipes: events come in through :meth:`receive`,
messages go out through ``send``, so that the runner of a child and the embedding ``serve`` share it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from execpolicy.errors import ExecPolicyError
from execpolicy.given import function, instance, optional, port
from execpolicy.permissions.audit import AuditSink
from execpolicy.permissions.redaction import printable
from execpolicy.protocol import outgoing
from execpolicy.protocol.arbiter_options import ArbiterOptions, Counters
from execpolicy.protocol.asking import Asker, PersonAnswer
from execpolicy.protocol.call_table import Arrival, Call, CallState, CallTable, digest_of
from execpolicy.protocol.codec import MessageError
from execpolicy.protocol.messages import (
    AbortCode,
    Choice,
    Control,
    DecisionWord,
    Event,
    PolicyAnswer,
    PolicyPing,
    ToolProgress,
    ToolRequest,
    ToolResult,
    is_name,
    negotiate,
)
from execpolicy.protocol.nonces import Nonces
from execpolicy.protocol.pings import Pings
from execpolicy.protocol.questions import Questions
from execpolicy.protocol.rulings import Decider, Keeper, Ruling, Say

MAX_PENDING_SIZE = 64 << 20
"""So many characters of requests may wait at once; further ones are denied."""


class Arbiter:
    """One session's decisions. Use it from one event loop.

    Args:
        send: takes a message for the other side; must not wait.
        abort: ends the session: a code and one line.
        warn: one line for the person; must not wait.
        asker: whom to ask; ``None`` leaves questions to ``options.default_action``.
        keeper: keeps prefixes that a person allows for good.
        audit: told every request, decision and result. What it cannot keep is not allowed.
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
        self.calls = CallTable()
        self.counters = Counters()
        instance(ArbiterOptions)(self.options, "Arbiter: `options`")
        self._decider = port("decide")(decider, "Arbiter: `decider`")
        self._send = function(send, "Arbiter: `send`")
        self._abort = function(abort, "Arbiter: `abort`")
        self._warn = function(warn, "Arbiter: `warn`")
        self._asker = optional(port("ask"))(asker, "Arbiter: `asker`")
        self._keeper = optional(port("propose", "keep"))(keeper, "Arbiter: `keeper`")
        self._audit = optional(port("write"))(audit, "Arbiter: `audit`")
        self._questions = Questions(self.options.timeout_s, at_once=getattr(asker, "at_once", 1))
        self._approved: set[bytes] = set()
        self._pings = Pings()
        self._nonces = Nonces()
        self._closed = False

    def ping(self, *, answers: PolicyPing | None = None) -> PolicyPing:
        """The message that says that the approval channel works; in answer to another one, it has that one's id."""
        options = self.options
        id = None if answers is None else answers.id
        ping = outgoing.ping(run_id=options.run_id, timeout_s=options.timeout_s, answers=options.ask_host, id=id)
        self._pings.sent(ping.id)
        return ping

    def receive(self, event: Event) -> None:
        """Take an event. Decisions that need nobody go out before this returns."""
        if self._closed:
            return
        match event:
            case ToolRequest():
                self._request(event)
            case ToolResult():
                self._result(event)
            case ToolProgress():
                self._note("progress", event.id, {"message": event.message})
            case PolicyPing():
                self._pinged(event)
            case PolicyAnswer():
                self._host_answered(event)

    def broken_line(self, error: MessageError) -> None:
        """A line that should have been an event is none: counted; too many end the session (section 8.2)."""
        if self._closed:
            return
        self.counters.parse_errors += 1
        value = error.value or {}
        id = value.get("id")
        self._note("parse_error", id if isinstance(id, str) else None, {"problem": error.problem, "error": str(error)})
        self.warning(f"a broken event line ({error.problem}): {error}")
        if (
            value.get("type") == ToolRequest.TYPE
            and isinstance(id, str)
            and id
            and value.get("requires_policy") is True
        ):
            # It waits for an answer to something that cannot be judged.
            run_id = value.get("run_id")
            known = self.calls.settle(id, CallState.DENIED)
            if known is not None:
                self._questions.withdraw(id)
            self._decision(
                id[:512],
                run_id if is_name(run_id) else None,
                None,
                DecisionWord.DENY,
                Ruling(say=Say.DENY, reason=f"the request is broken: {error}"),
            )
        if 0 < self.options.max_parse_errors <= self.counters.parse_errors:
            self.abort(AbortCode.PROTOCOL_ERROR, f"{self.counters.parse_errors} broken event lines")

    def warning(self, text: str) -> None:
        """Tell the person, in one harmless line."""
        self.counters.warnings += 1
        self._warn(printable(text))

    def transport_failed(self, why: str) -> None:
        """Nothing can be sent any more: every pending call fails (section 6.1)."""
        for call in self.calls.pending():
            if call.request is not None:
                self._settle(call.request, CallState.FAILED_TRANSPORT, by="transport", reason=why)

    def abort(self, code: AbortCode, reason: str) -> None:
        """End the session: what is pending is denied, then the other side is told."""
        if self._closed:
            return
        self.deny_pending(f"the session is aborted: {reason}", by="abort")
        self._note("abort", None, {"code": code.value, "reason": reason})
        self._closed = True
        self._abort(code, reason)

    def deny_pending(self, reason: str, *, by: str) -> None:
        """Deny whatever waits."""
        for call in self.calls.pending():
            if call.request is not None:
                self._answer(call.request, Ruling(say=Say.DENY, reason=reason), by=by)

    async def close(self) -> None:
        """The other side is gone: stop asking and forget what was pending."""
        self._closed = True
        await self._questions.close()
        self.transport_failed("the session is over")

    def input_ended(self) -> None:
        """The other side says nothing more: what it was to ask about is denied."""
        self._questions.expect_no_answers()

    async def idle(self) -> None:
        """Wait until no question is open."""
        await self._questions.idle()

    def _request(self, request: ToolRequest) -> None:
        arrival = self.calls.open(request, time.monotonic())
        if arrival is Arrival.REPEATED:
            self.counters.repeated += 1
            self._note("repeated", request.id, {})
            return
        if arrival is Arrival.REUSED:
            self._reused(request)
            return
        self.counters.requests += 1
        shown = {"tool": request.tool, "action": request.action, "args": request.args, "waits": request.requires_policy}
        kept = self._note("request", request.id, shown)
        if self._nonces.replayed(request.nonce):
            self.counters.replayed += 1
            self.warning(f"the nonce of request `{request.id}` was used before")
            self._answer(request, Ruling(say=Say.DENY, reason="the nonce was used before"), by="policy")
            return
        if not kept:
            self._answer(request, Ruling(say=Say.DENY, reason=_NOT_KEPT), by="audit")
            return
        if len(self.calls) > self.options.max_pending or self.calls.pending_size > MAX_PENDING_SIZE:
            self._answer(request, Ruling(say=Say.DENY, reason="too many requests are waiting"), by="policy")
            return
        try:
            ruling: Ruling = instance(Ruling)(self._decider.decide(request), "a ruling")
        except Exception as error:
            self.warning(f"the policy failed on request `{request.id}`: {error}")
            ruling = Ruling(say=Say.DENY, reason="the policy failed")
        if ruling.say is not Say.ASK:
            self._answer(request, ruling, by="policy")
        elif digest_of(request) in self._approved:
            self._answer(request, ruling.changed(Say.ALLOW, "approved earlier in this session"), by="session")
        elif not request.requires_policy:
            self._answer(request, ruling, by="policy")  # a question that would come too late
        elif self.options.ask_host:
            self._hand_over(request, ruling)
        elif self._asker is None:
            self._by_default(request, ruling)
        else:
            asker = self._asker
            self._questions.put(request.id, lambda: self._ask(request, ruling, asker), lambda: self._timed_out(request))

    def _pinged(self, ping: PolicyPing) -> None:
        """The other side says which versions it speaks; with none in common there is nothing to say."""
        self._note("ping", ping.id, {"capabilities": list(ping.capabilities)})
        if negotiate(ping.capabilities) is None:
            self.abort(AbortCode.PROTOCOL_ERROR, "no version of policy.decision in common")
        elif self._pings.to_answer(ping.id):
            self._send(self.ping(answers=ping))

    def _reused(self, request: ToolRequest) -> None:
        """Another request under a known id: whatever was granted to that id is not granted to this one."""
        self.counters.reused += 1
        self.warning(f"the id `{request.id}` was used before for something else")
        self._note("reused", request.id, {"tool": request.tool, "action": request.action, "args": request.args})
        ruling = Ruling(say=Say.DENY, reason="the id was used before")
        call = self.calls.get(request.id)
        if call is not None and call.state is CallState.PENDING and call.request is not None:
            self._answer(call.request, ruling, by="policy")
        elif request.requires_policy:
            self._decision(request.id, request.run_id, request.nonce, DecisionWord.DENY, ruling)

    async def _ask(self, request: ToolRequest, ruling: Ruling, asker: Asker) -> None:
        """Put one question, now that it is its turn."""
        try:
            if self._keeper is not None and not ruling.grave:
                ruling = replace(ruling, proposal=self._keeper.propose(request))
            answer = await asker.ask(request, ruling)
            if answer.choice is Choice.KEEP:
                await self._keep(ruling, answer)
        except Exception as error:
            self.warning(f"the question about request `{request.id}` failed: {error}")
            answer = PersonAnswer(Choice.DENY, "the question could not be put")
        self._person_answered(request, ruling, answer)

    def _person_answered(self, request: ToolRequest, ruling: Ruling, answer: PersonAnswer) -> None:
        call = self.calls.get(request.id)
        if call is None or call.state is not CallState.PENDING:
            self.warning(f"the answer about request `{request.id}` came too late")
            return
        if time.monotonic() - call.opened >= self.options.timeout_s:
            # Who was asked held up the event loop, and with it the end of their time.
            self.warning(f"the answer about request `{request.id}` came too late")
            self._timed_out(request)
            return
        choice = Choice.ONCE if ruling.once and answer.choice is Choice.SESSION else answer.choice
        match choice:
            case Choice.ONCE:
                self._answer(request, ruling.changed(Say.ALLOW, "approved by the user"), by="user")
            case Choice.SESSION:
                self._approved.add(digest_of(request))
                self._answer(request, ruling.changed(Say.ALLOW, "approved by the user for the session"), by="user")
                self._reconsider()
            case Choice.KEEP if not ruling.offers(answer.prefix):
                self._answer(request, ruling.changed(Say.DENY, "what was to be kept was not offered"), by="policy")
            case Choice.KEEP:
                self._answer(request, ruling.changed(Say.ALLOW, "approved by the user"), by="user")
                self._reconsider()
            case Choice.UNAVAILABLE:
                self._by_default(request, ruling)
            case Choice.DENY | Choice.ABORT:
                said = f"denied by the user: {answer.message}" if answer.message else "denied by the user"
                self._answer(request, ruling.changed(Say.DENY, said), by="user")
                if choice is Choice.ABORT:
                    self.abort(AbortCode.USER_CANCEL, answer.message or "the user cancelled the approval")

    def _host_answered(self, answer: PolicyAnswer) -> None:
        """A host says what its person answered. The same answer again changes nothing; another one comes too late."""
        self._note("answer", answer.id, {"answer": answer.answer.value, "message": answer.message})
        call = self.calls.get(answer.id)
        if call is None or call.handed_over is None:
            self.counters.unknown_ids += 1
            self.warning(f"an answer for the id `{answer.id}`, about which nothing was asked")
            return
        request, ruling = call.request, call.handed_over
        if call.answer is not None and call.answer.answer is answer.answer:
            self.counters.repeated += 1
            return
        if request is None or call.state is not CallState.PENDING or call.answer is not None:
            self.warning(f"the answer about request `{answer.id}` came too late")
            return
        call.answer = answer
        given = PersonAnswer(answer.answer, answer.message, answer.prefix or ())
        if given.choice is not Choice.KEEP:
            self._questions.withdraw(answer.id)
            self._person_answered(request, ruling, given)
        else:
            self._questions.withdraw(answer.id)
            self._questions.put(
                answer.id, lambda: self._keep_answered(request, ruling, given), lambda: self._timed_out(request)
            )

    async def _keep_answered(self, request: ToolRequest, ruling: Ruling, answer: PersonAnswer) -> None:
        await self._keep(ruling, answer)
        self._person_answered(request, ruling, answer)

    async def _keep(self, ruling: Ruling, answer: PersonAnswer) -> None:
        if self._keeper is None or not ruling.offers(answer.prefix):
            return
        try:
            self._warn(printable(await self._keeper.keep(answer.prefix or ruling.proposal)))
        except (ExecPolicyError, OSError) as error:
            self.warning(f"the rule could not be saved: {error}")

    def _reconsider(self) -> None:
        """An answer may settle other open questions: what the policy allows now, or the same call."""
        for call in self.calls.pending():
            if call.request is None or not self._questions.is_open(call.request.id):
                continue
            if call.digest in self._approved:
                ruling = Ruling(say=Say.ALLOW, reason="approved earlier in this session")
                self._answer(call.request, ruling, by="session")
                continue
            try:
                ruling = self._decider.decide(call.request)
            except Exception:
                continue  # it stays a question
            if ruling.say is not Say.ASK:
                self._answer(call.request, ruling, by="policy")

    def _by_default(self, request: ToolRequest, ruling: Ruling) -> None:
        """Nobody can be asked (section 7)."""
        if self.options.default_action == "allow" and not ruling.grave:
            self._answer(request, ruling.changed(Say.ALLOW, "allowed by default: nobody can be asked"), by="default")
        else:
            reason = f"nobody can be asked: {ruling.reason}"
            self._answer(request, ruling.changed(Say.DENY, reason), by="default")

    def _hand_over(self, request: ToolRequest, ruling: Ruling) -> None:
        """The host asks. The call stays open until its answer, its result or its time-out."""
        if self._keeper is not None and not ruling.grave:
            ruling = replace(ruling, proposal=self._keeper.propose(request))
        call = self.calls.get(request.id)
        if call is not None:
            call.handed_over = ruling
        self._decision(request.id, request.run_id, request.nonce, DecisionWord.ASK, ruling)
        self._note("handed_over", request.id, {"reason": ruling.reason})
        self._questions.hold(request.id, lambda: self._timed_out(request))

    def _timed_out(self, request: ToolRequest) -> None:
        self.counters.timed_out += 1
        if self._settle(request, CallState.DENIED_TIMEOUT, by="timeout", reason="policy timeout") is not None:
            ruling = Ruling(say=Say.DENY, reason="policy timeout")
            self._decision(request.id, request.run_id, request.nonce, DecisionWord.DENY, ruling)

    def _answer(self, request: ToolRequest, ruling: Ruling, *, by: str) -> None:
        """Settle a pending call and tell the child, if it waits."""
        if self.calls.get(request.id) is None:
            return
        allowed = ruling.say is Say.ALLOW
        state = CallState.ALLOWED if allowed else CallState.DENIED
        call = self._settle(request, state, by=by, reason=ruling.reason, rule_id=ruling.rule_id, grounds=ruling.grounds)
        if call is None:
            return
        if allowed and call.state is not CallState.ALLOWED:  # it could not be written down
            ruling = Ruling(say=Say.DENY, reason=_NOT_KEPT)
            allowed = False
        if call.waits:
            word = DecisionWord.ALLOW if allowed else DecisionWord.DENY
            self._decision(request.id, request.run_id, request.nonce, word, ruling)
        elif not allowed:
            self._unwaited(request, ruling)

    def _settle(
        self,
        request: ToolRequest,
        state: CallState,
        *,
        by: str,
        reason: str,
        rule_id: str | None = None,
        grounds: Sequence[str] = (),
    ) -> Call | None:
        call = self.calls.settle(request.id, state, allowed=state is CallState.ALLOWED)
        if call is None:
            return None
        self._questions.withdraw(request.id)
        waited = round((time.monotonic() - call.opened) * 1000, 3)
        entry: dict[str, Any] = {
            "decision": state.value,
            "by": by,
            "reason": reason,
            "rule_id": rule_id,
            "duration_ms": waited,
        }
        if call.allowed and grounds:
            entry["grounds"] = list(grounds)
        if not self._note("decision", request.id, entry) and call.allowed:
            call.state, call.allowed = CallState.DENIED, False
        self.counters.allowed += call.allowed
        self.counters.denied += not call.allowed
        self.counters.by[by] = self.counters.by.get(by, 0) + 1
        return call

    def _unwaited(self, request: ToolRequest, ruling: Ruling) -> None:
        """A child that does not wait can only be warned about, or aborted (section 8.1)."""
        word = "denied" if ruling.say is Say.DENY else "asked about"
        self.warning(f"`{request.tool}` (request `{request.id}`) would be {word}, but the agent does not wait")
        if self.options.unwaited == "abort" and (ruling.say is Say.DENY or ruling.dangerous):
            self.abort(AbortCode.POLICY_VIOLATION, f"`{request.tool}` is {word}: {ruling.reason}")

    def _decision(self, id: str, run_id: str | None, nonce: str | None, word: DecisionWord, ruling: Ruling) -> None:
        allowed, asked = word is DecisionWord.ALLOW, word is DecisionWord.ASK
        self._send(
            outgoing.decision(
                word,
                ruling.reason,
                id=id,
                run_id=run_id or self.options.run_id,
                request_nonce=nonce,
                rule_id=ruling.rule_id,
                constraints=ruling.constraints if allowed else None,
                expires_in_ms=self.options.expires_in_ms if allowed else None,
                choices=ruling.choices() if asked else None,
                proposal=ruling.proposal or None if asked else None,
            )
        )

    def _result(self, result: ToolResult) -> None:
        completed = self.calls.complete(result.id)
        if completed is None:
            self.counters.unknown_ids += 1
            self.warning(f"a result for the unknown id `{result.id}`")
            self._note("unknown_result", result.id, {"ok": result.ok})
            return
        call, before = completed
        self._questions.withdraw(result.id)
        self._note("result", result.id, {"ok": result.ok, "error": result.error, "state": before.value})
        if before is CallState.COMPLETED or not call.waits or not result.ok or call.allowed:
            return
        if self.options.ask_host and before is CallState.PENDING:
            return  # the host asked and somebody agreed
        self.counters.violations += 1
        self.abort(AbortCode.POLICY_VIOLATION, f"the call `{result.id}` ran although it was not allowed")

    def _note(self, event: str, id: str | None, entry: Mapping[str, Any]) -> bool:
        """Write to the audit trail; whether it was kept."""
        if self._audit is None:
            return True
        try:
            self._audit.write({"event": event, "run_id": self.options.run_id, "id": id, **entry})
        except Exception as error:
            self.warning(f"the audit trail: {error}")
            return False
        return True


_NOT_KEPT = "the decision could not be written to the audit trail"
