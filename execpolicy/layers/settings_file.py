"""Reads ``execpolicy.toml``: settings of the machine and of the user that are not rules."""

from __future__ import annotations

import tomllib

from execpolicy.errors import UsageError, os_reason
from execpolicy.safe_open import read_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KNOWN = ("grants", "hook")
_OF_HOOK = ("shells", "ignored", "permissions", "unknown")


def settings_in(path: str) -> dict[str, Any]:
    """The settings in a file.

    Raises:
        UsageError: the file cannot be read, is not TOML, or has an unknown setting.
    """
    try:
        settings = tomllib.loads(read_named(path).decode("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot read the settings: {os_reason(error)}") from error
    except (ValueError, RecursionError) as error:  # TOML's and Unicode's own errors are ValueErrors
        raise UsageError(f"{path}: {error}") from error
    _known_only(settings, _KNOWN, path, "setting")
    hook = settings.get("hook", {})
    if not isinstance(hook, dict):
        raise UsageError(f"{path}: `hook` is a table: `[hook]` on a line of its own")
    _known_only(hook, _OF_HOOK, path, "setting of `[hook]`")
    return settings


def _known_only(table: dict[str, Any], known: tuple[str, ...], path: str, what: str) -> None:
    unknown = sorted(table.keys() - {*known})
    if unknown:
        raise UsageError(f"{path}: there is no {what} `{unknown[0]}`; known are {', '.join(map('`{}`'.format, known))}")
