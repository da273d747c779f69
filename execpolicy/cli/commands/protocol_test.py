"""``execpolicy protocol-test``: checks that a program follows the policy protocol."""

from __future__ import annotations

import json

import click

from execpolicy.cli.argument_types import COMMAND_WORD, choice
from execpolicy.cli.output import PROBLEM
from execpolicy.errors import UsageError
from execpolicy.protocol.conformance import RULES, PeerReport, try_peer

_WORDS = {True: "holds", False: "BROKEN", None: "-"}


@click.command(name="protocol-test", context_settings={"allow_interspersed_args": False})
@click.option("--host", is_flag=True, help="The program is a host that starts `execpolicy serve`, not an agent.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    type=click.Choice([rule.name for rule in RULES]),
    metavar="NAME",
    help="Only this rule (repeatable).",
)
@click.option(
    "--within",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long each step may take.",
)
@choice("--format", ("text", "json"), "How to report.", destination="form")
@click.argument("child", nargs=-1, required=True, type=COMMAND_WORD, metavar="[--] CHILD...")
def command(host: bool, rules: tuple[str, ...], within: float, form: str, child: tuple[str, ...]) -> int:
    """Run CHILD (an agent) once for each rule of the protocol, and report which it keeps.

    CHILD is to ask for one shell command and to run it if that is allowed: `touch FILE` follows its arguments, or
    FILE in the place of `{marker}`. A host finds the policy in place of `execpolicy` in PATH, and in $EXECPOLICY.

    The exit status is 0 if every rule holds, else 1.

    \b
    Example:
      $ execpolicy protocol-test -- python docs/protocol/examples/child.py
    """
    reports: list[PeerReport] = []
    try:
        for report in try_peer(child, "host" if host else "child", within=within, names=rules):
            reports.append(report)
            if form == "text":
                detail = f": {report.detail}" if report.detail else ""
                click.echo(f"{_WORDS[report.holds]:<7} {report.rule.name:<9} {report.rule.says}{detail}")
    except OSError as error:
        raise UsageError(f"cannot run `{child[0]}`: {error.strerror or error}") from None
    broken = sum(report.holds is False for report in reports)
    if form == "json":
        body = {"ok": broken == 0, "rules": [report.to_json() for report in reports]}
        click.echo(json.dumps(body, indent=2))
    else:
        click.echo(f"{broken} of {len(reports)} rules are broken" if broken else f"all {len(reports)} rules hold")
    return PROBLEM if broken else 0
