"""EP103 `contradiction`

## What it does
Finds two rules that match exactly the same commands and give different decisions.

## Why it matters
The stricter one always wins, whatever the order. The other one only misleads its reader; if it is the newer one,
its author believes that a decision was changed.

## Example
```starlark
prefix_rule(pattern=["git", "push"], decision="forbidden")
prefix_rule(pattern=["git", "push"], decision="allow")
```

## Instead
Keep the one that is meant.

## Limits
Rules that only overlap are no contradiction: that a narrow rule is stricter than a broad one is what rules are for.
See EP203 for an allow rule that stricter rules cover.
"""

from __future__ import annotations

from execpolicy.lint.coverage import idle_in
from execpolicy.lint.fixes import delete_rule
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
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
        )
