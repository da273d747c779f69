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
from collections.abc import Iterator

from execpolicy.diagnostics.model import Diagnostic, Fix
from execpolicy.lint.coverage import idle_alternatives
from execpolicy.lint.edits import without_item
from execpolicy.lint.project import Check, ListedRule, Project, RuleFile


def run(file: RuleFile, project: Project) -> Iterator[Diagnostic]:
    """Yield one diagnostic per alternative that other rules cover."""
    found = [idle for idle in idle_alternatives(project) if idle.entry.file is file]
    rules_of_call = Counter((id(idle.entry.group), idle.position, idle.token) for idle in found)
    seen: set[tuple[int, int, str]] = set()
    for idle in found:
        key = (id(idle.entry.group), idle.position, idle.token)
        if key in seen or rules_of_call[key] < len(idle.entry.group.statements):
            continue  # it does decide something for another program of the same call
        seen.add(key)
        other = idle.by[0]
        yield file.finding(
            "EP204",
            f"the alternative `{idle.token}` decides nothing: `{other.rule.pattern}` "
            f"({other.rule.decision.word}) at {other.place} covers it",
            file.token_span(idle.entry.group, idle.position, idle.token),
            help="remove the alternative",
            fix=_removal(file, idle.entry, idle.position, idle.token),
        )


def _removal(file: RuleFile, entry: ListedRule, position: int, token: str) -> Fix | None:
    value = file.argument(entry.group, "pattern")
    if value is None or not entry.group.alone or len(entry.group.statements) > 1 or position >= len(value.items):
        return None
    if file.argument(entry.group, "match") is not None:
        return None  # an example may rely on the alternative
    alternatives = value.items[position]
    item = next((each for each in alternatives.items if each.value == token), None)
    if item is None or sum(each.value == token for each in alternatives.items) > 1:
        return None
    edit = without_item(file.source.text, alternatives, item)
    return Fix(title="remove the alternative", edits=(edit,), applicability="safe")


CHECK = Check("EP204", run, __doc__)
