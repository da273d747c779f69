"""Routes calls by tool name, and describes the tools to the model.

Source: Codex's tool specifications (``shell``, ``local_shell``, ``exec_command``) and its ``shell_type``.
"""

from __future__ import annotations

from typing import Any

from execpolicy.approvals.tools.shell_arguments import ToolOutput
from execpolicy.approvals.tools.shell_tool import SHELL_TOOL_NAMES, ShellTool
from execpolicy.approvals.turn import TurnContext
from execpolicy.validators import OneOf, flag, instance, member


class ShellType(OneOf):
    """The kind of tool that runs commands."""

    DEFAULT = "default"
    """``shell``: an argv."""
    LOCAL = "local"
    """``local_shell``: the argv tool that some models know without a specification."""
    UNIFIED_EXEC = "unified_exec"
    """``exec_command``: a script, optionally in a terminal."""
    DISABLED = "disabled"


_TEXT, _FLAG, _NUMBER = {"type": "string"}, {"type": "boolean"}, {"type": "number"}
_WORDS = {"type": "array", "items": _TEXT}


def tool_specs(shell_type: ShellType, *, request_rule: bool = False) -> tuple[dict[str, Any], ...]:
    """The tool specifications for the model, as JSON objects; ``request_rule`` permits ``prefix_rule`` in calls."""
    shell_type = member(ShellType)(shell_type, "`shell_type`")
    flag(request_rule, "`request_rule`")
    if shell_type is ShellType.DISABLED:
        return ()
    if shell_type is ShellType.LOCAL:
        return ({"type": "local_shell"},)
    if shell_type is ShellType.UNIFIED_EXEC:
        what = {
            "cmd": _described(_TEXT, "The script to run."),
            "shell": _described(_TEXT, "The shell that reads it."),
            "login": _described(_FLAG, "Whether the shell is a login shell; it is where this is left out."),
            "tty": _described(_FLAG, "Whether the command gets a terminal of its own."),
            "yield_time_ms": _described(_NUMBER, "After so many milliseconds come back while the command stays open."),
        }
        text = "Runs a script in a shell and returns its output, and a `session_id` while it is open."
        sent = {
            "session_id": _described(_NUMBER, "The open command."),
            "chars": _described(_TEXT, "What to send; nothing only looks what it printed."),
            "yield_time_ms": _described(_NUMBER, "How many milliseconds to wait for what it prints."),
        }
        return (
            _function("exec_command", text, {**what, **_common(request_rule)}, "cmd"),
            _function("write_stdin", "Sends text to a command that is open in a terminal.", sent, "session_id"),
        )
    argv = _described(_WORDS, 'The command and its arguments. For a script: ["bash", "-lc", SCRIPT].')
    text = "Runs a command and returns its output. Set `workdir` rather than using `cd`."
    return (_function("shell", text, {"command": argv, **_common(request_rule)}, "command"),)


def _common(request_rule: bool) -> dict[str, Any]:
    fields = {
        "workdir": _described(_TEXT, "The folder to run in."),
        "timeout_ms": _described(_NUMBER, "After so many milliseconds the command is killed."),
        "sandbox_permissions": _described(
            {**_TEXT, "enum": ["use_default", "require_escalated"]}, "`require_escalated` asks to leave the sandbox."
        ),
        "justification": _described(_TEXT, "With `require_escalated`: the question for the person who is asked."),
    }
    if request_rule:
        fields["prefix_rule"] = _described(_WORDS, "With `require_escalated`: first words to allow from now on.")
    return fields


def _described(schema: dict[str, Any], text: str) -> dict[str, Any]:
    return {**schema, "description": text}


def _function(name: str, text: str, properties: dict[str, Any], required: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": [required], "additionalProperties": False}
    return {"type": "function", "name": name, "description": text, "strict": False, "parameters": schema}


EXEC_COMMAND, WRITE_STDIN = "exec_command", "write_stdin"


class ToolRouter:
    """Routes calls to the tools of a session that run commands.

    Args:
        shell_type: the kind that the model sees. Older names work with every kind except *disabled*.
        request_rule: calls may ask to save a prefix.
    """

    def __init__(
        self, tool: ShellTool, *, shell_type: ShellType | str = ShellType.DEFAULT, request_rule: bool = False
    ) -> None:
        self._tool: ShellTool = instance(ShellTool)(tool, "ToolRouter: `tool`")
        self.shell_type: ShellType = member(ShellType)(shell_type, "ToolRouter: `shell_type`")
        self._request_rule = flag(request_rule, "ToolRouter: `request_rule`")

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a call may use."""
        if self.shell_type is ShellType.DISABLED:
            return ()
        more = (EXEC_COMMAND, WRITE_STDIN) if self.shell_type is ShellType.UNIFIED_EXEC else ()
        return (*SHELL_TOOL_NAMES, *more)

    def specs(self) -> tuple[dict[str, Any], ...]:
        """The tool specifications for the model."""
        return tool_specs(self.shell_type, request_rule=self._request_rule)

    async def call(
        self, name: str, arguments: str | dict[str, Any], *, context: TurnContext, call_id: str
    ) -> ToolOutput:
        """Call the tool ``name`` and return its output. An unknown name runs nothing.

        Raises:
            TurnAbortedError: a person stopped the turn.
        """
        if name not in self.names:
            return ToolOutput(content=f"unsupported call: {name}", success=False)
        calls = {EXEC_COMMAND: self._tool.exec_command, WRITE_STDIN: self._tool.write_stdin}
        return await calls.get(name, self._tool.call)(arguments, context=context, call_id=call_id)
