"""``execpolicy run``: decide, ask on the terminal if needed, run in a sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from typing import TYPE_CHECKING

import click

from execpolicy.approvals.approval_session import ApprovalSession
from execpolicy.approvals.ask import AskForApproval
from execpolicy.approvals.bubblewrap import BubblewrapSandbox
from execpolicy.approvals.events import DeveloperMessage, WarningEvent
from execpolicy.approvals.exec_command import create_exec_approval_requirement_for_command, refuse_call
from execpolicy.approvals.exec_env import ShellEnvironmentPolicy, create_env
from execpolicy.approvals.exec_request import ExecRequest
from execpolicy.approvals.orchestrator import ToolOrchestrator
from execpolicy.approvals.outcomes import SandboxDeniedError, ToolRejectedError, TurnAbortedError
from execpolicy.approvals.process import Streams
from execpolicy.approvals.remembered import RememberedApprovals, forget_old_sessions, session_file
from execpolicy.approvals.requirement import Skip
from execpolicy.approvals.sandboxing import SandboxMode, SandboxPermissions, SandboxPolicy
from execpolicy.approvals.shell_runtime import ShellRequest, ShellRuntime
from execpolicy.approvals.terminal_reviewer import TerminalReviewer
from execpolicy.approvals.visible import visible
from execpolicy.cli.argument_types import COMMAND_WORD, FOLDER, SHELL
from execpolicy.cli.check_options import PROFILES
from execpolicy.cli.judgement import require_program
from execpolicy.cli.layer_arguments import GRANTS_OPTION, RULES
from execpolicy.cli.loading import report_problems
from execpolicy.codex.profiles import profile_named
from execpolicy.errors import RuleStoreError
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager import PolicyManager
from execpolicy.shell.script import SHELLS

if TYPE_CHECKING:
    from execpolicy.approvals.events import Event
    from execpolicy.approvals.process import ExecOutput

REFUSED = 126
"""The command was not run: forbidden, denied, or there is no sandbox. Shells report the same for what cannot run."""

ABORTED = 130
"""Somebody stopped it, as after Ctrl-C."""


@click.command(name="run", context_settings={"allow_interspersed_args": False})
@click.option(
    "--approval",
    type=click.Choice(["never", "on-failure", "on-request", "untrusted"]),
    default="untrusted",
    show_default=True,
    help="When to ask.",
)
@click.option(
    "--sandbox",
    "mode",
    type=click.Choice([mode.value for mode in SandboxMode if mode is not SandboxMode.EXTERNAL]),
    default="workspace-write",
    show_default=True,
    help="What the command may touch.",
)
@click.option("--writable", multiple=True, type=FOLDER, help="Another folder that may be written (repeatable).")
@click.option("--network", is_flag=True, help="Leave the network on in the sandbox; it is off otherwise.")
@click.option("--escalate", is_flag=True, help="Ask to run without the sandbox.")
@click.option("-m", "--justification", metavar="TEXT", help="What to tell the person who is asked.")
@RULES
@click.option("--script", metavar="TEXT", help="Run TEXT with a shell instead of COMMAND.")
@click.option("--shell", type=SHELL, default=SHELLS[0], show_default=True, help="The shell for --script.")
@click.option("--cwd", type=FOLDER, help="Where the command runs (default: here).")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Kill the command after this time.",
)
@click.option("--session", metavar="NAME", help="The session that remembers answers; else this terminal's.")
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="default",
    show_default=True,
    help="Whose semantics of the decision.",
)
@GRANTS_OPTION
@click.argument("arguments", nargs=-1, type=COMMAND_WORD, metavar="[--] [COMMAND...]")
def command(
    approval: str,
    mode: str,
    writable: tuple[str, ...],
    network: bool,
    escalate: bool,
    justification: str | None,
    rules: tuple[str, ...],
    script: str | None,
    shell: str,
    cwd: str | None,
    timeout: float | None,
    session: str | None,
    profile: str,
    grants: str | None,
    arguments: tuple[str, ...],
) -> int:
    """Decide about COMMAND, ask on the terminal if needed, then run it in a sandbox.

    The sandbox needs bwrap (bubblewrap); where there is none, nothing runs unless --sandbox danger-full-access says so.
    The exit status is that of the command; 126 if it was not run, 130 if it was stopped.

    \b
    Examples:
      $ execpolicy run -- cargo test
      $ execpolicy run --sandbox read-only --script 'grep -rn main . | head'
    """
    if (script is None) == (not arguments):
        raise click.UsageError("give a command behind `--`, or a script with `--script`, and not both")
    require_program(arguments)
    folder = os.path.abspath(cwd or os.getcwd())
    chosen = profile_named(profile)
    request = ExecRequest(
        command=tuple(arguments) if script is None else chosen.argv_of(script, shell, False),
        approval_policy=AskForApproval.parse(approval),
        sandbox_policy=SandboxPolicy(
            mode=SandboxMode(mode),
            writable_roots=tuple([os.path.abspath(path) for path in writable]),
            network_access=network,
        ),
        cwd=folder,
        home=os.environ.get("HOME"),
        sandbox_permissions=SandboxPermissions.REQUIRE_ESCALATED if escalate else None,
        justification=justification,
    )
    options = LayerOptions.of_process(
        cwd=folder, files=rules or None, mode="strict" if rules else "isolated", grants=grants
    )
    manager = PolicyManager(options)
    report_problems(manager.current().layers, sys.stderr)
    target = os.path.abspath(rules[-1]) if rules else options.default_rules
    saver = None if target is None else _Saver(manager, target)
    return asyncio.run(_Run(request, manager, saver, session, profile, timeout).run())


class _Saver:
    """Saves approved prefixes in one file: the user's, or the last one that was named."""

    def __init__(self, manager: PolicyManager, path: str) -> None:
        self.path = path
        self._manager = manager

    async def amend(self, prefix: tuple[str, ...], /) -> None:
        """Save ``prefix``; :class:`RuleStoreError` if it is not in force afterwards."""
        done = await self._manager.aamend(prefix, path=self.path)
        if done.not_in_force is not None:
            raise RuleStoreError(f"saved in {self.path}, but not in force: {done.not_in_force}")


class _Run:
    """One command from request to exit status."""

    def __init__(
        self,
        request: ExecRequest,
        manager: PolicyManager,
        saver: _Saver | None,
        session: str | None,
        profile: str,
        timeout: float | None,
    ) -> None:
        self.request = request
        self.manager = manager
        self.saver = saver
        self.profile = profile_named(profile)
        self.timeout = timeout
        self.session_name = session if session is not None else os.environ.get("EXECPOLICY_SESSION")

    async def run(self) -> int:
        """Returns the exit status."""
        session = self._session()
        streams = Streams(stdin=0, forward=_forward)
        runtime = ShellRuntime(
            session=session,
            sandbox=BubblewrapSandbox(protected=self._kept_from_commands()),
            profile=self.profile,
            rules=lambda: self.manager.current().rulebook,
            streams=streams,
        )
        turn = session.begin_turn("run")
        env = create_env(ShellEnvironmentPolicy(ignore_default_excludes=True), os.environ)
        try:
            refusal = refuse_call(self.request, profile=self.profile)
            if refusal is not None:
                raise ToolRejectedError(refusal)
            outcome = await ToolOrchestrator(self.profile).run(
                runtime,
                ShellRequest(call_id="run", turn=turn, exec=self.request, timeout=self.timeout, env=env),
                turn=turn,
                policy=self.request.approval_policy,
                sandbox=self.request.sandbox_policy,
            )
        except ToolRejectedError as error:
            _say(f"not run: {error.reason}")
            return REFUSED
        except SandboxDeniedError as error:
            _say("the sandbox denied what it tried to do")
            return _status(error.output, self.timeout)
        except TurnAbortedError:
            _say("stopped")
            return ABORTED
        return _status(outcome.output, self.timeout)

    def _kept_from_commands(self) -> tuple[str, ...]:
        """The folders that decide what is allowed later: rules, configuration, remembered approvals."""
        options = self.manager.options
        state = session_file("", os.environ)
        folders = [options.codex_home, options.own_home, state and os.path.dirname(os.path.dirname(state))]
        if self.saver is not None:
            folders.append(os.path.dirname(self.saver.path))
        return tuple([folder for folder in folders if folder])

    def _session(self) -> ApprovalSession:
        store = None
        path = session_file(self.session_name, os.environ)
        if path is not None:
            forget_old_sessions(os.path.dirname(path))
            store = RememberedApprovals(path, scope=f"{self.profile.name} {self.request.sandbox_policy!r}")
        return ApprovalSession(
            emit=self._show,
            reviewer=TerminalReviewer(can_save=self.saver is not None),
            amender=self.saver,
            store=store,
        )

    def _show(self, event: Event) -> None:
        if isinstance(event, WarningEvent):
            _say(event.message)
        elif isinstance(event, DeveloperMessage):
            _say(f"{event.text.replace(chr(10), ' ')} in {self.saver.path if self.saver else 'memory'}")
            rulebook = self.manager.current().rulebook
            now = create_exec_approval_requirement_for_command(self.request, rulebook, profile=self.profile)
            if not isinstance(now, Skip):
                _say("this command will still be asked about: the rule covers only a part of it")


def _forward(number: int, block: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):
        while block:
            block = block[os.write(number, block) :]


def _status(output: ExecOutput, timeout: float | None) -> int:
    if output.timed_out:
        _say(f"killed after {timeout:g} seconds")
    return output.exit_code


def _say(text: str) -> None:
    click.echo(f"execpolicy: {visible(text)}", err=True)
