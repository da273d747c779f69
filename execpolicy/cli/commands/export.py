"""``execpolicy export``: the effective rules in an agent's format."""

from __future__ import annotations

import sys

import click

from execpolicy.cli.layer_arguments import FORMAT, RULES, layer_options
from execpolicy.cli.loading import report_problems
from execpolicy.cli.output import OK, PROBLEM, dumps, write_line
from execpolicy.exchange.agent_formats import AGENTS
from execpolicy.exchange.tool_entry import report
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers


@click.command(name="export")
@click.option("--to", "agent", type=click.Choice(list(AGENTS)), required=True, help="The agent whose format to write.")
@RULES
@layer_options
@FORMAT
def command(agent: str, layers: LayerOptions, output: str) -> int:
    """Write the rules in force in the format of an agent, and say what gets lost.

    The settings go to standard output, the report on every rule to standard error. What a rule forbids is found by an
    agent in one spelling out of many, so what is exported never replaces the hook.

    \b
    Example:
      $ execpolicy export --to claude -r rules/git.rules
    """
    loaded = load_layers(layers)
    report_problems(loaded, sys.stderr)
    in_force = [rule.statement for rule in loaded.rules if rule.inert is None and rule.layer.name != "built-in"]
    exported = AGENTS[agent].write(in_force)
    if output == "json":
        entries = [{"place": x.place, "text": x.text, "level": x.level, "why": x.why} for x in exported.losses]
        write_line(sys.stdout, dumps({"agent": agent, "settings": exported.text, "rules": entries}, pretty=True))
    else:
        click.echo(exported.text, nl=False)
        click.echo(report(exported.losses, of="rules"), err=True, nl=False)
    return PROBLEM if loaded.errors() else OK
