"""What a hook prints and how it exits, in the form that an agent understands."""

from __future__ import annotations

from execpolicy.core.decision import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeAlias

    from execpolicy.hooks.hook_call import HookCall

    Body: TypeAlias = Callable[[str, str, HookCall], dict[str, Any]]
    """The JSON object around the agent's word for a decision and the reason for it."""
    OnPrompt: TypeAlias = Literal["ask", "deny"] | None
    """What becomes of a prompt: the agent's own question, a denial, or (``None``) whichever is dependable there."""

INBOX_WAIT_S = 300.0
"""Seconds that a hook waits for the inbox, unless it is told otherwise."""
_REASON_LIMIT = 2000


class HookAnswer:
    """What the hook prints and how it exits.

    Attributes:
        body: the JSON object for standard output; ``None`` prints nothing, which leaves the agent to its own rules.
        status: the exit status.
        message: text for standard error.
    """

    __slots__ = ("body", "message", "status")

    def __init__(self, body: dict[str, Any] | None, status: int = 0, message: str = "") -> None:
        self.body = body
        self.status = status
        self.message = message


class AnswerForm:
    """How an agent is answered at one event.

    Attributes:
        words: the agent's word for each decision; ``None`` gives no answer, which leaves the call to its own rules.
        asks: whether its word for a prompt makes it ask a person: ``always`` (and refuse where nobody is there),
            ``person`` (only where somebody is there: without, it would run the call) or ``never``.
        statuses: the exit status for each word that is told by one, with the reason on standard error.
    """

    __slots__ = ("_body", "asks", "statuses", "words")

    def __init__(
        self,
        body: Body | None,
        *,
        allow: str | None,
        prompt: str | None,
        deny: str,
        asks: Literal["always", "person", "never"],
        statuses: dict[str, int] | None = None,
    ) -> None:
        self._body = body
        self.words = {Decision.ALLOW: allow, Decision.PROMPT: prompt, Decision.FORBIDDEN: deny}
        self.asks = asks
        self.statuses = statuses or {}

    def write(self, decision: Decision, reason: str, call: HookCall, on_prompt: OnPrompt = None) -> HookAnswer:
        """The answer for ``decision``."""
        if decision is Decision.PROMPT and not self.may_ask(call, on_prompt):
            decision = Decision.FORBIDDEN
            reason += " (nobody can be asked here)" if on_prompt is None else ""
        word = self.words[decision]
        if word is None:
            return HookAnswer(None)
        reason = reason[:_REASON_LIMIT]
        status = self.statuses.get(word, 0)
        body = None if self._body is None else self._body(word, reason, call)
        return HookAnswer(body, status, f"{reason}\n" if status else "")

    def may_ask(self, call: HookCall, on_prompt: OnPrompt) -> bool:
        """Whether a prompt is left to the agent to ask a person, rather than denied."""
        if on_prompt == "deny" or self.asks == "always":
            return on_prompt != "deny"
        person = call.person
        if on_prompt == "ask":
            return person is not False
        if self.asks == "person" and person is None:
            from execpolicy.hooks.person import person_is_there

            person = person_is_there()
        return self.asks == "person" and person is True
