"""``execpolicy uninstall``: removes the hook from agents."""

from __future__ import annotations

import click

from execpolicy.cli.commands.install import SCOPE, chosen_agents
from execpolicy.cli.output import OK, PROBLEM
from execpolicy.errors import ExecPolicyError
from execpolicy.gate.installing import Scope, Site, plan_uninstall
from execpolicy.hooks.agents import AGENTS


@click.command(name="uninstall")
@click.argument("names", nargs=-1, type=click.Choice(list(AGENTS)), metavar="AGENT...")
@click.option("--all", "everything", is_flag=True, help="All agents that are found on this machine.")
@SCOPE
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
def command(names: tuple[str, ...], everything: bool, scope: Scope, dry_run: bool) -> int:
    """Take `execpolicy hook` away from an agent again, and show what that changes.

    A settings file that is unchanged since `install` gets back what was in it, byte for byte; from any other, our
    entries are taken out and everything else stays.

    \b
    Examples:
      $ execpolicy uninstall claude
      $ execpolicy uninstall --all --dry-run
    """
    site = Site.of_process()
    status = OK
    for agent in chosen_agents(site, names, everything, scope):
        try:
            change = plan_uninstall(site, agent, scope)
            changed = change.changed()
            click.echo(change.diff(), nl=False)
            if not dry_run:
                change.uninstall()  # also if a killed install left only its notes
        except ExecPolicyError as error:
            click.echo(f"error: {error}", err=True)
            status = PROBLEM
            continue
        if not changed:
            click.echo(f"{agent.title}: there is no hook of ours in {site.settings_file(agent, scope)}")
        elif dry_run:
            click.echo(f"{agent.title}: nothing was written (--dry-run)")
        else:
            click.echo(f"{agent.title}: took the hook out of {' and '.join(changed)}")
    return status
