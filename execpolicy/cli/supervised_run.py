"""Runs one command for a person: decides, asks, supervises it to its end, and records that in an audit trail."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from dataclasses import dataclass

import click

from execpolicy.approvals.approval_session import ApprovalSession, Reviewer, TurnContext
from execpolicy.approvals.approval_store import RememberedApprovals, RememberedCalls, forget_old_sessions, session_file
from execpolicy.approvals.events import (
    ApprovalResolvedEvent,
    DeveloperMessage,
    Event,
    ExecBeginEvent,
    ExecEndEvent,
    NetworkDecisionEvent,
    PatchBeginEvent,
    PatchEndEvent,
    WarningEvent,
)
from execpolicy.approvals.exec_command import create_exec_approval_requirement_for_command, required_by_permissions
from execpolicy.approvals.orchestrator import SandboxDeniedError, ToolRejectedError, TurnAbortedError
from execpolicy.approvals.profile import Profile
from execpolicy.approvals.requirement import ExecApprovalRequirement, ExecRequest, Skip, stricter
from execpolicy.approvals.sandbox.bubblewrap import BubblewrapSandbox
from execpolicy.approvals.terminal import visible
from execpolicy.approvals.tools.process import (
    BROKEN_PIPE_EXIT_CODE,
    OUTPUT_LOST_EXIT_CODE,
    SIGNAL_EXIT_CODE,
    ExecOutput,
    Streams,
)
from execpolicy.approvals.tools.shell_arguments import ShellEnvironmentPolicy
from execpolicy.approvals.tools.shell_tool import ShellTool
from execpolicy.cli.arbitration import handle_signals
from execpolicy.errors import ExecPolicyError, RuleStoreError
from execpolicy.fd_io import write_all
from execpolicy.inbox.waiting import inbox_folder, make_folder
from execpolicy.manager.policy_manager import PolicyAmender, PolicyManager
from execpolicy.permissions.audit import AuditLog
from execpolicy.permissions.ruleset import Ruleset
from execpolicy.processes.ward import end_adopted
from execpolicy.processes.warden import adopt_orphans
from execpolicy.protocol.policy_decider import CommandPermissions


class RunAudit:
    """The audit trail of one command.

    Args:
        path: the file to append to.
        by: the author of an allow without a question: ``policy``, or ``session`` for a remembered answer.
    """

    def __init__(self, path: str, request: ExecRequest, *, by: str) -> None:
        self._log = AuditLog(path)
        self._request = request
        self._by = by

    def note(self, event: Event) -> None:
        """Record ``event``.

        Raises:
            RuleStoreError: it could not be written. A command that is about to start or to connect must then not do so.
        """
        if isinstance(event, ApprovalResolvedEvent):
            self._by = "user"
        elif isinstance(event, ExecBeginEvent):
            self.decision("allowed", sandboxed=event.sandboxed)
        elif isinstance(event, PatchBeginEvent):
            self.decision("allowed")
        elif isinstance(event, NetworkDecisionEvent):
            decision = "allowed" if event.allowed else "denied"
            self._write("network", **event.to.to_json(), decision=decision, by=event.by, reason=event.reason)
        elif isinstance(event, PatchEndEvent):
            self._write("result", ok=event.success)
        elif isinstance(event, ExecEndEvent):
            self._write(
                "result",
                ok=event.exit_code == 0,
                status=event.exit_code,
                timed_out=event.timed_out,
                duration_ms=round(event.seconds * 1000, 3),
            )

    def decision(self, word: str, reason: str = "", *, sandboxed: bool = False) -> None:
        """Record that the command is ``allowed`` to run, or was ``denied``.

        Raises:
            RuleStoreError: the record could not be written.
        """
        self._write(
            "decision",
            tool="run",
            commands=[list(self._request.command)],
            cwd=self._request.cwd,
            decision=word,
            by="policy" if word == "denied" and self._by != "user" else self._by,
            reason=reason,
            sandboxed=sandboxed,
        )

    def _write(self, event: str, **entry: object) -> None:
        self._log.write({"event": event, "id": str(os.getpid()), **entry})


REFUSED = 126
"""The command was not run: forbidden, denied, or there is no sandbox. Shells report the same for a failed exec."""

ABORTED = 130
"""The run was interrupted, as by Ctrl-C."""

_GRACE_SECONDS = 1.0
"""Seconds between SIGTERM and SIGKILL for the remaining processes of a command at the very end."""


@dataclass(kw_only=True)
class SupervisedRun:
    """One command from request to exit status.

    Attributes:
        saver: saves the prefixes that the person chooses; ``None`` if there is no file for them.
        session_name: the session that remembers answers; ``None`` for that of this terminal.
        timeout: seconds until the command is killed.
        audit: the file of the audit trail.
        kept: further files that the command must not change.
    """

    request: ExecRequest
    manager: PolicyManager
    saver: PolicyAmender | None
    session_name: str | None
    profile: Profile
    timeout: float | None
    audit: str | None
    reviewer: Reviewer
    ruleset: Ruleset
    kept: tuple[str, ...]

    def __post_init__(self) -> None:
        self._permissions = None
        if self.ruleset:
            path = session_file(self.session_name, os.environ)
            loops = None if path is None else RememberedCalls(f"{path}.calls")
            self._permissions = CommandPermissions(self.ruleset, cwd=self.request.cwd, loops=loops)
        self._signalled: int = signal.SIGTERM
        self._audit = None
        if self.audit is not None:
            by = "policy" if isinstance(self._requirement(), Skip) else "session"
            self._audit = RunAudit(self.audit, self.request, by=by)
        self._trail_is_whole = True

    async def run_to_the_end(self) -> int:
        """Run the command and return its exit status. It ends with this process, and this process ends on a signal."""
        running = asyncio.ensure_future(self.run())

        def end(number: int) -> None:
            self._signalled = number
            running.cancel()

        handle_signals(end)
        adopt_orphans(True)
        try:
            return await running
        except asyncio.CancelledError:
            return SIGNAL_EXIT_CODE + self._signalled
        finally:
            left = await end_adopted(_GRACE_SECONDS)
            if left:
                _say_left(left)

    async def run(self) -> int:
        """Run the command and return its exit status."""
        session = self._session()
        streams = Streams(stdin=0, forward=write_all, parting=lambda: self._signalled)
        tool = ShellTool(
            session=session,
            sandbox=BubblewrapSandbox(protected=self._kept_from_commands(), hidden=_hidden_from_commands()),
            profile=self.profile,
            rules=lambda: self.manager.current().rulebook,
            streams=streams,
            permissions=self._permissions,
        )
        context = TurnContext(
            turn=session.begin_turn("run"),
            cwd=self.request.cwd,
            approval_policy=self.request.approval_policy,
            sandbox_policy=self.request.sandbox_policy,
            home=self.request.home,
            environment=ShellEnvironmentPolicy(ignore_default_excludes=True),
        )
        try:
            output = await tool.perform(self.request, self.timeout, context, "run")
        except ToolRejectedError as error:
            _say(f"not run{' again without the sandbox' if error.ran_confined else ''}: {error.reason}")
            self._refused(error.reason)
            return REFUSED
        except RuleStoreError as error:  # from the audit trail
            _say(f"not run: {error}")
            return REFUSED
        except SandboxDeniedError as error:
            _say("the sandbox denied what it tried to do")
            return self._status(error.output)
        except TurnAbortedError:
            _say("stopped")
            self._refused("stopped")
            return ABORTED
        return self._status(output)

    def _status(self, output: ExecOutput) -> int:
        if output.timed_out:
            _say(f"killed after {self.timeout:g} seconds")
        elif output.lost is not None and output.exit_code != BROKEN_PIPE_EXIT_CODE:
            _say(f"it ran, but its output could not be passed on: {output.lost}")
        if output.left:
            _say_left(output.left)
        return output.exit_code or (0 if self._trail_is_whole else OUTPUT_LOST_EXIT_CODE)

    def _kept_from_commands(self) -> tuple[str, ...]:
        """The folders that commands must not change: rules, permissions, configuration, remembered approvals.

        They decide which later commands are allowed.
        """
        options = self.manager.options
        state = session_file("", os.environ)
        folders = [options.codex_home, options.own_home, state and os.path.dirname(os.path.dirname(state))]
        if self.saver is not None:
            folders.append(os.path.dirname(self.saver.path or ""))
        return (*[folder for folder in folders if folder], *self.kept)

    def _session(self) -> ApprovalSession:
        store = None
        path = session_file(self.session_name, os.environ)
        if path is not None:
            forget_old_sessions(os.path.dirname(path))
            store = RememberedApprovals(path, scope=f"{self.profile.name} {self.request.sandbox_policy!r}")
        return ApprovalSession(
            emit=self._show,
            reviewer=self.reviewer,
            amender=self.saver,
            store=store,
            takes_any_amendment=self.profile.takes_any_amendment,
        )

    def _requirement(self) -> ExecApprovalRequirement:
        rulebook = self.manager.current().rulebook
        own = create_exec_approval_requirement_for_command(self.request, rulebook, profile=self.profile)
        return stricter(own, required_by_permissions(self._permissions, self.request, profile=self.profile))

    def _refused(self, reason: str) -> None:
        if self._audit is not None:
            try:
                self._audit.decision("denied", reason)
            except RuleStoreError as error:
                _say(str(error))

    def _show(self, event: Event) -> None:
        if self._audit is not None:
            try:
                self._audit.note(event)
            except RuleStoreError as error:
                if not isinstance(event, ExecEndEvent | PatchEndEvent):
                    raise
                self._trail_is_whole = False
                _say(f"it ran, and {error}")
        if isinstance(event, WarningEvent):
            _say(event.message)
        elif isinstance(event, DeveloperMessage):
            _say(f"{event.text.replace(chr(10), ' ')} in {self.saver.path if self.saver else 'memory'}")
            if not isinstance(self._requirement(), Skip):
                _say("this command will still be asked about: the rule covers only a part of it")


def _hidden_from_commands() -> tuple[str, ...]:
    """The inbox folder, hidden from commands: it holds the socket and the secret of the page.

    It is created if missing, so that it cannot appear later.
    """
    with contextlib.suppress(ExecPolicyError):
        folder = inbox_folder(os.environ)
        make_folder(folder)
        return (folder,)
    return ()


def _say_left(left: tuple[int, ...]) -> None:
    _say(f"some of its processes could not be ended: {' '.join(map(str, left))}")


def _say(text: str) -> None:
    with contextlib.suppress(OSError):  # the status reports it too
        click.echo(f"execpolicy: {visible(text)}", err=True)
