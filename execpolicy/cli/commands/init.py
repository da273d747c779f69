"""``execpolicy init``: set up a project, and write and remove starter rules and packs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from execpolicy.cli.argument_types import FOLDER
from execpolicy.cli.commands.trust import show_rules
from execpolicy.cli.judgement import situation_at
from execpolicy.cli.loading import load_rulebook
from execpolicy.cli.output import OK, PROBLEM
from execpolicy.cli.project_setup import WARNING, ProjectSetup
from execpolicy.cli.rule_options import layers_of
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import UsageError
from execpolicy.insight.starters import (
    Starter,
    decisions,
    packs,
    remove_starter,
    starters,
    workspace_starter,
    write_starter,
)
from execpolicy.judge.situation import Situation
from execpolicy.layers.layer_options import LayerOptions

OF_AGENTS = (
    *("CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "GEMINI_CLI", "QWEN_CODE", "CURSOR_AGENT", "OPENCODE"),
    *("CLINE_ACTIVE", "COPILOT_CLI", "AUGMENT_AGENT", "GOOSE_TERMINAL", "AI_AGENT"),
)
"""Variables that agents give to the commands that they run."""


def _for_a_person() -> None:
    """Refuses an agent that would set up its own permissions.

    Raises:
        UsageError: an agent runs this command.
    """
    found = next((name for name in OF_AGENTS if os.environ.get(name)), None)
    if found is not None:
        raise UsageError(f"an agent runs this (`{found}` is set): a person sets up the project, in a terminal")


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [each.name for each in (*starters(), *packs()) if each.name.startswith(incomplete)]


@click.command(name="init")
@click.option("--yes", is_flag=True, help="Set up the project of the working folder as proposed, without asking.")
@click.option(
    "--workspace",
    type=click.Choice(["on", "off"]),
    help="Turn the workspace setting of the project on or off: its files and local git history may be changed unasked.",
)
@click.option("--to", "folder", type=FOLDER, help="The rules folder (default: the user's, ~/.codex/rules).")
@click.option("--project", is_flag=True, help="Use the .codex/rules folder of the working folder.")
@click.option(
    "--with",
    "names",
    multiple=True,
    metavar="NAME",
    help="Write a starter file or a pack (repeatable, or with commas between).",
    shell_complete=_complete,
)
@click.option(
    "--pack",
    "pack_names",
    multiple=True,
    metavar="PACK",
    help="Write a pack: what may run unasked in every project (repeatable, or with commas between). Goes into our own "
    "rules folder, ~/.config/execpolicy/rules.",
    shell_complete=_complete,
)
@click.option(
    "--remove",
    "removed_names",
    multiple=True,
    metavar="NAME",
    help="Remove a starter file or a pack again (repeatable), if it is unchanged.",
    shell_complete=_complete,
)
@click.option("--even-changed", is_flag=True, help="With --remove: also a file that was changed.")
@click.option("--all", "everything", is_flag=True, help="All starter files.")
@click.option("--list", "only_list", is_flag=True, help="List the starter files and packs and what they decide.")
def command(
    yes: bool,
    workspace: str | None,
    folder: str | None,
    project: bool,
    names: tuple[str, ...],
    pack_names: tuple[str, ...],
    removed_names: tuple[str, ...],
    even_changed: bool,
    everything: bool,
    only_list: bool,
) -> int:
    """Set up a project, or write and remove single rule files. A file that exists is left alone.

    Without a name it proposes the workspace setting and the packs that fit the project, and asks once. Starter files
    use nothing but the language of the Codex CLI, so it reads them as well. Packs do not.

    \b
    Examples:
      $ execpolicy init
      $ execpolicy init --workspace off
      $ execpolicy init --list
      $ execpolicy init --with git,python
      $ execpolicy init --remove node
    """
    known = (*starters(), *packs())
    if only_list:
        return _show(known, None)
    if workspace != "off":
        _for_a_person()
    unwanted = _named(removed_names, known, "starter file or pack")
    wanted = _named(pack_names, packs(), "pack") + _named(names, known, "starter file or pack")
    wanted += list(starters()) if everything else []
    if workspace is None and not unwanted and not wanted:
        return _set_up(yes=yes)
    if yes:
        raise UsageError("--yes sets up what `init` proposes: leave the other options away")
    done = [_set_workspace(workspace)] if workspace is not None else []
    done += [_remove([each], _folder_of(each, folder, project), even_changed=even_changed) for each in unwanted]
    done += [_show([each], _folder_of(each, folder, project)) for each in dict.fromkeys(wanted)]
    return max(done)


def _set_up(*, yes: bool) -> int:
    """Propose the workspace setting and packs for the project of the working folder, and write what is accepted."""
    setup = ProjectSetup()
    chosen = setup.packs
    click.echo(f"{visible(setup.project)}\n  {'workspace':<10}{workspace_starter().title}")
    for pack in chosen:
        click.echo(f"  {pack.name:<10}{pack.title}")
    click.echo(WARNING)
    show_rules(setup.options, setup.project)
    if not yes and not sys.stdin.isatty():
        click.echo(
            "nothing was changed: pass --yes to set this up, or choose with --workspace, --with and --pack", err=True
        )
        return PROBLEM
    if not yes and not click.confirm("Trust this project and set this up?"):
        click.echo("nothing was changed: choose with --workspace on, --with NAME and --pack PACK")
        return PROBLEM
    setup.switch("trust", on=True)
    return max(_set_workspace("on"), _show(chosen, setup.rules_folder()))


def _set_workspace(word: str) -> int:
    setup = ProjectSetup()
    click.echo(setup.switch("workspace", on=word == "on"))
    reason = setup.why_untrusted() if word == "on" else None
    if reason is not None:
        click.echo(f"it has no effect until the project is trusted (`execpolicy trust`): {reason}", err=True)
    return OK if reason is None else PROBLEM


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


def _folder_of(each: Starter, folder: str | None, project: bool) -> str:
    """The rules folder that a starter file or a pack is written to."""
    options = LayerOptions.of_process()
    if each.prefix and project:
        raise UsageError("packs are for a person, not for a project: leave --project away, or name a folder with --to")
    if folder is not None and project:
        raise UsageError("--to and --project name two folders: give one")
    home = options.own_home if each.prefix else os.path.abspath(".codex") if project else options.codex_home
    if folder is None and home is None:
        raise UsageError("there is no home folder: name the rules folder with --to")
    return folder or os.path.join(home or "", "rules")


def _write(starter: Starter, folder: str) -> bool:
    path = os.path.join(folder, starter.file_name)
    try:
        written = write_starter(starter, folder)
    except OSError as error:
        click.echo(f"error: cannot write `{path}`: {error.strerror}", err=True)
        return False
    click.echo(f"wrote {path}" if written else f"left alone, it exists: {path}")
    return True
