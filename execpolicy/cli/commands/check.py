"""``execpolicy check`` as click sees it; the work and the arguments are those of :mod:`execpolicy.cli.check`."""

from __future__ import annotations

import sys

import click

from execpolicy.cli.check import run_check


@click.command(
    name="check",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": []},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Decide whether a command may run."""
    return run_check(arguments, sys.stdin, sys.stdout, sys.stderr)
