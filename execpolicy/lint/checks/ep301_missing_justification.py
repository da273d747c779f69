"""EP301 `missing-justification`

## What it does
Finds a rule that prompts or forbids and does not say why.

## Why it matters
The justification is what the user reads in the prompt and what the agent gets back instead of "rejected by policy".
With a reason and a way out the agent goes on; without one it tries the next variant.

## Example
```starlark
prefix_rule(pattern=["git", "push", "--force"], decision="forbidden")
```

## Instead
```starlark
prefix_rule(
    pattern=["git", "push", "--force"],
    decision="forbidden",
    justification="rewrites the history of others; use --force-with-lease",
)
```

## Limits
Nothing is said about the quality of the reason.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.rules import PrefixRule
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per call that prompts or forbids without a reason."""
    for group in file.groups:
        rule = group.statements[0]
        if isinstance(rule, PrefixRule) and rule.decision > Decision.ALLOW and rule.justification is None:
            yield file.finding(
                "EP301",
                f"`{rule.pattern}` is {rule.decision.word} without a reason",
                file.span_of(group),
                help='add `justification="…"`: what is wrong with it, and what to do instead',
            )
