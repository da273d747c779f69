"""How a permission request ends when it is not granted: three kinds, because the agent reacts differently to each.

Source: seed 002, "Error Types" and Q5; the texts are opencode's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from execpolicy.errors import ExecPolicyError
from execpolicy.permissions.ruleset import PermissionRule, Ruleset, rules_only
from execpolicy.validators import text


class PermissionRefused(ExecPolicyError):
    """The tool call must not run."""


class RejectedError(PermissionRefused):
    """The user said no without a word: the agent should stop."""

    def __init__(self, message: str = "The user rejected permission to use this specific tool call.") -> None:
        super().__init__(message)


class TimedOutError(RejectedError):
    """Nobody answered in time, which counts as no.

    Attributes:
        seconds: how long the request waited.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Nobody answered the permission request within {seconds:g} seconds.")
        self.seconds = seconds


class CorrectedError(PermissionRefused):
    """The user said no and what to do instead: the agent may go on with that.

    Attributes:
        feedback: the user's words.
    """

    def __init__(self, feedback: str) -> None:
        text(feedback, "the user's words")
        super().__init__(
            f"The user rejected permission to use this specific tool call with the following feedback: {feedback}"
        )
        self.feedback = feedback


class DeniedError(PermissionRefused):
    """A rule said no; nobody was asked.

    Attributes:
        rules: the configured rules that speak for this permission, in order.
    """

    def __init__(self, rules: Sequence[PermissionRule]) -> None:
        self.rules: Ruleset = rules_only(rules)
        listed = json.dumps([rule.to_json() for rule in self.rules], ensure_ascii=False, separators=(",", ":"))
        super().__init__(
            "The user has specified a rule which prevents you from using this specific tool call."
            f" Here are some of the relevant rules {listed}"
        )
