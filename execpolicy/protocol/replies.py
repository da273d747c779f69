"""What the other side is told about its requests."""

from __future__ import annotations

from collections.abc import Callable

from execpolicy.protocol import outgoing
from execpolicy.protocol.call_ledger import CallLedger
from execpolicy.protocol.call_table import CallState
from execpolicy.protocol.decisions import Ruling, Say
from execpolicy.protocol.messages import AbortCode, Control, DecisionWord, ToolRequest
from execpolicy.protocol.questions import Questions
from execpolicy.protocol.session_options import ArbiterOptions

NOT_KEPT = "the decision could not be written to the audit trail"


class Replies:
    """The answers to one session's requests: each settles its call, and its question needs nobody any more.

    Args:
        send: takes a message for the other side; must not wait.
        abort: ends the session: a code and one line.
    """

    def __init__(
        self,
        ledger: CallLedger,
        questions: Questions,
        options: ArbiterOptions,
        send: Callable[[Control], None],
        abort: Callable[[AbortCode, str], None],
    ) -> None:
        self._ledger = ledger
        self._questions = questions
        self._options = options
        self._send = send
        self._abort = abort

    def answer(self, request: ToolRequest, ruling: Ruling, *, by: str) -> None:
        """Settle a pending call and tell the child, if it waits."""
        if self._ledger.calls.get(request.id) is None:
            return
        allowed = ruling.say is Say.ALLOW
        state = CallState.ALLOWED if allowed else CallState.DENIED
        call = self._ledger.settle(
            request, state, by=by, reason=ruling.reason, rule_id=ruling.rule_id, grounds=ruling.grounds
        )
        if call is None:
            return
        self._questions.withdraw(request.id)
        if allowed and call.state is not CallState.ALLOWED:  # it could not be written down
            ruling = Ruling(say=Say.DENY, reason=NOT_KEPT)
            allowed = False
        if call.waits:
            word = DecisionWord.ALLOW if allowed else DecisionWord.DENY
            self.decision(request.id, request.run_id, request.nonce, word, ruling)
        elif not allowed:
            self._unwaited(request, ruling)

    def timed_out(self, request: ToolRequest) -> None:
        """Nobody answered in time."""
        self._ledger.counters.timed_out += 1
        if self.fail(request, CallState.DENIED_TIMEOUT, by="timeout", reason="policy timeout"):
            ruling = Ruling(say=Say.DENY, reason="policy timeout")
            self.decision(request.id, request.run_id, request.nonce, DecisionWord.DENY, ruling)

    def fail(self, request: ToolRequest, state: CallState, *, by: str, reason: str) -> bool:
        """Close the call of ``request`` without a word to the other side; whether it was open."""
        if self._ledger.settle(request, state, by=by, reason=reason) is None:
            return False
        self._questions.withdraw(request.id)
        return True

    def decision(self, id: str, run_id: str | None, nonce: str | None, word: DecisionWord, ruling: Ruling) -> None:
        """Say ``word``, with what ``ruling`` adds to it."""
        allowed, asked = word is DecisionWord.ALLOW, word is DecisionWord.ASK
        self._send(
            outgoing.decision(
                word,
                ruling.reason,
                id=id,
                run_id=run_id or self._options.run_id,
                request_nonce=nonce,
                rule_id=ruling.rule_id,
                constraints=ruling.constraints if allowed else None,
                expires_in_ms=self._options.expires_in_ms if allowed else None,
                choices=ruling.choices() if asked else None,
                proposal=ruling.proposal or None if asked else None,
            )
        )

    def _unwaited(self, request: ToolRequest, ruling: Ruling) -> None:
        """A child that does not wait can only be warned about, or aborted (section 8.1)."""
        word = "denied" if ruling.say is Say.DENY else "asked about"
        self._ledger.warning(f"`{request.tool}` (request `{request.id}`) would be {word}, but the agent does not wait")
        if self._options.unwaited == "abort" and (ruling.say is Say.DENY or ruling.dangerous):
            self._abort(AbortCode.POLICY_VIOLATION, f"`{request.tool}` is {word}: {ruling.reason}")
