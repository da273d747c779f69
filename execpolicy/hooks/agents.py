"""The hook formats of coding agents.

Sources: the hook documentation of each agent as of autumn 2026. Where an agent ignores or mishandles an answer, the
adapter gives the nearest one that it honours; ``docs/hooks.md`` has the table.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_SHELL_TOOLS = frozenset(
    ["Bash", "bash", "shell", "local_shell", "exec_command", "run_shell_command", "execute_command", "Shell"]
)
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


def read_call(agent: str, envelope: Mapping[str, Any]) -> HookCall:
    """The call in an agent's envelope.

    Raises:
        UsageError: the envelope lacks what this agent always sends.
    """
    if agent == "cursor":
        return HookCall(_text(envelope, "hook_event_name"), _command(envelope), _optional(envelope, "cwd"))
    if agent == "copilot":
        arguments = envelope.get("toolArgs")
        if isinstance(arguments, str):  # Copilot sends the arguments as JSON text inside the JSON
            import json

            try:
                arguments = json.loads(arguments)
            except ValueError:
                raise UsageError("`toolArgs` is not JSON") from None
        return _tool_call("preToolUse", envelope.get("toolName"), arguments, envelope)
    return _tool_call(
        _text(envelope, "hook_event_name"), envelope.get("tool_name"), envelope.get("tool_input"), envelope
    )


def _tool_call(event: str, tool: object, arguments: object, envelope: Mapping[str, Any]) -> HookCall:
    if not isinstance(tool, str):
        raise UsageError("the envelope names no tool")
    if tool not in _SHELL_TOOLS:
        return HookCall(event, None, None)
    if not isinstance(arguments, dict):
        raise UsageError(f"the call of `{tool}` has no arguments")
    return HookCall(event, _command(arguments), _optional(arguments, "workdir") or _optional(envelope, "cwd"))


def _command(arguments: Mapping[str, Any]) -> str | tuple[str, ...]:
    for name in ("command", "cmd"):
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return tuple(value)
    raise UsageError("the call of a shell has no `command`")


def _text(envelope: Mapping[str, Any], name: str) -> str:
    value = envelope.get(name)
    if not isinstance(value, str):
        raise UsageError(f"the envelope has no `{name}`")
    return value


def _optional(envelope: Mapping[str, Any], name: str) -> str | None:
    value = envelope.get(name)
    return value if isinstance(value, str) and value else None


def write_answer(agent: str, event: str, decision: Decision | None, reason: str) -> HookAnswer:
    """The answer in the agent's own form; ``decision`` is ``None`` for a call that is not about a shell."""
    reason = reason[:_REASON_LIMIT]
    if decision is None:
        return HookAnswer(None)
    return _WRITERS[agent](event, decision, reason)


def _claude(event: str, decision: Decision, reason: str) -> HookAnswer:
    if event == "PermissionRequest":
        return _permission_request(decision, reason)
    word = {Decision.ALLOW: "allow", Decision.PROMPT: "ask", Decision.FORBIDDEN: "deny"}[decision]
    return HookAnswer(
        {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": word,
                "permissionDecisionReason": reason,
            }
        }
    )


def _codex(event: str, decision: Decision, reason: str) -> HookAnswer:
    if event == "PermissionRequest":
        return _permission_request(decision, reason)
    if decision is not Decision.FORBIDDEN:  # `ask` is parsed and then ignored, `allow` depends on the version
        return HookAnswer(None)
    return _claude(event, decision, reason)


def _permission_request(decision: Decision, reason: str) -> HookAnswer:
    if decision is Decision.PROMPT:
        return HookAnswer(None)  # no answer: the agent asks the user
    body: dict[str, Any] = {"behavior": "allow" if decision is Decision.ALLOW else "deny"}
    if decision is Decision.FORBIDDEN:
        body["message"] = reason
    return HookAnswer({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": body}})


def _gemini(event: str, decision: Decision, reason: str) -> HookAnswer:
    del event
    if decision is Decision.PROMPT:  # there is no `ask`: without an answer the agent's own policy asks
        return HookAnswer(None)
    return HookAnswer({"decision": "allow" if decision is Decision.ALLOW else "deny", "reason": reason})


def _cursor(event: str, decision: Decision, reason: str) -> HookAnswer:
    del event
    word = {Decision.ALLOW: "allow", Decision.PROMPT: "ask", Decision.FORBIDDEN: "deny"}[decision]
    return HookAnswer({"permission": word, "user_message": reason, "agent_message": reason})


def _copilot(event: str, decision: Decision, reason: str) -> HookAnswer:
    if event == "permissionRequest":
        if decision is Decision.PROMPT:
            return HookAnswer(None)
        return HookAnswer({"behavior": "allow" if decision is Decision.ALLOW else "deny"})
    word = {Decision.ALLOW: "allow", Decision.PROMPT: "ask", Decision.FORBIDDEN: "deny"}[decision]
    return HookAnswer({"permissionDecision": word, "permissionDecisionReason": reason})


_WRITERS = {"claude": _claude, "codex": _codex, "gemini": _gemini, "cursor": _cursor, "copilot": _copilot}
AGENTS = tuple(_WRITERS)


def fail_closed(agent: str, event: str, reason: str) -> HookAnswer:
    """The strictest answer that still lets a person decide, for when the hook itself fails.

    Where the agent has no dependable way to ask, the call is denied: every one of them runs it otherwise.
    """
    if agent in ("claude", "cursor", "copilot") and event not in ("PermissionRequest", "permissionRequest"):
        return write_answer(agent, event, Decision.PROMPT, reason)
    return write_answer(agent, event, Decision.FORBIDDEN, reason)
