"""How a tool call can end other than by its result."""

from __future__ import annotations

from typing import Any

from execpolicy.errors import ExecPolicyError
from execpolicy.validators import flag


class ToolRejectedError(ExecPolicyError):
    """The call does not run. ``reason`` is what the agent is told.

    Attributes:
        ran_confined: it ran once, in the sandbox that stood in its way; it is not run again without one.
    """

    def __init__(self, reason: str, *, ran_confined: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.ran_confined = flag(ran_confined, "ToolRejectedError: `ran_confined`")


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
