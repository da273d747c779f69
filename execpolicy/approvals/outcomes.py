"""How a tool call can end other than by its result."""

from __future__ import annotations

from typing import Any

from execpolicy.errors import ExecPolicyError


class ToolRejectedError(ExecPolicyError):
    """The call does not run. ``reason`` is what the agent is told."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class SandboxUnavailableError(ToolRejectedError):
    """A sandbox is required and this machine has none; the reason says what to install or which setting to change."""


class TurnAbortedError(ExecPolicyError):
    """Someone stopped the whole turn."""

    def __init__(self, turn_id: str) -> None:
        super().__init__(f"turn {turn_id} was aborted")
        self.turn_id = turn_id


class SandboxDeniedError(ExecPolicyError):
    """The command ran and the sandbox stood in its way.

    Attributes:
        output: what the tool would have returned.
    """

    def __init__(self, output: Any) -> None:
        super().__init__("the sandbox denied what the command tried to do")
        self.output = output
