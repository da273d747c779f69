"""The arguments of the ``shell`` tool, checked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from execpolicy.approvals.sandboxing import SandboxPermissions
from execpolicy.errors import UsageError

DEFAULT_TIMEOUT_MS = 10_000
_MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellArguments:
    """A call of the tool.

    Attributes:
        command: argv, at least one word.
        workdir: relative to the turn's folder, or absolute; ``None`` for that folder.
        timeout_ms: positive.
        sandbox_permissions: ``None`` if the call does not mention them.
    """

    command: tuple[str, ...]
    workdir: str | None = None
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    sandbox_permissions: SandboxPermissions | None = None
    justification: str | None = None
    prefix_rule: tuple[str, ...] = ()

    @classmethod
    def parse(cls, arguments: str | dict[str, Any]) -> ShellArguments:
        """The arguments in the JSON text (or the object) ``arguments``; unknown fields are ignored.

        Raises:
            UsageError: it is no JSON object, a field is missing or has the wrong type. The agent is told the message.
        """
        fields = _decoded(arguments) if isinstance(arguments, str) else arguments
        command = _strings(fields, "command")
        if command is None:
            raise UsageError("failed to parse function arguments: missing field `command`")
        if not command or not command[0]:
            raise UsageError("failed to parse function arguments: `command` needs a program as its first string")
        for word in command:
            if "\0" in word:
                raise UsageError("failed to parse function arguments: `command` holds a NUL character")
        timeout = fields.get("timeout_ms", fields.get("timeout"))
        if timeout is None:
            timeout = DEFAULT_TIMEOUT_MS
        elif isinstance(timeout, bool) or not isinstance(timeout, int) or timeout <= 0:
            raise UsageError("failed to parse function arguments: `timeout_ms` must be a positive whole number")
        permissions = _string(fields, "sandbox_permissions")
        try:
            wanted = None if permissions is None else SandboxPermissions.read(permissions)
        except UsageError as error:
            raise UsageError(f"failed to parse function arguments: {error}") from None
        return cls(
            command=command,
            workdir=_string(fields, "workdir"),
            timeout_ms=min(timeout, _MAX_TIMEOUT_MS),
            sandbox_permissions=wanted,
            justification=_string(fields, "justification"),
            prefix_rule=_strings(fields, "prefix_rule") or (),
        )


def _decoded(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"failed to parse function arguments: {error}") from None
    if not isinstance(value, dict):
        raise UsageError("failed to parse function arguments: expected a JSON object")
    return value


def _string(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"failed to parse function arguments: `{name}` must be a string")
    if value is not None and "\0" in value:
        raise UsageError(f"failed to parse function arguments: `{name}` holds a NUL character")
    return value


def _strings(fields: dict[str, Any], name: str) -> tuple[str, ...] | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise UsageError(f"failed to parse function arguments: `{name}` must be a list of strings")
    return tuple(value)
