"""Edits that several checks make."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.rules import PrefixRule
from execpolicy.diagnostics.model import Edit, Fix
from execpolicy.lang.builtin_calls import Value
from execpolicy.lint.project import ListedRule, RuleFile, StatementGroup
from execpolicy.source import Span


def without_item(text: str, items: Value, item: Value) -> Edit:
    """The edit that removes ``item`` from the list ``items``, with the comma and the blanks that belong to it."""
    index = next(place for place, each in enumerate(items.items) if each is item)
    if index > 0:
        return Edit(Span(items.items[index - 1].end, item.end), "")
    if len(items.items) > 1:
        return Edit(Span(item.start, items.items[1].start), "")
    return Edit(item.span, "")


def is_amendment(group: StatementGroup) -> bool:
    """Whether the call looks as a tool writes it: an allow rule of pattern and decision, and of what it leaves out."""
    rule = group.statements[0]
    if not isinstance(rule, PrefixRule) or rule.decision is not Decision.ALLOW or group.call is None:
        return False
    return group.call.keywords in (("pattern",), ("pattern", "decision"), ("pattern", "decision", "unless"))


def delete_rule(file: RuleFile, entry: ListedRule, kept: str | None, *, unsafe: bool = False) -> Fix | None:
    """The fix that deletes the rule's call; ``None`` if the call makes other rules, too, or shares its lines.

    It is safe if nothing but the rule is lost: no examples, and no justification other than ``kept``.
    """
    deletion = file.deletion(entry.group) if len(entry.group.statements) == 1 else None
    if deletion is None:
        return None
    loses = (
        unsafe
        or entry.rule.justification not in (None, kept)
        or file.argument(entry.group, "match") is not None
        or file.argument(entry.group, "not_match") is not None
        or "#" in file.source.text[entry.group.call.end : deletion.span.end]  # type: ignore[union-attr]  # it has one
    )
    return Fix(title="delete the rule", edits=(deletion,), applicability="unsafe" if loses else "safe")
