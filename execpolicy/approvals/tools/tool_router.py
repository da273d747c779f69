"""Calls by the name of their tool: which names there are, and what their arguments become."""

from __future__ import annotations

from typing import Any

from execpolicy.approvals.tools.shell_tool import SHELL_TOOL_NAMES, ShellTool
from execpolicy.approvals.tools.tool_output import ToolOutput
from execpolicy.approvals.tools.tool_specs import ShellType, tool_specs
from execpolicy.approvals.turn_context import TurnContext
from execpolicy.validators import flag, instance, member

EXEC_COMMAND, WRITE_STDIN = "exec_command", "write_stdin"


class ToolRouter:
    """The tools of a session that run commands.

    Args:
        shell_type: which one the model is told about. Calls under the older names work with every type but *disabled*.
        request_rule: calls may ask for a prefix to be saved.
    """

    def __init__(
        self, tool: ShellTool, *, shell_type: ShellType | str = ShellType.DEFAULT, request_rule: bool = False
    ) -> None:
        self._tool: ShellTool = instance(ShellTool)(tool, "ToolRouter: `tool`")
        self.shell_type: ShellType = member(ShellType)(shell_type, "ToolRouter: `shell_type`")
        self._request_rule = flag(request_rule, "ToolRouter: `request_rule`")

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a call may have."""
        if self.shell_type is ShellType.DISABLED:
            return ()
        return (
            (*SHELL_TOOL_NAMES, EXEC_COMMAND, WRITE_STDIN)
            if self.shell_type is ShellType.UNIFIED_EXEC
            else SHELL_TOOL_NAMES
        )

    def specs(self) -> tuple[dict[str, Any], ...]:
        """What the model is told."""
        return tool_specs(self.shell_type, request_rule=self._request_rule)

    async def call(
        self, name: str, arguments: str | dict[str, Any], *, context: TurnContext, call_id: str
    ) -> ToolOutput:
        """The output of a call of the tool ``name``; one that is unknown runs nothing.

        Raises:
            TurnAbortedError: a person stopped the turn.
        """
        if name not in self.names:
            return ToolOutput(content=f"unsupported call: {name}", success=False)
        calls = {EXEC_COMMAND: self._tool.exec_command, WRITE_STDIN: self._tool.write_stdin}
        return await calls.get(name, self._tool.call)(arguments, context=context, call_id=call_id)
