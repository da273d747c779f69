"""Options that the commands about layers share."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from execpolicy.cli.argument_types import FILE, FOLDER
from execpolicy.cli.check_options import GRANTS
from execpolicy.layers.layer_options import LayerOptions

if TYPE_CHECKING:
    from execpolicy.layers.layer_options import Mode

_F = TypeVar("_F", bound=Callable[..., Any])

FORMAT = click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print the answer.",
)

RULES = click.option(
    "-r",
    "--rules",
    multiple=True,
    type=FILE,
    help="Use exactly these rule files above the built-in layer (repeatable). Without it, all layers are used.",
)

GRANTS_OPTION = click.option(
    "--grants",
    type=click.Choice(GRANTS),
    help="Which grounds an allow may rest on; settings can only narrow it.",
)

RULE_FILE = click.option(
    "--file",
    "path",
    type=click.Path(dir_okay=False, resolve_path=False),
    callback=lambda _context, _parameter, path: None if path is None else os.path.abspath(path),
    metavar="FILE",
    help="The rule file (default: the user's default.rules).",
)


def layer_options(function: _F) -> _F:
    """Add ``--cwd``, ``--config-profile``, ``--ignore-rules``, ``--strict``, ``--lenient`` and ``--grants``."""
    for option in (
        GRANTS_OPTION,
        click.option(
            "--lenient", "mode", flag_value="codex", help="As Codex: a broken rule file drops all rule files."
        ),
        click.option("--strict", "mode", flag_value="strict", help="Any problem in a rule file is an error."),
        click.option("--ignore-rules", is_flag=True, help="Leave out rule files of user and project."),
        click.option(
            "--config-profile", metavar="NAME", help="The profile of Codex's config.toml (it can hold trust)."
        ),
        click.option("--cwd", type=FOLDER, help="The working folder, for project layers (default: here)."),
    ):
        function = option(function)
    return function


def options_of(
    *,
    cwd: str | None,
    config_profile: str | None,
    ignore_rules: bool,
    mode: Literal["strict", "codex"] | None,
    files: tuple[str, ...] = (),
    grants: str | None = None,
) -> LayerOptions:
    """What those options say."""
    chosen: Mode = mode or "isolated"
    return LayerOptions.of_process(
        cwd=cwd, profile=config_profile, ignore_rules=ignore_rules, mode=chosen, files=files or None, grants=grants
    )
