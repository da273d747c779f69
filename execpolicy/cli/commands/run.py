"""``execpolicy run``: decide, ask on the terminal if needed, run in a sandbox."""

from __future__ import annotations

import asyncio
import os
import sys

import click

from execpolicy.approvals.profile import PRESETS, ApprovalPreset
from execpolicy.approvals.requirement import AskForApproval, ExecRequest
from execpolicy.approvals.sandbox.sandboxing import SandboxMode, SandboxPermissions, SandboxPolicy
from execpolicy.approvals.terminal import TerminalReviewer
from execpolicy.cli import permission_file, suspicious_args
from execpolicy.cli.argument_types import COMMAND_WORD, FILE, FOLDER, CommandAboutWords, choice
from execpolicy.cli.judgement import script_of
from execpolicy.cli.layer_arguments import PERMISSIONS, PROFILE, RULES, SCRIPT, SHELL_OPTION, layer_options
from execpolicy.cli.loading import report_problems
from execpolicy.cli.supervised_run import SupervisedRun
from execpolicy.codex.profiles import profile_named
from execpolicy.core.hosts import home_of
from execpolicy.inbox.inbox_reviewer import InboxReviewer
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyAmender, PolicyManager

_USUAL = ApprovalPreset("", "", AskForApproval.UNLESS_TRUSTED, SandboxPolicy.WORKSPACE_WRITE)


@click.command(name="run", cls=CommandAboutWords, context_settings={"allow_interspersed_args": False})
@click.option(
    "--approval",
    type=click.Choice(["never", "on-failure", "on-request", "untrusted"]),
    help="When to ask (default: untrusted).",
)
@click.option(
    "--sandbox",
    type=click.Choice([mode.value for mode in SandboxMode if mode is not SandboxMode.EXTERNAL]),
    help="What the command may touch (default: workspace-write).",
)
@click.option("--preset", type=click.Choice(list(PRESETS)), help="Both of the above; either may still be given.")
@click.option("--writable", multiple=True, type=FOLDER, help="Another folder that may be written (repeatable).")
@click.option("--network", is_flag=True, help="Let it connect where network rules, or you, allow it (HTTP, SOCKS).")
@click.option("--open-network", is_flag=True, help="Leave the whole network on in the sandbox, rules or not.")
@click.option("--escalate", is_flag=True, help="Ask to run without the sandbox.")
@click.option("-m", "--justification", metavar="TEXT", help="What to tell the person who is asked.")
@RULES
@PERMISSIONS
@SCRIPT
@SHELL_OPTION
@layer_options
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Kill the command after this time.",
)
@click.option("--audit", type=FILE, help="Append who decided what, and how it ended, to FILE, as JSON lines.")
@choice("--ask", ("terminal", "inbox"), "Where a question is put: this terminal, or the page of `execpolicy ui`.")
@click.option("--session", metavar="NAME", help="The session that remembers answers; else this terminal's.")
@PROFILE
@click.argument("arguments", nargs=-1, type=COMMAND_WORD, metavar="[--] [COMMAND...]")
def command(
    approval: str | None,
    sandbox: str | None,
    preset: str | None,
    writable: tuple[str, ...],
    network: bool,
    open_network: bool,
    escalate: bool,
    justification: str | None,
    permissions: str | None,
    script: str | None,
    shell: str,
    layers: LayerOptions,
    timeout: float | None,
    audit: str | None,
    ask: str,
    session: str | None,
    profile: str,
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
    # The options of one command, one line each, and their use.
    if (script is None) == (not arguments):
        raise click.UsageError("give a command behind `--`, or a script with `--script`, and not both")
    os.getcwd()  # an error if it is gone: nothing is run in its place
    script = script_of(arguments, script, layers.cwd, sys.stderr)
    suspicious_args.question_shell(shell, sys.stderr)
    chosen = profile_named(profile)
    # an explicit option overrides the preset
    usual = _USUAL if preset is None else PRESETS[preset]
    policy = SandboxPolicy(
        mode=usual.sandbox.mode if sandbox is None else SandboxMode(sandbox),
        writable_roots=tuple([os.path.abspath(path) for path in writable]),
        network_access=open_network,
        network_rules=network,
    )
    if network and not (policy.proxied and policy.confined):
        raise click.UsageError(
            "--network needs a sandbox, and one without --open-network: no rule governs it otherwise"
        )
    request = ExecRequest(
        command=arguments if script is None else chosen.argv_of(script, shell, False),
        approval_policy=usual.approval if approval is None else AskForApproval.parse(approval),
        sandbox_policy=policy,
        cwd=layers.cwd,
        home=home_of(os.environ),
        sandbox_permissions=SandboxPermissions.REQUIRE_ESCALATED if escalate else None,
        justification=justification,
    )
    manager = PolicyManager(layers)
    report_problems(manager.current().layers, sys.stderr)
    target = os.path.abspath(layers.files[-1]) if layers.files else layers.default_rules
    saver = None if target is None else PolicyAmender(manager, target)
    ruleset = permission_file.read_permissions(permissions, request.home)
    can_save = saver is not None
    run = SupervisedRun(
        request=request,
        manager=manager,
        saver=saver,
        session_name=session if session is not None else os.environ.get("EXECPOLICY_SESSION"),
        profile=chosen,
        timeout=timeout,
        audit=audit,
        reviewer=TerminalReviewer(can_save=can_save)
        if ask == "terminal"
        else InboxReviewer(source="run", can_save=can_save),
        ruleset=ruleset,
        kept=() if permissions is None else (os.path.abspath(permissions), os.path.realpath(permissions)),
    )
    return asyncio.run(run.run_to_the_end())
