"""``execpolicy install``: put the hook in front of agents."""

from __future__ import annotations

import sys

import click

from execpolicy.cli.argument_types import choice
from execpolicy.cli.output import OK, PROBLEM
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.gate.codex_trust import CodexServer
from execpolicy.gate.installing import SCOPES, Scope, Site, found_agents, plan_install, program_of
from execpolicy.hooks.agents import AGENTS, Agent
from execpolicy.layers.hook_setting import hook_setting_of_process

SCOPE = choice(
    "--scope", SCOPES, "Whose settings: yours, those of the machine, or those of the project in the working folder."
)


def chosen_agents(site: Site, names: tuple[str, ...], everything: bool, scope: Scope) -> list[Agent]:
    """The agents that the command line names; with ``everything``, those that have settings for ``scope``.

    Raises:
        UsageError: names and ``everything`` are both given or both missing, or no agent is found.
    """
    if everything == bool(names):
        raise UsageError("name agents, or take all that are found here with --all")
    if names:
        return [AGENTS[name] for name in dict.fromkeys(names)]
    found = [agent for agent in found_agents(site) if site.has_settings(agent, scope)]
    if not found:
        raise UsageError(f"no agent is found on this machine: name one of {', '.join(AGENTS)}")
    return found


@click.command(name="install")
@click.argument("names", nargs=-1, type=click.Choice(list(AGENTS)), metavar="AGENT...")
@click.option("--all", "everything", is_flag=True, help="All agents that are found on this machine.")
@SCOPE
@click.option(
    "--on-prompt",
    type=click.Choice(["ask", "deny", "inbox"]),
    help="What becomes of a command that needs a person: ask, deny, inbox (the page of `execpolicy ui`).",
)
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
@click.option("--print-command", is_flag=True, help="Print the command that the agent would start, and write nothing.")
def command(
    names: tuple[str, ...], everything: bool, scope: Scope, on_prompt: str | None, dry_run: bool, print_command: bool
) -> int:
    """Put `execpolicy hook` in front of every tool of an agent, and show what that changes.

    All else in a settings file stays as it is, and `execpolicy uninstall` brings back what was there. A file that is
    broken is left alone. Settings of the machine are those that a project cannot switch off.

    \b
    Examples:
      $ execpolicy install claude
      $ execpolicy install --all --dry-run
      $ sudo execpolicy install claude codex --scope machine
    """
    site = Site.of_process()
    options = () if on_prompt is None else ("--on-prompt", on_prompt)
    status = OK
    for agent in chosen_agents(site, names, everything, scope):
        if on_prompt == "inbox" and not agent.place.waits:
            click.echo(
                f"error: {agent.title} cannot be told to wait for a person: leave out --on-prompt inbox", err=True
            )
            status = PROBLEM
            continue
        if print_command:
            program = site.program(agent, scope, options)
            click.echo(program.script if agent.place.form in ("script", "delegate") else program.shell)
            continue
        try:
            _install(site, agent, scope, options, dry_run)
        except ExecPolicyError as error:
            click.echo(f"error: {error}", err=True)
            status = PROBLEM
    if status == OK and not (dry_run or print_command):
        click.echo(
            "In the folder of a project, `execpolicy init` proposes what may run unasked, and forbids disasters."
        )
    return status


def _install(site: Site, agent: Agent, scope: Scope, options: tuple[str, ...], dry_run: bool) -> None:
    change = plan_install(site, agent, scope, options)
    changed = change.changed()
    click.echo(change.diff(), nl=False)
    if not changed:
        click.echo(f"{agent.title}: nothing to change in {site.settings_file(agent, scope)}")
    elif dry_run:
        click.echo(f"{agent.title}: nothing was written (--dry-run)")
    else:
        change.install()
        if not {"deny", "inbox"}.intersection(options):
            click.echo(f"{agent.title}: {agent.unknown_prompts(hook_setting_of_process().unknown)}")
        click.echo(f"{agent.title}: wrote {' and '.join(changed)}")
        for path in changed:
            kept = change.keeping.find(path)
            if kept is not None and kept.before is not None:
                click.echo(f"{agent.title}: the former content is kept in {change.keeping.backup(path)}")
    for note in change.notes:
        click.echo(f"{agent.title}: {note}")
    if agent.name == "codex" and scope != "machine" and not dry_run:
        _trust(site, agent)


def _trust(site: Site, agent: Agent) -> None:
    """Make Codex trust the hook that was written."""
    codex = program_of(site, agent)
    if codex is None:
        click.echo(
            "Codex: it is not installed here, and runs a hook only when it trusts it: run this again when it is, "
            "or trust the hook in its `/hooks` screen"
        )
        return
    with CodexServer(codex, site.cwd, site.environ) as server:
        if server.trust():
            click.echo("Codex: it trusts the hook now")
        elif not server.ours():
            sys.stdout.flush()
            raise ExecPolicyError("Codex does not see its hook: in a project, it has to trust the project first")
