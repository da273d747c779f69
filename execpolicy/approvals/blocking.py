"""The approval session and shell tool for hosts without an event loop: one loop in its own thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, TypeVar

from execpolicy.approvals.approval_session import ApprovalSession, Turn, TurnContext
from execpolicy.approvals.requirement import ExecRequest
from execpolicy.approvals.review import ReviewDecision
from execpolicy.approvals.tools.process import ExecOutput
from execpolicy.approvals.tools.shell_arguments import ToolOutput
from execpolicy.approvals.tools.shell_tool import ShellTool
from execpolicy.validators import instance, port

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


class BlockingShell:
    """A session and its shell tool for synchronous code. Answers may come from any thread."""

    def __init__(self, loop: BlockingLoop, *, session: ApprovalSession, tool: ShellTool) -> None:
        self._loop: BlockingLoop = instance(BlockingLoop)(loop, "BlockingShell: `loop`")
        self._session: ApprovalSession = port("exec_approval", "patch_approval")(session, "BlockingShell: `session`")
        self._tool: ShellTool = port("call", "exec_command", "write_stdin")(tool, "BlockingShell: `tool`")

    def call(self, arguments: str | dict[str, Any], *, context: TurnContext, call_id: str) -> ToolOutput:
        """See :meth:`ShellTool.call`."""
        return self._loop.wait(self._tool.call(arguments, context=context, call_id=call_id))

    def exec_command(self, arguments: str | dict[str, Any], *, context: TurnContext, call_id: str) -> ToolOutput:
        """See :meth:`ShellTool.exec_command`."""
        return self._loop.wait(self._tool.exec_command(arguments, context=context, call_id=call_id))

    def write_stdin(self, arguments: str | dict[str, Any], *, context: TurnContext, call_id: str) -> ToolOutput:
        """See :meth:`ShellTool.write_stdin`."""
        return self._loop.wait(self._tool.write_stdin(arguments, context=context, call_id=call_id))

    def perform(self, request: ExecRequest, timeout: float | None, context: TurnContext, call_id: str) -> ExecOutput:
        """See :meth:`ShellTool.perform`."""
        return self._loop.wait(self._tool.perform(request, timeout, context, call_id))

    def execute(
        self,
        request: ExecRequest,
        timeout: float | None,
        context: TurnContext,
        call_id: str,
        *,
        tty: bool | None = None,
    ) -> ExecOutput:
        """See :meth:`ShellTool.execute`."""
        return self._loop.wait(self._tool.execute(request, timeout, context, call_id, tty=tty))

    def is_mutating(self, arguments: str | dict[str, Any], *, context: TurnContext) -> bool:
        """See :meth:`ShellTool.is_mutating`."""
        return self._tool.is_mutating(arguments, context=context)

    def close(self) -> None:
        """See :meth:`ShellTool.close`."""
        self._loop.wait(self._tool.close())

    def exec_approval(self, approval_id: str, decision: ReviewDecision) -> bool:
        """See :meth:`ApprovalSession.exec_approval`."""
        return self._loop.wait(self._session.exec_approval(approval_id, decision))

    def patch_approval(self, approval_id: str, decision: ReviewDecision) -> bool:
        """See :meth:`ApprovalSession.patch_approval`."""
        return self._loop.wait(self._session.patch_approval(approval_id, decision))

    def interrupt(self, turn: Turn) -> None:
        """See :meth:`ApprovalSession.interrupt`."""
        self._loop.call(lambda: self._session.interrupt(turn))
