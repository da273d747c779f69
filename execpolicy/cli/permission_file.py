"""``--permissions FILE``: permission rules, as `run`, `arbiter` and `serve` take them."""

from __future__ import annotations

import json

import click

from execpolicy.cli.argument_types import FILE
from execpolicy.errors import InvalidRuleError, UsageError
from execpolicy.named_files import read_named
from execpolicy.permissions.ruleset import Ruleset, permission_section, ruleset_from_config

PERMISSIONS = click.option(
    "--permissions",
    type=FILE,
    help="JSON file with permission rules for tools (a `permission` section, or the section alone).",
)


def read_permissions(path: str | None, home: str | None) -> Ruleset:
    """The rules in the file at ``path``; none without one.

    Raises:
        UsageError: it cannot be read, or holds something else.
    """
    if path is None:
        return ()
    try:
        config = json.loads(read_named(path, pipes=True).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"cannot read the permissions in `{path}`: {error}") from None
    try:
        return ruleset_from_config(permission_section(config), home=home)
    except InvalidRuleError as error:
        raise UsageError(f"`{path}`: {error}" + (f" ({error.help})" if error.help else "")) from None
