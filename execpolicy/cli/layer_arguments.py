"""Options that commands share. They are declared once, in the usage text of ``check``, and click reads them there."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from execpolicy.cli.argument_types import FILE, FOLDER, SHELL, choice
from execpolicy.cli.check_options import GRANTS
from execpolicy.cli.group import options_in
from execpolicy.cli.judgement import no_folder
from execpolicy.cli.rule_options import MODES, layers_of, usage_of
from execpolicy.codex import PROFILES

_F = TypeVar("_F", bound=Callable[..., Any])
_DECLARED = {option.names[-1]: option for option in options_in(usage_of("check"))}


def shared(name: str, *destination: str, **how: Any) -> Callable[[_F], _F]:
    """The option ``name`` of ``check`` for click, with the same spellings and help.

    Args:
        how: further arguments for click, such as ``type``.
    """
    declared = _DECLARED[name]
    help = declared.help[:1].upper() + declared.help[1:].rstrip(";") + "."
    return click.option(*declared.names, *destination, help=help, **how)


FORMAT = choice("--format", ("text", "json"), "How to print the answer.", destination="output")
REPORT = choice(
    "--format", ("text", "json", "html"), "How to print the answer; html is a file of its own.", destination="output"
)
RULES = shared("--rules", multiple=True, type=FILE)
PERMISSIONS = shared("--permissions", type=FILE)
GRANTS_OPTION = shared("--grants", type=click.Choice(GRANTS))
SCRIPT = click.option("--script", metavar="TEXT", help="A shell script instead of an argv.")
SHELL_OPTION = click.option(
    "--shell", type=SHELL, default="bash", show_default=True, help="The shell that reads the script."
)
SCRIPT_FILE = click.option(
    "--file", type=FILE, help="The shell script in FILE; `-` instead of a command reads standard input."
)
SCRIPTS_SHELL = shared("--shell", type=SHELL)
CWD = shared("--cwd", type=FOLDER)
PROFILE = shared("--profile", type=click.Choice(PROFILES), default="default", show_default=True)
RULE_FILE = click.option(
    "--file",
    "path",
    type=click.Path(dir_okay=False, resolve_path=False),
    callback=lambda _context, _parameter, path: None if path is None else os.path.abspath(path),
    metavar="FILE",
    help="The rule file, instead of default.rules.",
)


def layer_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options that choose the layers; the command receives their values, and ``rules``, as ``layers``.

    Raises:
        UsageError: ``--cwd`` is no folder.
    """

    @wraps(function)
    def call(cwd: str | None, **given: Any) -> int:
        if cwd is not None and not os.path.isdir(cwd):
            raise no_folder(cwd)
        names = ("rules", "mode", "ignore_rules", "grants", "config_profile")
        layers = layers_of(cwd, **{name: given.pop(name) for name in names if name in given})
        return function(layers=layers, **given)

    for option in (
        GRANTS_OPTION,
        *[shared(name, "mode", flag_value=mode) for name, mode in reversed(MODES.items())],
        shared("--ignore-rules", is_flag=True),
        shared("--config-profile", metavar="NAME"),
        CWD,
    ):
        call = option(call)
    return call
