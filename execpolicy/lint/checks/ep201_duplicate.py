"""EP201 `duplicate`

## What it does
Finds a rule that is repeated: the same pattern with the same decision.

## Why it matters
It decides nothing. Every match is reported twice, and a change of one of them changes nothing.

## Example
```starlark
prefix_rule(pattern=["git", "status"], decision="allow")
prefix_rule(pattern=["git", "status"])
```

## Instead
Delete one of them.

## Limits
Where the justifications differ, deleting is an unsafe fix: it may change the reason that is shown.
"""

from __future__ import annotations

from execpolicy.lint.coverage import idle_in
from execpolicy.lint.fixes import delete_rule
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that equals another one."""
    for entry, idle in idle_in(file, project, "duplicate"):
        first = idle.by[0]
        yield file.finding(
            "EP201",
            f"`{entry.rule.pattern}` is {entry.rule.decision.word} at {first.place} already",
            file.span_of_rule(entry),
            help="delete one of them",
            fix=delete_rule(file, entry, first.rule.justification),
        )
