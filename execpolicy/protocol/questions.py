"""Open questions: each has its turn and its time, and each can be withdrawn.

Asking a person about one request: what is shown, what may come back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
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


class Questions:
    """The questions of one session, by request id.

    Args:
        timeout_s: how long a question may stay open, the wait for its turn included.
        at_once: how many may be put at a time.
    """

    def __init__(self, timeout_s: float, *, at_once: int = 1) -> None:
        self._timeout_s = timeout_s
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Semaphore(at_once)
        self._unanswerable = asyncio.Event()

    def put(self, id: str, ask: Callable[[], Awaitable[None]], late: Callable[[], None]) -> None:
        """Await ``ask`` when it is its turn; call ``late`` if that takes too long."""

        async def run() -> None:
            try:
                async with asyncio.timeout(self._timeout_s), self._turn:
                    await ask()
            except TimeoutError:
                late()

        self._start(id, run())

    def hold(self, id: str, late: Callable[[], None]) -> None:
        """A question that somebody else puts: call ``late`` if it is still open when its time is over."""

        async def run() -> None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._unanswerable.wait(), self._timeout_s)
            late()

        self._start(id, run())

    def expect_no_answers(self) -> None:
        """Whoever holds questions cannot answer any more: their time is over."""
        self._unanswerable.set()

    def is_open(self, id: str) -> bool:
        """Whether the question of this request is open."""
        return id in self._tasks

    def withdraw(self, id: str) -> None:
        """Put it no more. The question that is being answered right now ends by itself."""
        task = self._tasks.get(id)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    async def idle(self) -> None:
        """Wait until no question is open."""
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def close(self) -> None:
        """Withdraw them all."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, id: str, run: Awaitable[None]) -> None:
        task = asyncio.ensure_future(run)
        assert isinstance(task, asyncio.Task)
        self._tasks[id] = task
        task.add_done_callback(lambda done: self._tasks.pop(id) if self._tasks.get(id) is done else None)
