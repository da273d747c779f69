"""Permission rules of opencode: wildcard entries, the last match wins.

Source: seed 002, "opencode Analysis" (Rule, ``evaluate``, ``fromConfig``, ``disabled``), compared with opencode's
``permission/index.ts``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from execpolicy.core.decision import Decision
from execpolicy.errors import InvalidRuleError
from execpolicy.permissions.tool_names import correction_of, folded, permission_of
from execpolicy.permissions.tool_use import wildcard_match
from execpolicy.validators import Checked, OneOf, closest, every, folder, instance, listed, name, optional, text, texts


class Action(OneOf):
    """Allow, let a person decide, or deny: of a permission rule, and of a decision in the policy protocol."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"

    @classmethod
    def of(cls, decision: Decision) -> Action:
        """The same in the words of permissions."""
        return cls({"allow": "allow", "prompt": "ask", "forbidden": "deny"}[decision.word])

    @property
    def decision(self) -> Decision:
        """The same in the words of rules."""
        return Decision({"allow": "allow", "ask": "prompt", "deny": "forbidden"}[self.value])


@dataclass(frozen=True, slots=True)
class PermissionRule(Checked, permission=name, pattern=name):
    """``action`` (a member or its word) for requests whose permission and pattern match the two wildcards.

    A tool may have any name, so this class accepts any; the parsers of rules that people write refuse misspelt names.
    """

    permission: str
    pattern: str
    action: Action

    def to_json(self) -> dict[str, str]:
        """``{"permission": …, "pattern": …, "action": …}``, as opencode writes it."""
        return {"permission": self.permission, "pattern": self.pattern, "action": self.action.value}


Ruleset: TypeAlias = tuple[PermissionRule, ...]
"""Rules in order: the last one that matches wins."""
_RULES = every(instance(PermissionRule))

AGENT_DEFAULTS: Ruleset = (
    PermissionRule("*", "*", Action.ALLOW),
    PermissionRule("doom_loop", "*", Action.ASK),
    PermissionRule("external_directory", "*", Action.ASK),
)
"""The rules that opencode gives every agent (seed 002, "Rule Sources"). They apply only if a host passes them."""


def ruleset_from_config(config: object, *, home: str | None) -> Ruleset:
    """The rules of a ``permission`` section, in the order written.

    Args:
        config: an action for everything (``"ask"``), or a mapping of permission to an action (flat form) or to a
            mapping of pattern to action (nested form); the two forms may be mixed.
        home: the directory that replaces a leading ``~`` or ``$HOME`` of a pattern.

    Raises:
        InvalidRuleError: the section has another shape, an unknown action, a name that is empty or misspells a known
            one, or a pattern that is empty or needs a missing ``home``.
        UsageError: ``home`` is not an absolute path.
    """
    optional(folder)(home, "the home folder")
    if isinstance(config, str):
        return (PermissionRule("*", "*", _action(config, "permission")),)
    if not isinstance(config, Mapping):
        raise InvalidRuleError("`permission` must be an action or an object", help=_ACCEPTED)
    rules: list[PermissionRule] = []
    for permission, value in config.items():
        if not isinstance(permission, str):
            raise InvalidRuleError(f"`permission` has a name that is not text: `{permission!r}`")
        where = f"permission.{permission}"
        _refuse_misspelt(permission)
        if not isinstance(value, Mapping):
            rules.append(PermissionRule(permission, "*", _action(value, where)))
            continue
        for pattern, action in value.items():
            if not isinstance(pattern, str):
                raise InvalidRuleError(f"`{where}` has a pattern that is not text: `{pattern!r}`")
            _refuse_empty(pattern, where)
            rules.append(PermissionRule(permission, expand_home(pattern, home), _action(action, f"{where}.{pattern}")))
    return tuple(rules)


def _refuse_misspelt(permission: str) -> None:
    if not permission:
        raise InvalidRuleError("`permission` has an empty name", help="write `*` for every tool")
    if (right := correction_of(permission)) is not None:
        raise InvalidRuleError(
            f"`permission` has the unknown name `{permission}`",
            help=f"did you mean `{right}`? (for a tool of exactly that name write `{permission}*`)",
        )


def _refuse_empty(pattern: str, where: str) -> None:
    if not pattern:
        raise InvalidRuleError(
            f"`{where}` has an empty pattern, which matches nothing", help="write `*` for everything"
        )


_ACTIONS = tuple(action.value for action in Action)
_ACCEPTED = 'use "allow", "ask" or "deny", or an object of patterns to these'


def _action(value: Any, where: str) -> Action:
    if isinstance(value, str) and value in _ACTIONS:
        return Action(value)
    near = closest(value, _ACTIONS)
    hint = f"did you mean `{near}`? " if near is not None else ""
    raise InvalidRuleError(f"`{where}` has the unknown action `{value}`", help=hint + _ACCEPTED)


def expand_home(pattern: str, home: str | None) -> str:
    """``pattern`` with a leading ``~``, ``~/`` or ``$HOME`` replaced; elsewhere they remain as they are.

    Raises:
        InvalidRuleError: the pattern needs ``home``, which is missing. An unchanged pattern would disable a deny rule.
    """
    optional(folder)(home, "the home folder")
    if text(pattern, "a pattern") == "~" or pattern.startswith("~/"):
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
        InvalidRuleError: an entry has another shape or further fields, an unknown action, an empty pattern, or a name
            that misspells a known one.
    """
    rules: list[PermissionRule] = []
    for number, entry in enumerate(listed(entries, "the rules")):
        where = f"permission[{number}]"
        if not isinstance(entry, Mapping):
            raise InvalidRuleError(f"`{where}` must be an object with permission, pattern and action")
        permission, pattern = entry.get("permission"), entry.get("pattern")
        if not isinstance(permission, str) or not isinstance(pattern, str):
            raise InvalidRuleError(f"`{where}` needs `permission` and `pattern`, both text")
        _refuse_misspelt(permission)
        _refuse_empty(pattern, where)
        for field in entry:
            if field not in ("permission", "pattern", "action"):
                raise InvalidRuleError(f"`{where}` has the unknown field `{field}`")
        rules.append(PermissionRule(permission, pattern, _action(entry.get("action"), where)))
    return tuple(rules)


def permission_section(document: object) -> object:
    """The ``permission`` section of a settings file, or the whole document if it has no such section.

    Raises:
        InvalidRuleError: a top-level name misspells ``permission``, or another top-level entry has the form of a
            permission rule and would be ignored.
    """
    if not isinstance(document, Mapping):
        return document
    for title, body in document.items():
        if title != "permission" and closest(title, ("permission",)) is not None:
            raise InvalidRuleError(f"there is no section `{title}`", help="did you mean `permission`?")
        if title != "permission" and "permission" in document and _is_entry(body):
            raise InvalidRuleError(f"`{title}` is beside `permission`", help="rules are read inside of it alone")
    return document.get("permission", document)


def _is_entry(body: object) -> bool:
    """True if ``body`` has the form of a tool's entry: an action, or patterns with actions."""
    actions = tuple(body.values()) if isinstance(body, Mapping) else (body,)
    return bool(actions) and all(isinstance(action, str) and action in _ACTIONS for action in actions)


def applicable_rules(ruleset: Sequence[PermissionRule], names: Sequence[str], spellings: Sequence[str]) -> Ruleset:
    """The rules that apply to a tool with several names and a target with several spellings.

    The last rule that matches applies. For each name, the last rule that matches this name but not all of them applies
    too: an allow rule for one name does not override a deny rule for another.
    """
    last = _last(ruleset, names, spellings)
    if last is None:
        return ()
    own = [_last(ruleset, (name,), spellings) for name in names]
    found = [rule for rule in own if rule is not None and not all(_names_tool(rule, name) for name in names)]
    return tuple(dict.fromkeys([last, *found]))


def _last(ruleset: Sequence[PermissionRule], names: Sequence[str], spellings: Sequence[str]) -> PermissionRule | None:
    for rule in reversed(ruleset):
        if any(_names_tool(rule, name) for name in names) and any(
            wildcard_match(one, rule.pattern) for one in spellings
        ):
            return rule
    return None


def _names_tool(rule: PermissionRule, name: str) -> bool:
    """True if ``rule`` names the tool, as written or as the name of a known tool in other capitals."""
    permission = rule.permission
    return wildcard_match(name, permission) or (permission_of(permission) != permission and folded(permission) == name)


def merge(*rulesets: Sequence[PermissionRule]) -> Ruleset:
    """All rules one after the other; nothing is sorted or dropped."""
    return tuple(rule for ruleset in rulesets for rule in rules_only(ruleset))


def rules_only(ruleset: object) -> Ruleset:
    """``ruleset`` as a tuple.

    Raises:
        UsageError: it is not a list of rules.
    """
    rules: Ruleset = _RULES(ruleset, "a ruleset")
    return rules


def layered(
    *,
    defaults: Sequence[PermissionRule] = (),
    config: Sequence[PermissionRule] = (),
    agent: Sequence[PermissionRule] = (),
    session: Sequence[PermissionRule] = (),
) -> Ruleset:
    """The rules of four sources in the order in which they override each other (seed 002, "Rule Sources")."""
    return merge(defaults, config, agent, session)


def evaluate(permission: str, pattern: str, *rulesets: Sequence[PermissionRule]) -> PermissionRule:
    """The last rule of the concatenated rulesets that matches both; if none matches, a rule that asks.

    Args:
        permission: the name of the permission, for instance ``bash``. Plain text, no wildcard.
        pattern: the command or path that the call would use. Plain text, no wildcard.
    """
    text(permission, "a permission")
    text(pattern, "a pattern")
    for ruleset in reversed(rulesets):
        for rule in reversed(rules_only(ruleset)):
            if wildcard_match(permission, rule.permission) and wildcard_match(pattern, rule.pattern):
                return rule
    return PermissionRule(permission, "*", Action.ASK)


def disabled(tools: Iterable[str], *rulesets: Sequence[PermissionRule]) -> frozenset[str]:
    """The tools that need not be offered to a model: the last rule that names their permission denies everything."""
    rules = merge(*rulesets)
    found = set()
    for tool in texts(tools, "the tools"):
        permission = permission_of(tool)
        last = next((rule for rule in reversed(rules) if wildcard_match(permission, rule.permission)), None)
        if last is not None and last.pattern == "*" and last.action is Action.DENY:
            found.add(tool)
    return frozenset(found)


def rules_naming(permission: str, ruleset: Sequence[PermissionRule]) -> Ruleset:
    """The rules whose permission wildcard matches, for the message of a denied tool call."""
    return tuple(rule for rule in rules_only(ruleset) if wildcard_match(permission, rule.permission))
