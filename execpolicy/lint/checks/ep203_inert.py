"""EP203 `inert`

## What it does
Finds a rule that never decides anything, because stricter rules cover every command that it matches.

## Why it matters
The strictest rule wins, whatever the order and however specific the other one is. An exception from a prohibition
cannot be written as a narrower allow rule, and people try that first.

## Example
```starlark
prefix_rule(pattern=["git", "push"], decision="forbidden")
prefix_rule(pattern=["git", "push", "origin"], decision="allow")
```

## Instead
Narrow the stricter rule, so that it leaves the exception out.

## Limits
Exact, as EP202. A rule with exactly the same pattern as a stricter one is reported as EP103.
"""

from __future__ import annotations

from execpolicy.lint.coverage import idle_in
from execpolicy.lint.fixes import delete_rule
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
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
        )
