"""The hook formats of coding agents, a record for each.

Sources: the hook documentation of each agent as of autumn 2026. Where an agent ignores or mishandles an answer, its
record gives the nearest one that it honours; ``docs/hooks.md`` has the table.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    Body: TypeAlias = Callable[[str, str], dict[str, Any]]
    """The JSON object around the agent's word for a decision and the reason for it."""

_REASON_LIMIT = 2000


class HookCall:
    """A tool call that an agent asks its hook about.

    Attributes:
        event: the agent's word for the occasion (``PreToolUse``, ``PermissionRequest``, ``BeforeTool`` …).
        command: the shell script or argv, or ``None`` if the call is not about a shell.
        cwd: the folder that it would run in, or ``None`` if the agent does not say.
    """

    __slots__ = ("command", "cwd", "event")

    def __init__(self, event: str, command: str | tuple[str, ...] | None, cwd: str | None) -> None:
        self.event = event
        self.command = command
        self.cwd = cwd


class CallForm:
    """Where an agent puts what in its envelope.

    Attributes:
        event: key of the event's name; ``None`` where the envelope does not have it.
        tool: key of the tool's name; ``None`` where only a shell's calls are sent, and the envelope is the call.
        arguments: key of the tool's arguments.
        nested: the arguments are JSON text inside the JSON.
    """

    __slots__ = ("arguments", "event", "nested", "tool")

    def __init__(
        self, *, event: str | None = None, tool: str | None = None, arguments: str = "", nested: bool = False
    ) -> None:
        self.event = event
        self.tool = tool
        self.arguments = arguments
        self.nested = nested

    def read(self, envelope: Mapping[str, Any], event: str) -> HookCall:
        """The call in ``envelope``; ``event`` where it does not name one.

        Raises:
            UsageError: it lacks what this agent always sends.
        """
        if self.event is not None:
            event = envelope.get(self.event)  # type: ignore[assignment]  # checked at once
            if not isinstance(event, str):
                raise UsageError(f"the envelope has no `{self.event}`")
        if self.tool is None:
            return HookCall(event, _command(envelope), _folder(envelope, "cwd"))
        arguments = envelope.get(self.arguments)
        if self.nested and isinstance(arguments, str):
            import json

            try:
                arguments = json.loads(arguments)
            except ValueError:
                raise UsageError(f"`{self.arguments}` is not JSON") from None
        tool = envelope.get(self.tool)
        if not isinstance(tool, str):
            raise UsageError("the envelope names no tool")
        if not carries_commands(tool):
            return HookCall(event, None, None)
        if not isinstance(arguments, dict):
            raise UsageError(f"the call of `{tool}` has no arguments")
        return HookCall(event, _command(arguments), _folder(arguments, "workdir") or _folder(envelope, "cwd"))


def _command(arguments: Mapping[str, Any]) -> str | tuple[str, ...]:
    for name in ("command", "cmd"):
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return tuple(value)
    raise UsageError("the call of a shell has no `command`")


def _folder(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) and value else None


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
    """

    __slots__ = ("_body", "words")

    def __init__(self, body: Body, *, allow: str | None, prompt: str | None, deny: str) -> None:
        self._body = body
        self.words = {Decision.ALLOW: allow, Decision.PROMPT: prompt, Decision.FORBIDDEN: deny}

    @property
    def can_ask(self) -> bool:
        """Whether there is an answer that makes the agent ask a person, dependably."""
        return self.words[Decision.PROMPT] not in (None, self.words[Decision.FORBIDDEN])

    def write(self, decision: Decision, reason: str) -> HookAnswer:
        """The answer for ``decision``."""
        word = self.words[decision]
        return HookAnswer(None if word is None else self._body(word, reason[:_REASON_LIMIT]))


class Agent:
    """What is known about the hooks of one agent.

    Attributes:
        name: what the command line calls it.
        call: the form of its envelopes.
        answers: the forms of its answers by event; any other event gets the first.
        tools: its tools that carry commands.
        settings: the files that it reads hooks from: the user's, the machine's, the project's.
    """

    __slots__ = ("answers", "call", "name", "settings", "tools")

    def __init__(
        self,
        name: str,
        call: CallForm,
        answers: dict[str, AnswerForm],
        *,
        tools: tuple[str, ...],
        settings: tuple[str, ...],
    ) -> None:
        self.name = name
        self.call = call
        self.answers = answers
        self.tools = tools
        self.settings = settings

    def read(self, envelope: Mapping[str, Any]) -> HookCall:
        """The call in an envelope of this agent.

        Raises:
            UsageError: the envelope lacks what this agent always sends.
        """
        return self.call.read(envelope, next(iter(self.answers)))

    def answer(self, event: str, decision: Decision | None, reason: str) -> HookAnswer:
        """The answer in this agent's own form; ``decision`` is ``None`` for a call that is not about a shell."""
        return HookAnswer(None) if decision is None else self._form(event).write(decision, reason)

    def closed_answer(self, event: str, reason: str) -> HookAnswer:
        """The strictest answer that still lets a person decide, for when the hook itself fails or takes too long.

        Where the agent has no dependable way to ask, the call is denied: every one of them runs it otherwise.
        """
        form = self._form(event)
        return form.write(Decision.PROMPT if form.can_ask else Decision.FORBIDDEN, reason)

    def _form(self, event: str) -> AnswerForm:
        return self.answers.get(event) or next(iter(self.answers.values()))


def _permission(word: str, reason: str) -> dict[str, Any]:
    return {"permissionDecision": word, "permissionDecisionReason": reason}


def _specific(word: str, reason: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **_permission(word, reason)}}


def _requested(word: str, reason: str) -> dict[str, Any]:
    decision = {"behavior": word, "message": reason} if word == "deny" else {"behavior": word}
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}


def _decision(word: str, reason: str) -> dict[str, Any]:
    return {"decision": word, "reason": reason}


def _messages(word: str, reason: str) -> dict[str, Any]:
    return {"permission": word, "user_message": reason, "agent_message": reason}


def _behavior(word: str, reason: str) -> dict[str, Any]:
    del reason
    return {"behavior": word}


_TOOL_CALL = CallForm(event="hook_event_name", tool="tool_name", arguments="tool_input")
_REQUESTED = AnswerForm(_requested, allow="allow", prompt=None, deny="deny")  # no answer: the agent asks its user

AGENTS = {
    agent.name: agent
    for agent in (
        Agent(
            "claude",
            _TOOL_CALL,
            {
                "PreToolUse": AnswerForm(_specific, allow="allow", prompt="ask", deny="deny"),
                "PermissionRequest": _REQUESTED,
            },
            tools=("Bash",),
            settings=("~/.claude/settings.json", "/etc/claude-code/managed-settings.json", ".claude/settings.json"),
        ),
        Agent(
            "codex",
            _TOOL_CALL,
            {  # `ask` is parsed and then ignored, `allow` depends on the version
                "PreToolUse": AnswerForm(_specific, allow=None, prompt=None, deny="deny"),
                "PermissionRequest": _REQUESTED,
            },
            tools=("Bash", "shell", "local_shell", "exec_command"),
            settings=("~/.codex/hooks.json", "/etc/codex/requirements.toml"),
        ),
        Agent(
            "gemini",
            _TOOL_CALL,
            # there is no dependable `ask`: without an answer the agent's own policy asks
            {"BeforeTool": AnswerForm(_decision, allow="allow", prompt=None, deny="deny")},
            tools=("run_shell_command",),
            settings=("~/.gemini/settings.json", "/etc/gemini-cli/settings.json", ".gemini/settings.json"),
        ),
        Agent(
            "cursor",
            CallForm(event="hook_event_name"),
            {"beforeShellExecution": AnswerForm(_messages, allow="allow", prompt="ask", deny="deny")},
            tools=("Shell",),
            settings=("~/.cursor/hooks.json", ".cursor/hooks.json"),
        ),
        Agent(
            "copilot",
            CallForm(tool="toolName", arguments="toolArgs", nested=True),
            {
                "preToolUse": AnswerForm(_permission, allow="allow", prompt="ask", deny="deny"),
                "permissionRequest": AnswerForm(_behavior, allow="allow", prompt=None, deny="deny"),
            },
            tools=("bash",),
            settings=("~/.copilot/hooks/execpolicy.json", ".github/hooks/execpolicy.json"),
        ),
    )
}
"""The agents that can be named, by name."""

_OF_OTHERS = ("execute_command",)
"""What agents that have no record of their own call their shell."""


def carries_commands(tool: str) -> bool:
    """Whether ``tool`` is a shell, whichever agent calls it so: some load the hooks of others and keep their names."""
    return tool in _OF_OTHERS or any(tool in agent.tools for agent in AGENTS.values())
