"""The approval session and shell tool for hosts without an event loop: one loop in its own thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import update_wrapper
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from execpolicy.approvals.approval_session import ApprovalSession, Turn, TurnContext
from execpolicy.approvals.tools.shell_tool import ShellTool
from execpolicy.validators import instance, port

_P = ParamSpec("_P")
_T = TypeVar("_T")


class BlockingLoop:
    """An event loop in a thread. Use as a context manager, or call :meth:`close`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="execpolicy-approvals", daemon=True)
        self._thread.start()

    def wait(self, work: Coroutine[Any, Any, _T], *, timeout: float | None = None) -> _T:
        """Run ``work`` in the loop and return its result. It is cancelled after ``timeout`` seconds.

        Raises:
            TimeoutError: ``timeout`` has passed.
        """
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout)
        except BaseException:
            future.cancel()
            raise

    def call(self, function: Callable[[], _T]) -> _T:
        """Call ``function`` in the loop and return its result."""

        async def work() -> _T:
            return function()

        return self.wait(work())

    def close(self) -> None:
        """Cancel the running tasks and end the thread."""
        if self._loop.is_closed():
            return
        self.wait(self._cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _cancel_all(self) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def __enter__(self) -> BlockingLoop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _waits(
    method: Callable[Concatenate[Any, _P], Coroutine[Any, Any, _T]], of: str
) -> Callable[Concatenate[BlockingShell, _P], _T]:
    """``method`` for threads: it runs in the loop, on the attribute ``of`` of a :class:`BlockingShell`."""

    def call(self: BlockingShell, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._loop.wait(method(getattr(self, of), *args, **kwargs))

    update_wrapper(call, method)
    return call


class BlockingShell:
    """A session and its shell tool for synchronous code. Answers may come from any thread.

    The methods are those of :class:`ShellTool` and :class:`ApprovalSession`.
    """

    def __init__(self, loop: BlockingLoop, *, session: ApprovalSession, tool: ShellTool) -> None:
        self._loop: BlockingLoop = instance(BlockingLoop)(loop, "BlockingShell: `loop`")
        self._session: ApprovalSession = port("exec_approval", "patch_approval")(session, "BlockingShell: `session`")
        self._tool: ShellTool = port("call", "exec_command", "write_stdin")(tool, "BlockingShell: `tool`")

    call = _waits(ShellTool.call, "_tool")
    exec_command = _waits(ShellTool.exec_command, "_tool")
    write_stdin = _waits(ShellTool.write_stdin, "_tool")
    perform = _waits(ShellTool.perform, "_tool")
    execute = _waits(ShellTool.execute, "_tool")

    def is_mutating(self, arguments: str | dict[str, Any], *, context: TurnContext) -> bool:
        """See :meth:`ShellTool.is_mutating`."""
        return self._tool.is_mutating(arguments, context=context)

    close = _waits(ShellTool.close, "_tool")
    exec_approval = _waits(ApprovalSession.exec_approval, "_session")
    patch_approval = _waits(ApprovalSession.patch_approval, "_session")

    def interrupt(self, turn: Turn) -> None:
        """See :meth:`ApprovalSession.interrupt`."""
        self._loop.call(lambda: self._session.interrupt(turn))
