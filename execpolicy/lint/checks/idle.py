"""Checks of rules that decide nothing because of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from execpolicy.diagnostics.model import Fix
from execpolicy.lint.coverage import idle_alternatives, idle_in
from execpolicy.lint.fixes import delete_rule, without_item
from execpolicy.lint.project import Findings, IdleAlternative, Project, RuleFile


def ep103(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that an equal pattern with a stricter decision overrides."""
    for entry, idle in idle_in(file, project, "contradiction"):
        winner = idle.by[0]
        yield file.finding(
            "EP103",
            f"`{entry.rule.pattern}` is {entry.rule.decision.word} here and {winner.rule.decision.word} "
            f"at {winner.place}; the stricter one wins",
            file.span_of_rule(entry),
            help="keep the one that is meant",
            fix=delete_rule(file, entry, None, unsafe=True),
            by=idle.by,
        )


def ep201(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that equals another one."""
    for entry, idle in idle_in(file, project, "duplicate"):
        first = idle.by[0]
        yield file.finding(
            "EP201",
            f"`{entry.rule.pattern}` is {entry.rule.decision.word} at {first.place} already",
            file.span_of_rule(entry),
            help="delete one of them",
            fix=delete_rule(file, entry, first.rule.justification),
            by=idle.by,
        )


def ep202(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that others with the same decision cover."""
    for entry, idle in idle_in(file, project, "subsumed"):
        if idle.by_meaning and file.is_codex:
            continue  # Codex compares words as they are, and needs it
        by = " and ".join([f"`{other.rule.pattern}` at {other.place}" for other in idle.by[:2]])
        more = f" and {len(idle.by) - 2} more" if len(idle.by) > 2 else ""
        other = "unless Codex reads it" if idle.by_meaning else "or narrow the broader one"
        yield file.finding(
            "EP202",
            f"`{entry.rule.pattern}` is already covered by {by}{more}",
            file.span_of_rule(entry),
            help=f"delete this rule, {other}",
            fix=delete_rule(file, entry, None, unsafe=idle.by_meaning),
            by=idle.by,
        )


def ep203(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that stricter ones (with the help of equally strict ones) cover."""
    for entry, idle in idle_in(file, project, "inert"):
        stricter = [other for other in idle.by if other.rule.decision > entry.rule.decision]
        by = " and ".join(
            [f"`{other.rule.pattern}` ({other.rule.decision.word}) at {other.place}" for other in stricter[:2]]
        )
        yield file.finding(
            "EP203",
            f"`{entry.rule.pattern}` never gets {entry.rule.decision.word}: covered by {by}",
            file.span_of_rule(entry),
            help="the strictest rule wins; narrow that rule, or delete this one",
            fix=delete_rule(file, entry, None, unsafe=True),
            by=stricter,
        )


_MOST_NAMED = 3


def ep204(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per position of a rule with alternatives that other rules cover."""
    every = [idle for idle in idle_alternatives(project) if idle.entry.file is file]
    found = [idle for idle in every if not (idle.by_meaning and file.is_codex)]
    rules_of_call = Counter((id(idle.entry.group), idle.position, idle.token) for idle in found)
    merged: dict[tuple[int, int], dict[str, IdleAlternative]] = {}
    for idle in found:
        if rules_of_call[(id(idle.entry.group), idle.position, idle.token)] == len(idle.entry.group.statements):
            merged.setdefault((id(idle.entry.group), idle.position), {}).setdefault(idle.token, idle)
        # otherwise it decides something for another program of the same call
    for alternatives in merged.values():
        first, *others = alternatives.values()
        other = first.by[0]
        named = ", ".join([f"`{token}`" for token in alternatives])
        yield file.finding(
            "EP204",
            f"the alternative {named} decides nothing: `{other.rule.pattern}` "
            f"({other.rule.decision.word}) at {other.place} covers it"
            if not others
            else f"the alternatives {named} decide nothing: {_covering(alternatives.values())}",
            file.token_span(first.entry.group, first.position, first.token),
            help="remove the alternatives" if others else "remove the alternative",
            fix=_removal(file, first),
            by=first.by,
        )


def _covering(alternatives: Iterable[IdleAlternative]) -> str:
    """The rules that cover several alternatives, each once."""
    by = {
        f"`{each.by[0].rule.pattern}` ({each.by[0].rule.decision.word}) at {each.by[0].place}": None
        for each in alternatives
    }
    shown = list(by)[:_MOST_NAMED]
    more = f" and {len(by) - len(shown)} more" if len(by) > len(shown) else ""
    return f"covered by {', '.join(shown)}{more}"


def _removal(file: RuleFile, idle: IdleAlternative) -> Fix | None:
    entry, position, token = idle.entry, idle.position, idle.token
    value = file.argument(entry.group, "pattern")
    if value is None or not entry.group.alone or len(entry.group.statements) > 1 or position >= len(value.items):
        return None
    if file.argument(entry.group, "match") is not None:
        return None  # an example may rely on the alternative
    alternatives = value.items[position]
    item = next((each for each in alternatives.items if each.value == token), None)
    if item is None or sum(each.value == token for each in alternatives.items) > 1:
        return None
    edit = without_item(alternatives, item)
    return Fix(title="remove the alternative", edits=(edit,), applicability="unsafe" if idle.by_meaning else "safe")
