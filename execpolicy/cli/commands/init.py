"""``execpolicy init``: write starter rules."""

from __future__ import annotations

import os
import sys

import click

from execpolicy.cli.argument_types import FOLDER
from execpolicy.cli.judgement import situation_at
from execpolicy.cli.loading import load_rulebook
from execpolicy.cli.output import OK, PROBLEM
from execpolicy.errors import UsageError
from execpolicy.insight.starters import Starter, decisions, starters, write_starter
from execpolicy.layers.layer_options import LayerOptions


def _complete_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [starter.name for starter in starters() if starter.name.startswith(incomplete)]


@click.command(name="init")
@click.option("--to", "folder", type=FOLDER, help="The rules folder (default: the user's, ~/.codex/rules).")
@click.option("--project", is_flag=True, help="Use the .codex/rules folder of the working folder.")
@click.option(
    "--with",
    "names",
    multiple=True,
    metavar="NAME",
    help="A starter file (repeatable). Without it, asks on the terminal.",
    shell_complete=_complete_names,
)
@click.option("--all", "everything", is_flag=True, help="All starter files.")
@click.option("--list", "only_list", is_flag=True, help="List the starter files and what they decide.")
def command(folder: str | None, project: bool, names: tuple[str, ...], everything: bool, only_list: bool) -> int:
    """Write starter rules and show what they decide. A file that exists is left alone.

    The starter files use nothing but the language of the Codex CLI, so it reads them as well.

    \b
    Examples:
      $ execpolicy init --list
      $ execpolicy init --with git --with files --project
    """
    known = {starter.name: starter for starter in starters()}
    for name in names:
        if name not in known:
            raise UsageError(f"no starter file `{name}`: there are {', '.join(known)}")
    if only_list:
        chosen = list(known.values())
    else:
        chosen = list(known.values()) if everything else [known[name] for name in names] or _asked(list(known.values()))
    target = _target(folder, project)
    situation = situation_at(None)
    base = load_rulebook(sys.stderr, texts=(), cwd=situation.cwd)
    status = OK
    for starter in chosen:
        if only_list:
            click.echo(f"{starter.name}: {starter.title}")
        elif not _write(starter, target):
            status = PROBLEM
        for sample, decision in decisions(starter, base, situation):
            click.echo(f"    {decision:<9}  {sample}")
    if not chosen:
        click.echo("nothing chosen: name files with --with NAME or take --all", err=True)
        return PROBLEM
    return status


def _target(folder: str | None, project: bool) -> str:
    if folder is not None and project:
        raise UsageError("--to and --project name two folders: give one")
    if project:
        return os.path.join(os.getcwd(), ".codex", "rules")
    if folder is not None:
        return folder
    home = LayerOptions.of_process().codex_home
    if home is None:
        raise UsageError("there is no home folder: name the rules folder with --to")
    return os.path.join(home, "rules")


def _asked(known: list[Starter]) -> list[Starter]:
    if not sys.stdin.isatty():
        return []
    return [starter for starter in known if click.confirm(f"{starter.name}: {starter.title} Write it?", default=True)]


def _write(starter: Starter, folder: str) -> bool:
    path = os.path.join(folder, starter.file_name)
    try:
        written = write_starter(starter, folder)
    except OSError as error:
        click.echo(f"error: cannot write `{path}`: {error.strerror}", err=True)
        return False
    click.echo(f"wrote {path}" if written else f"left alone, it exists: {path}")
    return True
