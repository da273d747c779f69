"""``execpolicy network``: save a rule for connections to a host."""

from __future__ import annotations

import sys

import click

from execpolicy.cli.layer_arguments import FORMAT, RULE_FILE
from execpolicy.cli.output import OK, PROBLEM, dumps, write_line
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import PROTOCOLS
from execpolicy.diagnostics.render_text import visible
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager

_DECISIONS = {"allow": Decision.ALLOW, "deny": Decision.FORBIDDEN, "prompt": Decision.PROMPT}


@click.command(name="network")
@click.argument("decision", type=click.Choice(list(_DECISIONS)))
@click.argument("host")
@click.option(
    "--protocol",
    type=click.Choice(list(PROTOCOLS)),
    default="https",
    show_default=True,
    help="What is spoken with the host.",
)
@click.option("--justification", metavar="TEXT", help="The reason, shown when a command asks or is refused.")
@RULE_FILE
@FORMAT
def command(decision: str, host: str, protocol: str, justification: str | None, path: str | None, output: str) -> int:
    """Save a rule for connections to HOST in the user's default.rules.

    HOST is a name or an address, without scheme, path or wildcard. The last rule for a host counts. Exits
    with 1 if the rule is saved but not in force.

    \b
    Examples:
      $ execpolicy network allow api.github.com
      $ execpolicy network deny tracker.example.com --protocol http
    """
    manager = PolicyManager(LayerOptions.of_process())
    done = manager.amend_network(host, protocol, _DECISIONS[decision], justification, path=path)
    saved = [line for line in done.appended.text.split("\n") if line]
    if output == "json":
        body = {"path": done.appended.path, "saved": saved, "notInForce": done.not_in_force}
        write_line(sys.stdout, dumps(body))
    else:
        for line in done.appended.lines:
            word = "saved in" if line in saved else "already in"
            write_line(sys.stdout, visible(f"{word} {done.appended.path}: {line}"))
    for problem in (done.warning, done.not_in_force and f"the rule is saved, but not in force: {done.not_in_force}"):
        if problem:
            click.echo(visible(f"warning: {problem}"), err=True)
    return OK if done.not_in_force is None else PROBLEM
