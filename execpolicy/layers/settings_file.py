"""Reads ``execpolicy.toml``: settings of the machine and of the user that are not rules."""

from __future__ import annotations

import tomllib

from execpolicy.errors import UsageError, os_reason
from execpolicy.safe_open import read_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KNOWN = ("grants", "hook", "workspaces")
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
    if not isinstance(settings.get("workspaces", {}), dict):
        raise UsageError(f"{path}: `workspaces` is a table of folders; `execpolicy init --workspace on` writes it")
    return settings


def is_on(table: object, where: str) -> bool:
    """True if the ``setting`` in ``table`` is ``on``.

    Raises:
        UsageError: it is not ``on`` or ``off``.
    """
    word = table.get("setting") if isinstance(table, dict) and len(table) == 1 else None
    if word not in ("on", "off"):
        raise UsageError(f'{where} must contain one line, `setting = "on"` or `setting = "off"`')
    return bool(word == "on")


def _known_only(table: dict[str, Any], known: tuple[str, ...], path: str, what: str) -> None:
    unknown = sorted(table.keys() - {*known})
    if unknown:
        raise UsageError(f"{path}: there is no {what} `{unknown[0]}`; known are {', '.join(map('`{}`'.format, known))}")
