"""Asking a person about one request: what is shown, what may come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from execpolicy.protocol.decisions import Ruling
from execpolicy.protocol.messages import Choice, ToolRequest
from execpolicy.validators import member, optional, settle, text, texts


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """A choice, with the person's words for the agent if there are any.

    Attributes:
        prefix: with :attr:`Choice.KEEP`, the first words of the proposal; all of it where this is empty.
    """

    choice: Choice
    message: str | None = None
    prefix: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        settle(self, choice=member(Choice), message=optional(text), prefix=texts)


class Asker(Protocol):
    """Puts questions to a person: one at a time, or as many as an attribute ``at_once`` says."""

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> PersonAnswer:
        """The answer. Cancelled when the question is pointless (time-out, abort); what it raises denies."""
