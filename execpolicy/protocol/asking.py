"""Asking a person about one request: what is shown, what may come back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.rulings import Ruling


class Choice(StrEnum):
    """What a person decided."""

    ONCE = "once"
    SESSION = "session"
    """Also when the same call comes again in this session."""
    KEEP = "keep"
    """Also for every command with the proposed prefix, for good."""
    DENY = "deny"
    ABORT = "abort"
    """No, and the session ends."""
    UNAVAILABLE = "unavailable"
    """There was nobody to ask: the default action decides."""


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """A choice, with the person's words for the agent if there are any."""

    choice: Choice
    message: str | None = None


class Asker(Protocol):
    """Puts one question at a time to a person."""

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> PersonAnswer:
        """The answer. Cancelled when the question is pointless (time-out, abort); what it raises denies."""
