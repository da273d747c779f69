"""Requests between parts of a host by name, for approvals of agents that run as somebody's sub-task.

Source: seed 001, "session context through the MessageBus" and "backward compatibility".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from execpolicy.errors import UsageError
from execpolicy.validators import function, text

Handler: TypeAlias = Callable[..., Any]

TOOL_APPROVAL = "toolApproval"


class MessageBus:
    """One handler for each name; a handler may be a plain function or a coroutine function."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    def register_handler(self, name: str, handler: Handler) -> None:
        """Answer requests called ``name`` with ``handler``, in place of the one before.

        A handler takes the payload's fields as keyword arguments (``tool_use``, ``category``, ``session_id``). It gets
        those that it names, so one written before ``session_id`` existed still works; one with ``**fields`` gets all.
        """
        self._handlers[text(name, "a handler's name")] = function(handler, "a handler")

    def remove_handler(self, name: str) -> None:
        """Stop answering requests called ``name``."""
        self._handlers.pop(name, None)

    def handles(self, name: str) -> bool:
        """Whether somebody answers requests called ``name``."""
        return name in self._handlers

    async def request(self, name: str, **payload: Any) -> Any:
        """What the handler answers.

        Raises:
            UsageError: nobody answers requests called ``name``.
        """
        handler = self._handlers.get(name)
        if handler is None:
            raise UsageError(f"no handler is registered for `{name}`")
        result = handler(**_accepted(handler, payload))
        return await result if inspect.isawaitable(result) else result


def _accepted(handler: Handler, payload: dict[str, Any]) -> dict[str, Any]:
    """The part of ``payload`` that ``handler`` has parameters for."""
    try:
        parameters = inspect.signature(handler).parameters.values()
    except (TypeError, ValueError):  # a builtin without a signature
        return payload
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return payload
    named = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    return {name: value for name, value in payload.items() if name in named}
