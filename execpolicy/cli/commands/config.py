"""``execpolicy config``: the effective settings and the source of each."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import click
from click.shell_completion import CompletionItem

import execpolicy
from execpolicy.cli import suspicious_args
from execpolicy.cli.judgement import situation_at
from execpolicy.cli.layer_arguments import CWD, FORMAT
from execpolicy.cli.output import OK, dumps, write_line
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import UsageError
from execpolicy.layers.hook_setting import hook_setting_of_process
from execpolicy.layers.layer_options import SYSTEM_FOLDER, LayerOptions, cache_folder, own_home_of, settings_files
from execpolicy.layers.settings_file import settings_in
from execpolicy.lint.config import find_settings, settings_table

_DEFAULT = "default"
_ENDING = ".schema.json"


def schemas_folder() -> str:
    """The folder of the JSON schemas of the outputs and of the settings."""
    return os.path.join(os.path.dirname(execpolicy.__file__), "schemas")


class ShownSetting(NamedTuple):
    """An effective setting.

    Attributes:
        source: a file, an environment variable, or ``default``.
    """

    name: str
    value: object
    source: str


@click.group(name="config")
def command() -> None:
    """Show the settings in force, and where each of them comes from.

    Settings stand in execpolicy.toml: those for decisions in /etc/execpolicy and ~/.config/execpolicy, those for lint
    in a project (or in its pyproject.toml).

    \b
    Examples:
      $ execpolicy config show
      $ execpolicy config schema > execpolicy.toml.schema.json
    """


@command.command(name="show")
@CWD
@FORMAT
def show(cwd: str | None, output: str) -> int:
    """Show every setting with its value and its source.

    \b
    Example:
      $ execpolicy config show --format json | jq '.[] | select(.source != "default")'
    """
    found = list(_settings(os.environ, situation_at(cwd).cwd))
    if output == "json":
        write_line(sys.stdout, dumps([each._asdict() for each in found], pretty=True))
        return OK
    values = [dumps(each.value) if not isinstance(each.value, str) else each.value for each in found]
    names, shown = max(len(each.name) for each in found), min(max(map(len, values)), 40)
    for each, value in zip(found, values, strict=True):
        write_line(sys.stdout, visible(f"{each.name:<{names}}  {value:<{shown}}  {each.source}").rstrip())
    return OK


def _schema_names() -> list[str]:
    return sorted([each.removesuffix(_ENDING) for each in os.listdir(schemas_folder()) if each.endswith(_ENDING)])


def _complete_name(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in (*_schema_names(), "names") if name.startswith(incomplete)]


@command.command(name="schema")
@click.argument("name", default="execpolicy.toml", shell_complete=_complete_name)
def schema(name: str) -> int:
    """Print the JSON schema of execpolicy.toml, by which editors complete and check it.

    NAME is an output that has one, such as `check`; `names` prints them all.

    \b
    Examples:
      $ execpolicy config schema > execpolicy.toml.schema.json
      $ execpolicy config schema check
    """
    names = _schema_names()
    if name == "names":
        click.echo("\n".join(names))
        return OK
    if name not in names:
        near = suspicious_args.did_you_mean(name, names) or ": `names` lists those that there are"
        raise UsageError(f"there is no schema `{name}`{near}")
    with open(os.path.join(schemas_folder(), name + _ENDING), encoding="utf-8") as file:
        click.echo(file.read(), nl=False)
    return OK


def _settings(environ: Mapping[str, str], cwd: str) -> Iterator[ShownSetting]:
    options = LayerOptions.of_process(environ)
    home = options.home
    files = {path: settings_in(path) for path in settings_files(own_home_of(environ, home))}
    named = [("EXECPOLICY_GRANTS", environ.get("EXECPOLICY_GRANTS"))]
    named += [(path, table.get("grants")) for path, table in files.items()]
    source = next((where for where, word in named if word == options.grants), _DEFAULT)
    yield ShownSetting("grants", options.grants, source)
    tables = {path: sorted(table.get("workspaces", {})) for path, table in files.items() if "workspaces" in table}
    yield ShownSetting(
        "workspaces", [each for found in tables.values() for each in found], ", ".join(tables) or _DEFAULT
    )
    for key in ("shells", "ignored"):
        hooks = {path: list(table.get("hook", {}).get(key, ())) for path, table in files.items()}
        given = {path: globs for path, globs in hooks.items() if globs}
        globs = [glob for each in given.values() for glob in each]
        yield ShownSetting(f"hook.{key}", globs, ", ".join(given) or _DEFAULT)
    naming = [path for path, table in files.items() if "permissions" in table.get("hook", {})]
    setting = hook_setting_of_process()
    yield ShownSetting("hook.permissions", [*setting.permissions], ", ".join(naming) or _DEFAULT)
    deciding = [path for path, table in files.items() if table.get("hook", {}).get("unknown") == setting.unknown]
    yield ShownSetting("hook.unknown", setting.unknown, ", ".join(deciding) or _DEFAULT)
    lint = find_settings(cwd)
    path, table = settings_table(cwd) or (_DEFAULT, {})
    for key, value in lint.as_written().items():
        yield ShownSetting(f"lint.{key}", value, path if key in table else _DEFAULT)
    yield _folder("CODEX_HOME", options.codex_home, environ)
    yield _folder("EXECPOLICY_HOME", options.own_home, environ)
    yield _folder("EXECPOLICY_CACHE", cache_folder(dict(environ)), environ)
    yield ShownSetting("machine folder", SYSTEM_FOLDER, _DEFAULT)
    limits = environ.get("EXECPOLICY_LIMITS")
    yield ShownSetting("EXECPOLICY_LIMITS", limits or None, "EXECPOLICY_LIMITS" if limits else _DEFAULT)


def _folder(variable: str, value: str | None, environ: Mapping[str, str]) -> ShownSetting:
    return ShownSetting(variable, value, variable if environ.get(variable) else _DEFAULT)
