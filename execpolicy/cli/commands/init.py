"""``execpolicy init``: write starter rules and packs, and remove packs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from execpolicy.cli.argument_types import FOLDER
from execpolicy.cli.judgement import situation_at
from execpolicy.cli.loading import load_rulebook
from execpolicy.cli.output import OK, PROBLEM
from execpolicy.cli.rule_options import layers_of
from execpolicy.errors import UsageError
from execpolicy.insight.starters import Starter, decisions, packs, remove_starter, starters, write_starter
from execpolicy.judge.situation import Situation
from execpolicy.layers.layer_options import LayerOptions


def _complete_packs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [pack.name for pack in packs() if pack.name.startswith(incomplete)]


@click.command(name="init")
@click.option("--to", "folder", type=FOLDER, help="The rules folder (default: the user's, ~/.codex/rules).")
@click.option("--project", is_flag=True, help="Use the .codex/rules folder of the working folder.")
@click.option(
    "--with",
    "names",
    multiple=True,
    metavar="NAME",
    help="A starter file (repeatable). Without it, asks on the terminal.",
    shell_complete=lambda ctx, param, incomplete: [x.name for x in starters() if x.name.startswith(incomplete)],
)
@click.option(
    "--pack",
    "pack_names",
    multiple=True,
    metavar="PACK",
    help="A pack: what a project that is trusted may run (repeatable, or with commas between). Goes into our own rules "
    "folder, ~/.config/execpolicy/rules.",
    shell_complete=_complete_packs,
)
@click.option(
    "--remove",
    "removed_names",
    multiple=True,
    metavar="PACK",
    help="Remove a pack again (repeatable), if its file is unchanged.",
    shell_complete=_complete_packs,
)
@click.option("--even-changed", is_flag=True, help="With --remove: also a file that was changed.")
@click.option("--all", "everything", is_flag=True, help="All starter files.")
@click.option("--list", "only_list", is_flag=True, help="List the starter files and packs and what they decide.")
def command(
    folder: str | None,
    project: bool,
    names: tuple[str, ...],
    pack_names: tuple[str, ...],
    removed_names: tuple[str, ...],
    even_changed: bool,
    everything: bool,
    only_list: bool,
) -> int:
    """Write starter rules and show what they decide. A file that exists is left alone.

    The starter files use nothing but the language of the Codex CLI, so it reads them as well. Packs do not.

    \b
    Examples:
      $ execpolicy init --list
      $ execpolicy init --with git --with files --project
      $ execpolicy init --pack python,node
      $ execpolicy init --remove node
    """
    known = starters()
    chosen = _named(names, known, "starter file")
    wanted = _named(pack_names, packs(), "pack")
    unwanted = _named(removed_names, packs(), "pack")
    if only_list:
        return _show((*known, *packs()), None)
    if unwanted:
        return _remove(unwanted, _pack_folder(folder, project), even_changed=even_changed)
    if not wanted:
        chosen = list(known) if everything else chosen or _asked(list(known))
    if not chosen and not wanted:
        click.echo("nothing chosen: name files with --with NAME or --pack PACK, or take --all", err=True)
        return PROBLEM
    status = _show(wanted, _pack_folder(folder, project)) if wanted else OK
    return max(status, _show(chosen, _starter_folder(folder, project))) if chosen else status


def _named(names: tuple[str, ...], known: tuple[Starter, ...], kind: str) -> list[Starter]:
    by_name = {starter.name: starter for starter in known}
    given = list(dict.fromkeys(name for written in names for name in written.split(",")))
    for name in given:
        if name not in by_name:
            raise UsageError(f"no {kind} `{name}`: there are {', '.join(by_name)}")
    return [by_name[name] for name in given]


def _show(chosen: Sequence[Starter], target: str | None) -> int:
    """Write the chosen starters, or list them without a ``target``, and print their decisions."""
    here = situation_at(None)
    base = load_rulebook(layers_of(here.cwd, texts=()), sys.stderr)
    situation = Situation(f"{here.cwd}/project", home=here.home)  # decisions as in a project, also from home
    status = OK
    for starter in chosen:
        if target is None:
            click.echo(f"{starter.name}{' (pack)' if starter.prefix else ''}: {starter.title}")
        elif not _write(starter, target):
            status = PROBLEM
        for sample, decision in decisions(starter, base, situation):
            click.echo(f"    {decision:<9}  {sample}")
    return status


def _remove(unwanted: Sequence[Starter], folder: str, *, even_changed: bool) -> int:
    status = OK
    for pack in unwanted:
        path = os.path.join(folder, pack.file_name)
        try:
            removed = remove_starter(pack, folder, even_changed=even_changed)
        except OSError as error:
            click.echo(f"error: cannot remove `{path}`: {error.strerror}", err=True)
            status = PROBLEM
            continue
        click.echo(f"removed {path}" if removed else f"left alone, it was changed (--even-changed removes it): {path}")
        status = status if removed else PROBLEM
    return status


def _pack_folder(folder: str | None, project: bool) -> str:
    if project:
        raise UsageError("packs are for a person, not for a project: leave --project away, or name a folder with --to")
    return folder or _rules_below(LayerOptions.of_process().own_home)


def _starter_folder(folder: str | None, project: bool) -> str:
    if folder is not None and project:
        raise UsageError("--to and --project name two folders: give one")
    return folder or _rules_below(os.path.abspath(".codex") if project else LayerOptions.of_process().codex_home)


def _rules_below(home: str | None) -> str:
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
