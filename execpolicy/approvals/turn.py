"""One turn of an agent: what an interruption stops together."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from execpolicy.validators import text


class Turn:
    """A turn, made by :meth:`execpolicy.approvals.approval_session.ApprovalSession.begin_turn`.

    Attributes:
        aborted: set once and for good; later requests of the turn are answered with an abort, unasked.
    """

    def __init__(self, turn_id: str) -> None:
        self.id = text(turn_id, "a turn's id")
        self.aborted = False
        self._tasks: set[asyncio.Task[object]] = set()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let the current task be cancelled when the turn is interrupted."""
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
        """Cancel what runs in the turn, apart from ``besides`` and the task that calls this."""
        caller = _current_task()
        for task in self._tasks - besides:
            if task is not caller:
                task.cancel()


def _current_task() -> asyncio.Task[object] | None:
    """The running task; ``None`` outside of an event loop, where a host may also interrupt."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
