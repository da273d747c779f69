"""Questions to a person about requests, here or by the host, and the replies to the other side."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from execpolicy.core.answer import Answer, AnswerKind
from execpolicy.errors import ExecPolicyError
from execpolicy.permissions.redaction import printable
from execpolicy.protocol import outgoing
from execpolicy.protocol.call_table import CallLedger, CallState, digest_of
from execpolicy.protocol.decisions import Decider, Keeper, Ruling, Say
from execpolicy.protocol.messages import (
    AbortCode,
    Choice,
    Control,
    DecisionWord,
    PolicyAnswer,
    PolicyDecision,
    ToolRequest,
)
from execpolicy.protocol.questions import Asker, Questions
from execpolicy.protocol.session_options import ArbiterOptions

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
        state = CallState.ALLOWED if ruling.say is Say.ALLOW else CallState.DENIED
        call = self.ledger.settle(request, state, ruling, by=by)
        if call is None:
            return
        self.questions.withdraw(request.id)
        if state is CallState.ALLOWED and not call.allowed:  # the decision could not be recorded
            ruling = Ruling(say=Say.DENY, reason=NOT_RECORDED)
        if call.waits:
            self.decide(request, DecisionWord.ALLOW if call.allowed else DecisionWord.DENY, ruling)
        elif not call.allowed:
            self._unwaited(request, ruling)

    def timed_out(self, request: ToolRequest) -> None:
        """Denies a request that was not answered in time."""
        self.ledger.counters.timed_out += 1
        if self.fail(request, CallState.DENIED_TIMEOUT, by="timeout", reason="policy timeout"):
            self.decide(request, DecisionWord.DENY, Ruling(say=Say.DENY, reason="policy timeout"))

    def fail(self, request: ToolRequest, state: CallState, *, by: str, reason: str) -> bool:
        """Closes the call of ``request`` without a message to the other side; ``False`` if it was not open."""
        if self.ledger.settle(request, state, Ruling(say=Say.DENY, reason=reason), by=by) is None:
            return False
        self.questions.withdraw(request.id)
        return True

    def decide(self, request: ToolRequest, word: DecisionWord, ruling: Ruling) -> None:
        """Sends the decision ``word`` about ``request`` with the details of ``ruling``."""
        self.decision(request.id, request.run_id, request.nonce, word, ruling)

    def decision(self, id: str, run_id: str | None, nonce: str | None, word: DecisionWord, ruling: Ruling) -> None:
        """Sends the decision ``word`` about the request with these ids, also for a request that is broken."""
        allowed, asked = word is DecisionWord.ALLOW, word is DecisionWord.ASK
        self.send(
            PolicyDecision(
                **outgoing.stamp(run_id or self.options.run_id),
                id=id,
                decision=word,
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
        word = "denied" if ruling.say is Say.DENY else "asked about"
        self.ledger.warning(f"`{request.tool}` (request `{request.id}`) would be {word}, but the agent does not wait")
        if self.options.unwaited == "abort" and (ruling.say is Say.DENY or ruling.dangerous):
            self.abort(AbortCode.POLICY_VIOLATION, f"`{request.tool}` is {word}: {ruling.reason}")


@dataclass(frozen=True, slots=True)
class Consultation:
    """Asks about requests of one session and applies the answers.

    Args:
        decider: decides open questions again after an answer that may settle them.
        warn: shows a line to the person; must not block.
        asker: asks the person; without one, ``options.default_action`` decides.
        keeper: saves prefixes that a person allows permanently.
    """

    replies: Replies
    decider: Decider
    warn: Callable[[str], None]
    asker: Asker | None
    keeper: Keeper | None
    _approved: set[bytes] = field(default_factory=set, init=False)

    def begin(self, request: ToolRequest, ruling: Ruling) -> None:
        """Asks about ``request``, unless the session already has the answer or the answer would come too late."""
        if digest_of(request) in self._approved:
            self._answer(request, ruling, Say.ALLOW, _APPROVED, by="session")
        elif not request.requires_policy:
            self.replies.answer(request, ruling, by="policy")  # an answer would come too late
        elif self.replies.options.ask_host:
            self._hand_over(request, ruling)
        elif self.asker is None:
            self._by_default(request, ruling)
        else:
            asking = partial(self._ask, request, ruling, self.asker)
            self.replies.questions.put(request.id, asking, partial(self.replies.timed_out, request))

    def _with_proposal(self, request: ToolRequest, ruling: Ruling) -> Ruling:
        if self.keeper is None or ruling.grave:
            return ruling
        return replace(ruling, proposal=self.keeper.propose(request))

    def _answer(self, request: ToolRequest, ruling: Ruling, say: Say, why: str, *, by: str) -> None:
        self.replies.answer(request, ruling.changed(say, why), by=by)

    async def _ask(self, request: ToolRequest, ruling: Ruling, asker: Asker) -> None:
        """Asks one question, when its turn has come."""
        try:
            ruling = self._with_proposal(request, ruling)
            answer = await asker.ask(request, ruling)
            if answer.kind is AnswerKind.APPROVE_RULE:
                await self._keep(ruling, answer)
        except Exception as error:
            self.replies.ledger.warning(f"the question about request `{request.id}` failed: {error}")
            answer = Answer(AnswerKind.DENY, "the question could not be put")
        self._person_answered(request, ruling, answer)

    def _person_answered(self, request: ToolRequest, ruling: Ruling, answer: Answer) -> None:
        call = self.replies.ledger.calls.get(request.id)
        if call is None or call.state is not CallState.PENDING:
            self._too_late(request.id)
            return
        if time.monotonic() - call.opened >= self.replies.options.timeout_s:
            # The asker blocked the event loop, and with it the timeout.
            self._too_late(request.id)
            self.replies.timed_out(request)
            return
        session = answer.kind is AnswerKind.APPROVE_SESSION
        kind = AnswerKind.APPROVE if ruling.once and session else answer.kind
        match kind:
            case AnswerKind.APPROVE:
                self._answer(request, ruling, Say.ALLOW, "approved by the user", by="user")
            case AnswerKind.APPROVE_SESSION:
                self._approved.add(digest_of(request))
                self._answer(request, ruling, Say.ALLOW, "approved by the user for the session", by="user")
                self._reconsider()
            case AnswerKind.APPROVE_RULE if not ruling.offers(answer.amendment):
                self._answer(request, ruling, Say.DENY, "what was to be kept was not offered", by="policy")
            case AnswerKind.APPROVE_RULE:
                self._answer(request, ruling, Say.ALLOW, "approved by the user", by="user")
                self._reconsider()
            case AnswerKind.UNAVAILABLE:
                self._by_default(request, ruling)
            case AnswerKind.DENY | AnswerKind.ABORT:
                said = f"denied by the user: {answer.feedback}" if answer.feedback else "denied by the user"
                self._answer(request, ruling, Say.DENY, said, by="user")
                if kind is AnswerKind.ABORT:
                    self.replies.abort(AbortCode.USER_CANCEL, answer.feedback or "the user cancelled the approval")

    def _too_late(self, id: str) -> None:
        self.replies.ledger.warning(f"the answer about request `{id}` came too late")

    def host_answered(self, answer: PolicyAnswer) -> None:
        """Applies an answer that a host sends. The same answer again changes nothing; a different one is too late."""
        self.replies.ledger.note("answer", answer.id, {"answer": answer.answer.value, "message": answer.message})
        call = self.replies.ledger.calls.get(answer.id)
        if call is None or call.handed_over is None:
            self.replies.ledger.counters.unknown_ids += 1
            self.replies.ledger.warning(f"an answer for the id `{answer.id}`, about which nothing was asked")
            return
        request, ruling = call.request, call.handed_over
        if call.answer is not None and call.answer.answer is answer.answer:
            self.replies.ledger.counters.repeated += 1
            return
        if request is None or call.state is not CallState.PENDING or call.answer is not None:
            self._too_late(answer.id)
            return
        call.answer = answer
        given = Answer(_KINDS[answer.answer], answer.message, answer.prefix or ())
        self.replies.questions.withdraw(answer.id)
        if given.kind is not AnswerKind.APPROVE_RULE:
            self._person_answered(request, ruling, given)
        else:
            keeping = partial(self._keep_answered, request, ruling, given)
            self.replies.questions.put(answer.id, keeping, partial(self.replies.timed_out, request))

    async def _keep_answered(self, request: ToolRequest, ruling: Ruling, answer: Answer) -> None:
        await self._keep(ruling, answer)
        self._person_answered(request, ruling, answer)

    async def _keep(self, ruling: Ruling, answer: Answer) -> None:
        if self.keeper is None or not ruling.offers(answer.amendment):
            return
        try:
            self.warn(printable(await self.keeper.keep(answer.amendment or ruling.proposal)))
        except (ExecPolicyError, OSError) as error:
            self.replies.ledger.warning(f"the rule could not be saved: {error}")

    def _reconsider(self) -> None:
        """Decides other open questions again: the policy may allow them now, or they are about an approved call."""
        for call in self.replies.ledger.calls.pending():
            if call.request is None or not self.replies.questions.is_open(call.request.id):
                continue
            if call.digest in self._approved:
                self.replies.answer(call.request, Ruling(say=Say.ALLOW, reason=_APPROVED), by="session")
                continue
            try:
                ruling = self.decider.decide(call.request)
            except Exception:
                continue  # the question stays open
            if ruling.say is not Say.ASK:
                self.replies.answer(call.request, ruling, by="policy")

    def _by_default(self, request: ToolRequest, ruling: Ruling) -> None:
        """Applies the default action, because no person can be asked (section 7)."""
        if self.replies.options.default_action == "allow" and not ruling.grave:
            self._answer(request, ruling, Say.ALLOW, "allowed by default: nobody can be asked", by="default")
        else:
            self._answer(request, ruling, Say.DENY, f"nobody can be asked: {ruling.reason}", by="default")

    def _hand_over(self, request: ToolRequest, ruling: Ruling) -> None:
        """Passes the question to the host. The call stays open until the host's answer, its result or its timeout."""
        ruling = self._with_proposal(request, ruling)
        call = self.replies.ledger.calls.get(request.id)
        if call is not None:
            call.handed_over = ruling
        self.replies.decide(request, DecisionWord.ASK, ruling)
        self.replies.ledger.note("handed_over", request.id, {"reason": ruling.reason})
        self.replies.questions.hold(request.id, partial(self.replies.timed_out, request))
