"""The envelopes that agents send to their hooks, and the output and exit status that each agent understands."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.quoting import quote
from execpolicy.errors import UsageError
from execpolicy.hooks import other_tools
from execpolicy.hooks.hook_call import HookCall, read_call
from execpolicy.layers.hook_setting import hook_setting_of_process
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
    from collections.abc import Callable
    from typing import Any

_FOLDERS = ("cwd", "working_dir", "workspaceRoots", "workspace_roots")
_ALONE = ("bypassPermissions", "dontAsk", "yolo", "auto-high")
"""Modes in which an agent asks no person."""


@value
class CallForm:
    """The keys of an envelope; a dot in one leads into an object.

    Attributes:
        event: the event's name; where it is missing, the first event that the agent is answered at.
        tool: the tool's name; ``None`` where only one tool's calls are sent, which ``only`` names.
        arguments: the tool's arguments, as an object or as JSON text; the first key that is present. Empty: the
            envelope.
        only: the name of the tool where the envelope has none.
        sign: a key that every envelope of this form has, if not that of the tool or the event.
        unasked: the tools that start another agent, whose calls reach no hook.
    """

    event: str
    tool: str | None = None
    arguments: tuple[str, ...] = ()
    only: str = ""
    sign: str = ""
    unasked: tuple[str, ...] = ()

    def fits(self, envelope: Mapping[str, Any]) -> bool:
        """True if ``envelope`` has this form."""
        return _at(envelope, self.sign or self.tool or self.event) is not None

    def event_of(self, envelope: Mapping[str, Any], usual: str) -> str:
        """The event of ``envelope``; ``usual`` where it names none."""
        event = _at(envelope, self.event)
        return event if isinstance(event, str) else usual

    def read(self, envelope: Mapping[str, Any], event: str, is_shell: Callable[[str], bool]) -> HookCall:
        """Reads the call in ``envelope``.

        Raises:
            UsageError: it lacks a field that this agent always sends.
        """
        tool = self.only if self.tool is None else _at(envelope, self.tool)
        if not isinstance(tool, str):
            raise UsageError("the envelope names no tool")
        arguments: object = envelope
        for name in self.arguments:
            arguments = _at(envelope, name)
            if arguments is not None:
                break
        if isinstance(arguments, str):
            import json

            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                raise UsageError(f"the arguments of `{tool}` are not JSON") from None
        shell = is_shell(tool)
        setting = None if shell else hook_setting_of_process()
        ignored = setting is not None and setting.is_ignored(tool)
        if not isinstance(arguments, dict):
            if shell or (arguments is not None and not ignored):
                raise UsageError(f"the call of `{tool}` has no arguments")
            arguments = {}
        if ignored:
            folder = _folder(envelope)
            return HookCall(event, tool, cwd=folder, root=folder, arguments=arguments, session=_session(envelope))
        alone = "it starts another agent, whose calls reach no hook"
        return read_call(
            event,
            tool,
            arguments,
            cwd=_folder(envelope),
            person=_person(envelope),
            session=_session(envelope),
            mode=_mode(envelope),
            is_shell=shell,
            everything=setting is not None and setting.is_shell(tool),
            of_agent=not self.arguments and _at(envelope, self.event) is not None,
            doubts=(alone,) if tool in self.unasked else (),
        )


def _at(envelope: Mapping[str, Any], key: str) -> Any:
    found: Any = envelope
    for part in key.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _folder(envelope: Mapping[str, Any]) -> str | None:
    for name in _FOLDERS:
        folder = envelope.get(name)
        if isinstance(folder, list) and folder:
            folder = folder[0]
        if folder in (None, "", []):
            continue
        if not isinstance(folder, str) or not folder.startswith("/"):
            raise UsageError(f"the `{name}` of the envelope is not the path of a folder from the root")
        return folder
    return None


_SESSIONS = ("session_id", "sessionId", "conversation_id", "sessionID", "taskId", "trajectory_id")
"""Agents' keys for the name of their session."""


def _session(envelope: Mapping[str, Any]) -> str:
    return next((envelope[name] for name in _SESSIONS if isinstance(envelope.get(name), str)), "")


def _mode(envelope: Mapping[str, Any]) -> str:
    mode = envelope.get("permission_mode", "")
    return mode if isinstance(mode, str) else "unknown"


def _person(envelope: Mapping[str, Any]) -> bool | None:
    for name in ("hasUI", "person"):
        if isinstance(envelope.get(name), bool):
            return bool(envelope[name])
    return False if _mode(envelope) in _ALONE else None


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
