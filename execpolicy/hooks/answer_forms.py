"""What a hook prints and how it exits, in the form that an agent understands, and the forms that several share."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.quoting import quote
from execpolicy.hooks import other_tools
from execpolicy.hooks.call_forms import CallForm
from execpolicy.value import value

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
_LATER = (
    "post",
    "after",
    "session",
    "stop",
    "notification",
    "subagent",
    "userprompt",
    "precompact",
    "tool.execute.after",
)
"""How the names of events begin that come when the call is over, or with no call at all."""


@value
class HookAnswer:
    """What the hook prints and how it exits.

    Attributes:
        body: the JSON object for standard output; ``None`` prints nothing, which leaves the agent to its own rules.
        status: the exit status.
        message: text for standard error.
    """

    body: dict[str, Any] | None
    status: int = 0
    message: str = ""


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
            person = other_tools.person_is_there()
        return self.asks == "person" and person is True


@value
class HookShape:
    """A form of envelope, and how an agent that sends it is answered.

    Attributes:
        call: the form of the envelope.
        answers: the forms of the answers by event; an event before a call that is not among them gets the first.
    """

    call: CallForm
    answers: dict[str, AnswerForm]

    def form(self, event: str) -> AnswerForm | None:
        """How ``event`` is answered; ``None`` for one that comes when the call is over."""
        form = self.answers.get(event)
        if form is None and not event.lower().startswith(_LATER):
            form = next(iter(self.answers.values()))
        return form


@value
class AskedCall:
    """A call, and the form of the answer to it: ``None`` where the agent does not wait for one."""

    call: HookCall
    form: AnswerForm | None


def permitted(word: str, reason: str, call: HookCall) -> dict[str, Any]:
    return {"permissionDecision": word, "permissionDecisionReason": reason}


def specific(word: str, reason: str, call: HookCall) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **permitted(word, reason, call)}}


def _in_skill(word: str, reason: str, call: HookCall) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreSkillShellCommand", **permitted(word, reason, call)}}


def _requested(word: str, reason: str, call: HookCall) -> dict[str, Any]:
    decision = behaved(word, reason, call)
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}


def decided(word: str, reason: str, call: HookCall) -> dict[str, Any]:
    return {"decision": word, "reason": reason}


def decided_aloud(word: str, reason: str, call: HookCall) -> dict[str, Any]:
    return {"decision": word, "reason": reason, "systemMessage": reason}


def messages_shown(word: str, reason: str, call: HookCall) -> dict[str, Any]:
    return {"permission": word, "user_message": reason, "agent_message": reason}


def behaved(word: str, reason: str, call: HookCall) -> dict[str, Any]:
    return {"behavior": word, "message": reason} if word == "deny" else {"behavior": word}


def cancelled(word: str, reason: str, call: HookCall) -> dict[str, Any]:
    """A denial that the model is told of; ``cancel`` ends the whole run, so it is left to tools with no command."""
    if call.tool != "run_commands":
        return {"cancel": True, "errorMessage": reason}
    told = "".join([char if char.isprintable() else " " for char in reason])
    return {"overrideInput": {"commands": [f"echo {quote(told)}; exit 1"]}}


TOOL_CALL = CallForm(event="hook_event_name", tool="tool_name", arguments=("tool_input",))
ASKED = AnswerForm(_requested, allow="allow", prompt=None, deny="deny", asks="always")  # no answer: it asks its user


IN_SKILL = AnswerForm(_in_skill, allow="allow", prompt="ask", deny="deny", asks="always")  # `ask` refuses it there


def claude_like(asks: Literal["always", "person"] = "always") -> HookShape:
    """What agents that speak as Claude Code does send and understand."""
    form = AnswerForm(specific, allow="allow", prompt="ask", deny="deny", asks=asks)
    return HookShape(TOOL_CALL, {"PreToolUse": form, "PermissionRequest": ASKED})


def plugged() -> HookShape:
    """What our own plugins and extensions send and understand."""
    form = AnswerForm(decided, allow="allow", prompt="ask", deny="deny", asks="person")
    return HookShape(CallForm(event="event", tool="tool", arguments=("args",)), {"before": form})


BY_STATUS = AnswerForm(None, allow=None, prompt=None, deny="block", asks="never", statuses={"block": 2})
