"""One turn of an agent: the unit that an interruption stops.

Also defines the events of running commands and applied patches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from execpolicy.approvals.network.network_proxy import NetworkTarget
from execpolicy.approvals.parsed_command import ParsedCommand
from execpolicy.validators import argv, every, flag, instance, number, one_of, settle, text, texts
from execpolicy.validators import seconds as duration


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecBeginEvent:
    """A command starts.

    Attributes:
        sandboxed: true if a sandbox confines this attempt.
    """

    call_id: str
    turn_id: str
    command: tuple[str, ...]
    cwd: str
    sandboxed: bool
    parsed_cmd: tuple[ParsedCommand, ...] = ()

    def __post_init__(self) -> None:
        settle(self, call_id=text, turn_id=text, command=argv, cwd=text, sandboxed=flag)
        settle(self, parsed_cmd=every(instance(ParsedCommand)))

    def to_json(self) -> dict[str, Any]:
        """Fields in snake case."""
        return {
            "type": "exec_command_begin",
            "call_id": self.call_id,
            "turn_id": self.turn_id,
            "command": list(self.command),
            "cwd": self.cwd,
            "sandboxed": self.sandboxed,
            "parsed_cmd": [parsed.to_json() for parsed in self.parsed_cmd],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecEndEvent:
    """A command ended, was killed or could not be started (``exit_code`` is then -1)."""

    call_id: str
    turn_id: str
    exit_code: int
    seconds: float
    timed_out: bool = False

    def __post_init__(self) -> None:
        settle(self, call_id=text, turn_id=text, exit_code=number, seconds=duration, timed_out=flag)

    def to_json(self) -> dict[str, Any]:
        """Fields in snake case."""
        return {
            "type": "exec_command_end",
            "call_id": self.call_id,
            "turn_id": self.turn_id,
            "exit_code": self.exit_code,
            "duration_seconds": round(self.seconds, 1),
            "timed_out": self.timed_out,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalInteractionEvent:
    """Text is sent to the open command that ``session_id`` names."""

    call_id: str
    turn_id: str
    session_id: int
    stdin: str

    def __post_init__(self) -> None:
        settle(self, call_id=text, turn_id=text, session_id=number, stdin=text)

    def to_json(self) -> dict[str, Any]:
        """Fields in snake case."""
        return {
            "type": "terminal_interaction",
            "call_id": self.call_id,
            "turn_id": self.turn_id,
            "session_id": self.session_id,
            "stdin": self.stdin,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchBeginEvent:
    """A patch is about to be applied to these files (absolute paths)."""

    call_id: str
    turn_id: str
    paths: tuple[str, ...]

    def __post_init__(self) -> None:
        settle(self, call_id=text, turn_id=text, paths=texts)

    def to_json(self) -> dict[str, Any]:
        """Fields in snake case."""
        body = {"call_id": self.call_id, "turn_id": self.turn_id, "paths": list(self.paths)}
        return {"type": "patch_apply_begin", **body}


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchEndEvent:
    """A patch was applied completely, or not at all."""

    call_id: str
    turn_id: str
    success: bool

    def __post_init__(self) -> None:
        settle(self, call_id=text, turn_id=text, success=flag)

    def to_json(self) -> dict[str, Any]:
        """Fields in snake case."""
        body = {"call_id": self.call_id, "turn_id": self.turn_id, "success": self.success}
        return {"type": "patch_apply_end", **body}


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkDecisionEvent:
    """The decision about the first connection of a running command to a host, protocol and port.

    Attributes:
        by: ``policy`` for a network rule or if no question is allowed, ``session`` for a remembered answer, ``user``
            for
            a new answer.
        reason: the reason for a refusal; empty if the connection is allowed.
    """

    call_id: str
    turn_id: str
    to: NetworkTarget
    allowed: bool
    by: str
    reason: str = ""

    def __post_init__(self) -> None:
        settle(self, call_id=text, turn_id=text, to=instance(NetworkTarget), allowed=flag)
        settle(self, by=one_of("policy", "session", "user"), reason=text)

    def to_json(self) -> dict[str, Any]:
        """Fields in snake case."""
        return {
            "type": "network_decision",
            "call_id": self.call_id,
            "turn_id": self.turn_id,
            "network": self.to.to_json(),
            "allowed": self.allowed,
            "by": self.by,
            "reason": self.reason,
        }


class Turn:
    """A turn, made by :meth:`execpolicy.approvals.approval_session.ApprovalSession.begin_turn`.

    Attributes:
        aborted: set once and never reset; later requests of the turn are aborted without a question.
    """

    def __init__(self, turn_id: str) -> None:
        self.id = text(turn_id, "a turn's id")
        self.aborted = False
        self._tasks: set[asyncio.Task[object]] = set()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Cancel the current task if the turn is interrupted."""
        task = asyncio.current_task()
        if task is None or task in self._tasks:
            yield
            return
        self._tasks.add(task)
        try:
            yield
        finally:
            self._tasks.discard(task)

    def cancel_running(self, *, besides: set[asyncio.Task[object]]) -> None:
        """Cancel the tasks of the turn, except ``besides`` and the calling task."""
        caller = _current_task()
        for task in self._tasks - besides:
            if task is not caller:
                task.cancel()


def _current_task() -> asyncio.Task[object] | None:
    """The running task; ``None`` outside an event loop, where a host may also interrupt."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
