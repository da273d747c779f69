"""``--permissions FILE``: permission rules for decisions on commands and tools."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.core.decision import Decision
from execpolicy.errors import InvalidRuleError, UsageError, os_reason
from execpolicy.judge.situation import Situation
from execpolicy.permissions.ruleset import Ruleset, permission_section, ruleset_from_config
from execpolicy.protocol.decisions import Say
from execpolicy.protocol.permission_limits import PermissionLimits
from execpolicy.safe_open import read_named
from execpolicy.strict_json import read_json


def read_permissions(path: str | None, home: str | None) -> Ruleset:
    """The rules in the file at ``path``; empty without a path.

    Raises:
        UsageError: it cannot be read, or has other content.
    """
    if path is None:
        return ()
    try:
        config = read_json(read_named(path, pipes=True).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"cannot read the permissions in `{path}`: {os_reason(error)}") from None
    try:
        return ruleset_from_config(permission_section(config), home=home)
    except InvalidRuleError as error:
        raise UsageError(f"`{path}`: {error}" + (f" ({error.help})" if error.help else "")) from None


def restriction(
    ruleset: Ruleset, command: str | Sequence[str], situation: Situation, *, shell: str
) -> tuple[Decision, str] | None:
    """The most that permission rules let ``command`` do, and the rule; ``None`` if they do not restrict it."""
    limits = PermissionLimits(ruleset, cwd=situation.cwd)
    ruling = limits.of_command(command, cwd=situation.cwd, shell=shell)
    if ruling.say is Say.ALLOW:
        return None
    return (Decision.FORBIDDEN if ruling.say is Say.DENY else Decision.PROMPT), ruling.reason
