"""EP204 `unreachable-alternative`

## What it does
Finds an alternative in a pattern that changes no decision, because other rules, at least as strict, cover all
commands with it, while the rest of the rule does decide something.

## Why it matters
The same as for a whole rule (EP202, EP203), but harder to see.

## Example
```starlark
prefix_rule(pattern=["npm", "ci"], decision="prompt")
prefix_rule(pattern=["npm", ["test", "ci"]], decision="allow")
```

## Instead
```starlark
prefix_rule(pattern=["npm", "ci"], decision="prompt")
prefix_rule(pattern=["npm", "test"], decision="allow")
```

## Limits
Alternatives in the first position are rules of their own and reported by EP201 to EP203.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from execpolicy.diagnostics.model import Fix
from execpolicy.lint.coverage import idle_alternatives
from execpolicy.lint.fixes import without_item
from execpolicy.lint.project import Findings, IdleAlternative, Project, RuleFile

_MOST_NAMED = 3


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per position of a rule with alternatives that other rules cover."""
    found = [idle for idle in idle_alternatives(project) if idle.entry.file is file]
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
