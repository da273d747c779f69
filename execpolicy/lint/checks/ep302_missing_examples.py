"""EP302 `missing-examples`

## What it does
Finds a rule without `match` examples. Lines that an approval has written (pattern and decision only, allowed) are
left alone.

## Why it matters
Examples are checked whenever the file is loaded. They are the proof that a rule can match at all, and they notice
when a person changes the pattern into something else.

## Example
```starlark
prefix_rule(pattern=["git", "push"], decision="prompt", justification="others see it")
```

## Instead
```starlark
prefix_rule(
    pattern=["git", "push"],
    decision="prompt",
    match=["git push origin main"],
    not_match=["git pull"],
    justification="others see it",
)
```

## Limits
One example is enough; `execpolicy test --cov` shows rules that no example and no case reaches.
"""

from __future__ import annotations

from execpolicy.core.rules import PrefixRule
from execpolicy.lint.fixes import is_amendment
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per call without examples."""
    for group in file.groups:
        rule = group.statements[0]
        if not isinstance(rule, PrefixRule) or group.call is None or is_amendment(group):
            continue
        examples = group.call.argument("match")
        if examples is None or (examples.value.kind == "list" and not examples.value.items):
            yield file.finding(
                "EP302",
                f"`{rule.pattern}` has no `match` example",
                file.span_of(group),
                help='add `match=["…"]` with a command that the rule is for',
            )
