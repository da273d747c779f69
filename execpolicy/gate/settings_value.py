"""What a settings file says, for who only looks."""

from __future__ import annotations

import tomllib
from typing import Any

from execpolicy.errors import ExecPolicyError
from execpolicy.gate.settings_edit import SettingsEdit
from execpolicy.safe_open import read_named


def settings_in(path: str) -> dict[str, Any]:
    """What the file at ``path`` says; nothing if it cannot be read: its agent cannot either."""
    try:
        text = read_named(path).decode("utf-8")
        return tomllib.loads(text) if path.endswith(".toml") else SettingsEdit(path, text).value
    except (OSError, ValueError, ExecPolicyError):
        return {}


def settings_at(value: Any, keys: str) -> Any:
    """What stands at ``keys``, with a dot between them; ``None`` if nothing does."""
    for key in keys.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value
