"""Applies fixes to text, and proves that the safe ones change no decision. Makes edits for several checks."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.trie import TooManyAlternativesError, difference
from execpolicy.diagnostics.model import Applicability, Diagnostic, Edit, Fix
from execpolicy.errors import RuleFileError
from execpolicy.lang.builtin_calls import Value
from execpolicy.lang.compile import compile_source
from execpolicy.lang.statements import Statement
from execpolicy.lint.project import ListedRule, RuleFile, StatementGroup
from execpolicy.source import Source, Span


def without_item(items: Value, item: Value) -> Edit:
    """The edit that removes ``item`` from the list ``items``, with its comma and blanks."""
    index = next(place for place, each in enumerate(items.items) if each is item)
    if index > 0:
        return Edit(Span(items.items[index - 1].end, item.end), "")
    if len(items.items) > 1:
        return Edit(Span(item.start, items.items[1].start), "")
    return Edit(item.span, "")


def is_amendment(group: StatementGroup) -> bool:
    """True if the call has the form that tools write: an allow rule with only pattern, decision and exclusion."""
    rule = group.statements[0]
    if not isinstance(rule, PrefixRule) or rule.decision is not Decision.ALLOW or group.call is None:
        return False
    return group.call.keywords in (("pattern",), ("pattern", "decision"), ("pattern", "decision", "unless"))


def delete_rule(file: RuleFile, entry: ListedRule, kept: str | None, *, unsafe: bool = False) -> Fix | None:
    """The fix that deletes the rule's call; ``None`` if the call makes other rules too, or shares its lines.

    The fix is safe if only the rule is lost: no examples, and no justification other than ``kept``.
    """
    deletion = file.deletion(entry.group)
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


def apply_fixes(text: str, found: Iterable[Diagnostic], trusted: frozenset[Applicability]) -> str:
    """``text`` with the edits of every trusted fix; of two fixes that overlap, the earlier one is applied."""
    chosen: list[Edit] = []  # sorted by start, without overlaps
    for diagnostic in found:
        fix = diagnostic.fix
        if fix is None or fix.applicability not in trusted:
            continue
        if not any(_overlaps(chosen, edit) for edit in fix.edits):
            for edit in fix.edits:
                insort(chosen, edit, key=_start)
    pieces: list[str] = []
    at = 0
    for edit in chosen:
        pieces += (text[at : edit.span.start], edit.text)
        at = edit.span.end
    return "".join([*pieces, text[at:]])


def _start(edit: Edit) -> int:
    return edit.span.start


def _overlaps(chosen: list[Edit], new: Edit) -> bool:
    """True if ``new`` and one of ``chosen`` change the same character or insert at the same place."""
    place = bisect_left(chosen, new.span.start, key=_start)
    before = place > 0 and chosen[place - 1].span.end > new.span.start
    after = place < len(chosen) and (
        chosen[place].span.start < new.span.end or chosen[place].span.start == new.span.start
    )
    return before or after


def same_decisions(before: Source, after: Source, others: Sequence[PrefixRule]) -> bool:
    """True if ``after`` decides every command as ``before`` does, each together with the rules of ``others``."""
    try:
        old, new = compile_source(before).statements, compile_source(after).statements
    except RuleFileError:
        return False
    if _not_prefix_rules(old) != _not_prefix_rules(new):
        return False
    old_rules, new_rules = _prefix_rules(old), _prefix_rules(new)
    try:
        return all(
            difference(_at_least(one, decision), _at_least([*other, *others], decision)) is None
            for decision in (Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN)
            for one, other in ((old_rules, new_rules), (new_rules, old_rules))
        )
    except TooManyAlternativesError:
        return False


def _at_least(rules: Iterable[PrefixRule], decision: Decision) -> list[PrefixPattern]:
    return [rule.pattern for rule in rules if rule.decision >= decision]


def _prefix_rules(statements: Iterable[Statement]) -> list[PrefixRule]:
    return [statement for statement in statements if isinstance(statement, PrefixRule)]


def _not_prefix_rules(statements: Iterable[Statement]) -> object:
    """The combined effect of network rules and host executables, and every other statement."""
    hosts = {each.name: each for each in statements if isinstance(each, HostExecutable)}
    network: dict[tuple[str, str], Decision] = {}
    rest: list[object] = []
    for each in statements:
        if isinstance(each, NetworkRule):
            network[each.host, each.protocol] = each.decision
        elif not isinstance(each, (PrefixRule, HostExecutable)):
            rest.append((type(each), getattr(each, "arguments", each)))  # a heuristic entry is its call
    return hosts, network, rest
