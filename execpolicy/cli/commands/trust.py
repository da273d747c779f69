"""``execpolicy trust``: lets the rules of a project allow commands."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from typing import Any

import click

from execpolicy.cli.argument_types import FOLDER
from execpolicy.cli.output import OK, PROBLEM
from execpolicy.cli.rule_targets import rewrite, rewrite_settings
from execpolicy.core.decision import Decision
from execpolicy.core.rules import PrefixRule
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import RuleStoreError, UsageError
from execpolicy.lang.render import render
from execpolicy.layers.discover import discover, is_project
from execpolicy.layers.folders import ancestors
from execpolicy.layers.layer import Layer
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.layers.trust import TrustedFolders, record_path
from execpolicy.safe_open import out_of_reach

_MOST_SHOWN = 20


@click.command(name="trust")
@click.option("--revoke", is_flag=True, help="Take the trust away: the rules of the project may only tighten.")
@click.option("--yes", is_flag=True, help="Change it without asking; needed where there is no terminal.")
@click.argument("folder", required=False, type=FOLDER, metavar="[DIR]")
def command(revoke: bool, yes: bool, folder: str | None) -> int:
    """Let the rules in DIR/.codex/rules allow commands, not only ask and forbid.

    DIR is the project of the working folder if it is not given. Trust is kept in Codex's config.toml, where Codex finds
    it, too: it then also reads settings and hooks of the project. Shows first which rules would count, and asks.

    \b
    Examples:
      $ execpolicy trust
      $ execpolicy trust ~/shop/
      $ execpolicy trust --revoke ~/shop
    """
    project = project_of(folder, LayerOptions.of_process().codex_home)
    options = LayerOptions.of_process(cwd=project)
    if options.codex_home is None:
        raise UsageError("there is no home folder, so no config.toml that could hold the trust: set CODEX_HOME")
    path = os.path.join(options.codex_home, "config.toml")
    if not yes and not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask on: pass --yes to change it without asking")
    if not revoke:
        show_rules(options, project)
    if not yes and not click.confirm(f"{'stop trusting' if revoke else 'trust'} {visible(project)}?"):
        click.echo("nothing was changed")
        return PROBLEM
    set_trust(options, path, project, trusted=not revoke)
    if _is_trusted(options, project) is revoke:
        click.echo(f"{path} was changed, but another setting overrides it: see `execpolicy list`", err=True)
        return PROBLEM
    click.echo(f"{visible(project)} is {'not ' if revoke else ''}trusted now ({path})")
    return OK


def show_rules(options: LayerOptions, project: str) -> None:
    """Print the rules of ``project`` that trust lets allow commands."""
    rules = allowing_rules(options, project)
    click.echo(f"rules of {visible(project)} that {'count' if _is_trusted(options, project) else 'would count'}:")
    for rule in rules[:_MOST_SHOWN]:
        click.echo(f"  {visible(rule)}")
    if len(rules) > _MOST_SHOWN:
        click.echo(f"  and {len(rules) - _MOST_SHOWN} more")
    elif not rules:
        click.echo("  none: it has no allow rule")


def set_trust(options: LayerOptions, path: str, project: str, *, trusted: bool) -> None:
    """Write the trust of ``project`` to ``path``, Codex's ``config.toml``.

    Raises:
        RuleStoreError: the file cannot be changed.
    """
    level = "trusted" if trusted else "untrusted"
    rewrite_settings(path, lambda text: with_trust(text, project, level, path=path))
    if trusted:
        _means_this_folder(record_path(options.own_home), project)


def project_of(folder: str | None, codex_home: str | None) -> str:
    """The project folder that the argument names."""
    if folder is None:
        here = os.path.realpath(os.getcwd())
        for above in ancestors(here):
            if os.path.exists(os.path.join(above, ".git")) or is_project(above, codex_home):
                return above
        return here
    path = os.path.realpath(os.path.expanduser(folder))
    if not os.path.isdir(path):
        reason = out_of_reach(path)
        raise UsageError(f"cannot look at `{folder}`: {reason}" if reason else f"`{folder}` is not a folder")
    return path


def allowing_rules(options: LayerOptions, project: str) -> list[str]:
    """The allow rules of the project, in their source text."""
    return [
        f"{render(found.statement)}  # {found.statement.place}"
        for found in load_layers(options).rules
        if _is_of(found.layer, project)
        and isinstance(found.statement, PrefixRule)
        and found.statement.decision is Decision.ALLOW
    ]


def _is_trusted(options: LayerOptions, project: str) -> bool | None:
    """True if the rules of the project may allow; ``None`` if it has none."""
    return next((layer.trusted for layer in discover(options)[0] if _is_of(layer, project)), None)


def _is_of(layer: Layer, project: str) -> bool:
    folder = os.path.join(project, ".codex", "rules")
    return layer.name == "project" and os.path.realpath(layer.folder or "") == os.path.realpath(folder)


def _means_this_folder(record: str | None, project: str) -> None:
    """Record the folder that the path names now, in place of earlier records of the path."""
    if record is not None and os.path.exists(record):
        rewrite(
            record,
            lambda text: "".join(
                [line for line in text.splitlines(keepends=True) if line.rstrip("\n").partition(" ")[2] != project]
            ),
        )
    TrustedFolders(record).record(project)


_HEADER = re.compile(r"^[ \t]*\[[^\[\r\n][^\r\n]*\][^\r\n]*(?=\r?$)|^[ \t]*\[\[[^\r\n]*(?=\r?$)", re.MULTILINE)
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def with_trust(text: str, project: str, level: str, *, path: str) -> str:
    """``text`` with ``projects.PROJECT.trust_level = LEVEL``; see :func:`with_workspace`."""
    return _with_entry(text, "projects", project, "trust_level", level, path)


def with_workspace(text: str, folder: str, word: str, *, path: str) -> str:
    """``text`` with ``workspaces.FOLDER.setting = WORD``.

    Args:
        path: the name of the file in messages.

    Raises:
        RuleStoreError: the text is not TOML, or the form of its table needs other changes too.
    """
    return _with_entry(text, "workspaces", folder, "setting", word, path)


def _with_entry(text: str, table: str, folder: str, key: str, word: str, path: str) -> str:
    before = _table(text, path)
    entries = before.get(table, {})
    entry = entries.get(folder, {}) if isinstance(entries, dict) else None
    if isinstance(entry, dict) and entry.get(key) == word:
        return text
    after = _edited(text, table, folder, key, word)
    try:
        ends_well = isinstance(entry, dict) and tomllib.loads(after) == {
            **before,
            table: {**entries, folder: {**entry, key: word}},
        }
    except tomllib.TOMLDecodeError:
        ends_well = False
    if not ends_well:
        line = f'{key} = "{word}" for {_quoted(folder)} under `{table}`'
        raise RuleStoreError(f"{path} writes its {table} in a way that is not changed here: put {line} by hand")
    return after


def _edited(text: str, table: str, folder: str, key: str, word: str) -> str:
    known = re.compile(rf"""^([ \t]*["']?{key}["']?[ \t]*=[ \t]*)("[^"\r\n]*"|'[^'\r\n]*')""", re.MULTILINE)
    newline = "\r\n" if "\r\n" in text else "\n"
    headers = list(_HEADER.finditer(text))
    for at, header in enumerate(headers):
        if not _opens(header.group(), table, folder):
            continue
        end = headers[at + 1].start() if at + 1 < len(headers) else len(text)
        found = known.search(text, header.end(), end)
        if found is not None:
            return f'{text[: found.start(2)]}"{word}"{text[found.end(2) :]}'
        return f'{text[: header.end()]}{newline}{key} = "{word}"{text[header.end() :]}'
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f'{text}{gap}[{table}.{_quoted(folder)}]{newline}{key} = "{word}"{newline}'


def _opens(header: str, table: str, folder: str) -> bool:
    """True if the line opens the table of ``folder`` in ``table``."""
    try:
        found = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return False
    return found == {table: {folder: {}}}


def _table(text: str, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RuleStoreError(f"failed to parse {path}: {error}; repair it first") from None


def _quoted(text: str) -> str:
    """``text`` as a TOML basic string."""
    shown = [_SHORT.get(char) or (char if char.isprintable() else f"\\U{ord(char):08X}") for char in text]
    return f'"{"".join(shown)}"'
