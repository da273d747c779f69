"""The output and exit status of a hook in the form that an agent understands, and the forms that several share."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.quoting import quote
from execpolicy.hooks import other_tools
from execpolicy.hooks.call_forms import CallForm
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal, TypeAlias

    from execpolicy.hooks.hook_call import HookCall

    Body: TypeAlias = Callable[[str, str, HookCall], dict[str, Any]]
    """The JSON object around the agent's word for a decision and the reason for it."""
    OnPrompt: TypeAlias = Literal["ask", "deny"] | None
    """The handling of a prompt: the agent's own question, a denial, or (``None``) the dependable one of these."""

INBOX_WAIT_S = 300.0
"""Seconds that a hook waits for the inbox by default."""
_REASON_LIMIT = 2000
_LATER = (
    *("post", "after", "session", "stop", "notification", "subagent", "userprompt", "precompact"),
    "tool.execute.after",
)
"""Beginnings of the names of events that come after the call, or without a call."""


@value
class HookAnswer:
    """The output and exit status of the hook.

    Attributes:
        body: the JSON object for standard output; ``None`` prints nothing, so that the agent's own rules decide.
        status: the exit status.
        message: text for standard error.
    """

    body: dict[str, Any] | None
    status: int = 0
    message: str = ""


@value
class AnswerForm:
    """The form of the answer to an agent at one event.

    Attributes:
        allow, prompt, deny: the agent's words; ``None`` gives no answer, so that its own rules decide.
        asks: the effect of its word for a prompt: ``always`` asks a person (and refuses without one), ``person`` asks
            only if a person is present (it would run the call otherwise), ``never`` asks no person.
        statuses: the exit status for each word that has one, with the reason on standard error.
        modes: the agent's modes in which something else decides about a call without an answer: its own question, its
            rules or a reviewing model.
        modeless: true if something else decides although the envelope names no mode, unless the agent was started to
            run calls without a question.
    """

    body: Body | None
    _: KW_ONLY
    allow: str | None = "allow"
    prompt: str | None = "ask"
    deny: str = "deny"
    asks: Literal["always", "person", "never"]
    statuses: Mapping[str, int] = {}
    modes: tuple[str, ...] = ()
    modeless: bool = False

    @property
    def words(self) -> dict[Decision, str | None]:
        """The agent's word for each decision."""
        return {Decision.ALLOW: self.allow, Decision.PROMPT: self.prompt, Decision.FORBIDDEN: self.deny}

    def write(self, decision: Decision, reason: str, call: HookCall, on_prompt: OnPrompt = None) -> HookAnswer:
        """The answer for ``decision``."""
        if decision is Decision.PROMPT and not self.may_ask(call, on_prompt):
            decision = Decision.FORBIDDEN
            reason += " (no one can be asked here)" if on_prompt is None else ""
        word = self.words[decision]
        if word is None:
            return HookAnswer(None)
        reason = reason[:_REASON_LIMIT]
        status = self.statuses.get(word, 0)
        body = None if self.body is None else self.body(word, reason, call)
        return HookAnswer(body, status, f"{reason}\n" if status else "")

    def leaves_to_agent(self, call: HookCall, programs: tuple[str, ...]) -> bool:
        """True if something else decides about ``call`` where the agent, one of ``programs``, gets no answer."""
        if call.mode:
            return call.mode in self.modes and other_tools.runs_unasked(programs) is not True
        return self.modeless and other_tools.runs_unasked(programs) is False

    def may_ask(self, call: HookCall, on_prompt: OnPrompt) -> bool:
        """True if the agent asks a person about a prompt; False if the prompt is denied."""
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
    """A form of envelope, and the answers to an agent that sends it.

    Attributes:
        call: the form of the envelope.
        answers: the forms of the answers by event; any other event before a call gets the first.
    """

    call: CallForm
    answers: dict[str, AnswerForm]

    def form(self, event: str) -> AnswerForm | None:
        """The form of the answer to ``event``; ``None`` for an event after the call."""
        form = self.answers.get(event)
        if form is None and not event.lower().startswith(_LATER):
            form = next(iter(self.answers.values()))
        return form


@value
class AskedCall:
    """A call, and the form of the answer to it: ``None`` where the agent does not wait for one."""

    call: HookCall
    form: AnswerForm | None


def fields(word_key: str, *reason_keys: str) -> Body:
    """The body of an answer that consists of the word and the reason, each under the given keys."""
    return lambda word, reason, call: {word_key: word, **dict.fromkeys(reason_keys, reason)}


permitted = fields("permissionDecision", "permissionDecisionReason")
decided = fields("decision", "reason")


def specific(event: str, body: Body, key: str = "") -> Body:
    """``body`` in an object for ``event``, under ``key`` if that is given."""

    def whole(word: str, reason: str, call: HookCall) -> dict[str, Any]:
        inner = body(word, reason, call)
        return {"hookSpecificOutput": {"hookEventName": event, **({key: inner} if key else inner)}}

    return whole


def behaved(word: str, reason: str, call: HookCall) -> dict[str, Any]:
    return {"behavior": word, "message": reason} if word == "deny" else {"behavior": word}


def cancelled(word: str, reason: str, call: HookCall) -> dict[str, Any]:
    """A denial that the model receives; ``cancel`` ends the whole run, so only tools without a command use it."""
    if call.tool != "run_commands":
        return {"cancel": True, "errorMessage": reason}
    printable = "".join([char if char.isprintable() else " " for char in reason])
    return {"overrideInput": {"commands": [f"echo {quote(printable)}; exit 1"]}}


BEFORE_TOOL = specific("PreToolUse", permitted)
TOOL_CALL = CallForm(event="hook_event_name", tool="tool_name", arguments=("tool_input",))
ASKED = AnswerForm(  # no answer to a prompt: it asks its user
    specific("PermissionRequest", behaved, "decision"), prompt=None, asks="always"
)
IN_SKILL = AnswerForm(  # `ask` refuses it there
    specific("PreSkillShellCommand", permitted), asks="always"
)


def claude_like(*modes: str, asks: Literal["always", "person"] = "always", modeless: bool = False) -> HookShape:
    """The form of calls and answers of agents that use the protocol of Claude Code."""
    form = AnswerForm(BEFORE_TOOL, asks=asks, modes=modes, modeless=modeless)
    return HookShape(TOOL_CALL, {"PreToolUse": form, "PermissionRequest": ASKED})


def plugged() -> HookShape:
    """The form of calls and answers of this package's own plugins and extensions."""
    form = AnswerForm(decided, asks="person")
    return HookShape(CallForm(event="event", tool="tool", arguments=("args",)), {"before": form})


BY_STATUS = AnswerForm(None, allow=None, prompt=None, deny="block", asks="never", statuses={"block": 2})
