"""Permission rules of opencode: wildcard entries, the last match wins.

Source: seed 002, "opencode Analysis" (Rule, ``evaluate``, ``fromConfig``, ``disabled``), compared with opencode's
``permission/index.ts``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from execpolicy.errors import InvalidRuleError
from execpolicy.permissions.wildcard import wildcard_match


class Action(StrEnum):
    """What a permission rule says."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class PermissionRule:
    """``action`` for requests whose permission and pattern match the two wildcards."""

    permission: str
    pattern: str
    action: Action

    def to_json(self) -> dict[str, str]:
        """``{"permission": …, "pattern": …, "action": …}``, as opencode writes it."""
        return {"permission": self.permission, "pattern": self.pattern, "action": self.action.value}


Ruleset: TypeAlias = tuple[PermissionRule, ...]

EDIT_TOOLS = frozenset({"edit", "write", "patch", "multiedit", "apply_patch"})
"""Tools that the permission ``edit`` speaks for. Source: opencode; older versions have ``patch``, newer
``apply_patch``."""

AGENT_DEFAULTS: Ruleset = (
    PermissionRule("*", "*", Action.ALLOW),
    PermissionRule("doom_loop", "*", Action.ASK),
    PermissionRule("external_directory", "*", Action.ASK),
)
"""What opencode gives every agent (seed 002, "Rule Sources"). Nothing here uses it unless a host asks for it."""


def ruleset_from_config(config: object, *, home: str | None) -> Ruleset:
    """The rules of a ``permission`` section, in the order written.

    Args:
        config: an action for everything (``"ask"``), or a mapping of permission to an action (flat form) or to a
            mapping of pattern to action (nested form); the two forms may be mixed.
        home: what a leading ``~`` or ``$HOME`` of a pattern stands for.

    Raises:
        InvalidRuleError: the section has another shape, an unknown action, or a pattern that needs a missing ``home``.
    """
    if isinstance(config, str):
        return (PermissionRule("*", "*", _action(config, "permission")),)
    if not isinstance(config, Mapping):
        raise InvalidRuleError("`permission` must be an action or an object", help=_ACCEPTED)
    rules: list[PermissionRule] = []
    for permission, value in config.items():
        if not isinstance(permission, str):
            raise InvalidRuleError(f"`permission` has a name that is not text: `{permission!r}`")
        where = f"permission.{permission}"
        if not isinstance(value, Mapping):
            rules.append(PermissionRule(permission, "*", _action(value, where)))
            continue
        for pattern, action in value.items():
            if not isinstance(pattern, str):
                raise InvalidRuleError(f"`{where}` has a pattern that is not text: `{pattern!r}`")
            rules.append(PermissionRule(permission, expand_home(pattern, home), _action(action, f"{where}.{pattern}")))
    return tuple(rules)


_ACCEPTED = 'use "allow", "ask" or "deny", or an object of patterns to these'


def _action(value: Any, where: str) -> Action:
    try:
        return Action(value)
    except ValueError:
        raise InvalidRuleError(f"`{where}` has the unknown action `{value}`", help=_ACCEPTED) from None


def expand_home(pattern: str, home: str | None) -> str:
    """``pattern`` with a leading ``~``, ``~/`` or ``$HOME`` replaced; elsewhere they stand for themselves.

    Raises:
        InvalidRuleError: it needs ``home`` and there is none. Leaving it as it is would turn a deny rule off.
    """
    if pattern == "~" or pattern.startswith("~/"):
        rest = pattern[1:]
    elif pattern.startswith("$HOME"):
        rest = pattern[5:]
    else:
        return pattern
    if home is None:
        raise InvalidRuleError(f"the pattern `{pattern}` needs a home folder and there is none", help="name it in full")
    return home + rest


def rules_from_json(entries: Iterable[object]) -> Ruleset:
    """Rules from a list of ``{"permission", "pattern", "action"}`` objects.

    Raises:
        InvalidRuleError: an entry has another shape.
    """
    rules: list[PermissionRule] = []
    for number, entry in enumerate(entries):
        where = f"permission[{number}]"
        if not isinstance(entry, Mapping):
            raise InvalidRuleError(f"`{where}` must be an object with permission, pattern and action")
        permission, pattern = entry.get("permission"), entry.get("pattern")
        if not isinstance(permission, str) or not isinstance(pattern, str):
            raise InvalidRuleError(f"`{where}` needs `permission` and `pattern`, both text")
        rules.append(PermissionRule(permission, pattern, _action(entry.get("action"), where)))
    return tuple(rules)


def merge(*rulesets: Sequence[PermissionRule]) -> Ruleset:
    """All rules one after the other; nothing is sorted or dropped."""
    return tuple(rule for ruleset in rulesets for rule in ruleset)


def layered(
    *,
    defaults: Sequence[PermissionRule] = (),
    config: Sequence[PermissionRule] = (),
    agent: Sequence[PermissionRule] = (),
    session: Sequence[PermissionRule] = (),
) -> Ruleset:
    """The four sources in the order in which they override each other (seed 002, "Rule Sources")."""
    return merge(defaults, config, agent, session)


def evaluate(permission: str, pattern: str, *rulesets: Sequence[PermissionRule]) -> PermissionRule:
    """The last rule of the concatenated rulesets that matches both; without one: ask.

    Args:
        permission: the name of the permission, for instance ``bash``. Plain text, no wildcard.
        pattern: what is about to be touched (a command, a path). Plain text, no wildcard.
    """
    for ruleset in reversed(rulesets):
        for rule in reversed(ruleset):
            if wildcard_match(permission, rule.permission) and wildcard_match(pattern, rule.pattern):
                return rule
    return PermissionRule(permission, "*", Action.ASK)


def disabled(tools: Iterable[str], *rulesets: Sequence[PermissionRule]) -> frozenset[str]:
    """The tools that need not be offered to a model: the last rule that names their permission denies everything."""
    rules = merge(*rulesets)
    found = set()
    for tool in tools:
        permission = "edit" if tool in EDIT_TOOLS else tool
        last = next((rule for rule in reversed(rules) if wildcard_match(permission, rule.permission)), None)
        if last is not None and last.pattern == "*" and last.action is Action.DENY:
            found.add(tool)
    return frozenset(found)


def rules_naming(permission: str, ruleset: Sequence[PermissionRule]) -> Ruleset:
    """The rules whose permission wildcard matches: what a denied tool call is told about."""
    return tuple(rule for rule in ruleset if wildcard_match(permission, rule.permission))
