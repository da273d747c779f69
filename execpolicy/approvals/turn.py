"""One turn of an agent, the unit that an interruption stops, and the settings of its calls."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from execpolicy.approvals.ask import AskForApproval, ask_for_approval
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy, sandbox_policy
from execpolicy.approvals.tools.shell_arguments import ShellEnvironmentPolicy
from execpolicy.validators import Checked, folder, optional, text


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
        try:
            caller = asyncio.current_task()
        except RuntimeError:  # a host may also interrupt outside an event loop
            caller = None
        for task in self._tasks - besides:
            if task is not caller:
                task.cancel()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext(
    Checked, cwd=folder, approval_policy=ask_for_approval, sandbox_policy=sandbox_policy, home=optional(folder)
):
    """The settings of a turn. Policies may be given by their words.

    Attributes:
        cwd: absolute; a call's ``workdir`` is relative to it.
        home: the value of ``~`` in program paths.
        environ: the host's variables, which ``environment`` selects from.
        dependency_env: variables merged last, regardless of ``environment``.
        request_rule: true if a call may ask to save a prefix (``prefix_rule``).
        additional_permissions: true if a call may use ``with_additional_permissions``.
    """

    turn: Turn
    cwd: str
    approval_policy: AskForApproval
    sandbox_policy: SandboxPolicy
    home: str | None = None
    environment: ShellEnvironmentPolicy = field(default_factory=ShellEnvironmentPolicy)
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    dependency_env: Mapping[str, str] = field(default_factory=dict)
    request_rule: bool = False
    additional_permissions: bool = False

    def resolve(self, path: str | None) -> str:
        """``path`` relative to the turn's working directory; that directory for ``None`` and the empty string."""
        return os.path.normpath(os.path.join(self.cwd, path)) if path else self.cwd
