"""EP113 `contrary-reason`

## What it does
Finds allow rules whose justification speaks against them, and justifications that propose what is forbidden.

## Why it matters
A rule without `decision` allows. An agent that reads "use `pip install`" tries what is forbidden again.

## Example
```starlark
prefix_rule(pattern=["docker", "run"], justification="never start containers here")
```

## Instead
```starlark
prefix_rule(pattern=["docker", "run"], decision="forbidden", justification="never start containers here")
```

## Limits
Only English is read: a sentence that begins with a prohibition, and `use` or `run` in front of a command in backticks.
"""

from __future__ import annotations

import re

from execpolicy.core.decision import Decision
from execpolicy.core.quoting import split
from execpolicy.lint.project import Findings, Project, RuleFile

_AGAINST = re.compile(r"(?:never|do not|don't|not allowed|forbidden|must not|no )\b", re.IGNORECASE)
_PROPOSED = re.compile(r"\b(?:use|run|try|call|prefer) `([^`]+)`", re.IGNORECASE)


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per justification that says the opposite of its rule."""
    here = [each.rule for each in project.entries_of(file)]
    for entry in project.entries_of(file):
        why, call = entry.rule.justification or "", entry.group.call
        if entry.rule.decision is Decision.ALLOW:
            if call is not None and call.argument("decision") is None and _AGAINST.match(why.lstrip()):
                yield file.finding(
                    "EP113",
                    "the rule allows, since it has no `decision`, but its justification speaks against it",
                    file.span_of_rule(entry),
                    help='add `decision="forbidden"` or `decision="prompt"`',
                )
            continue
        for proposed in _PROPOSED.findall(why):
            argv = tuple(split(proposed) or ())
            if argv and any(
                rule.decision is Decision.FORBIDDEN and rule in here for rule in project.sight.seeing(argv)
            ):
                yield file.finding(
                    "EP113",
                    f"the justification proposes `{proposed}`, which is forbidden",
                    file.span_of_rule(entry),
                    help="propose a command that is not forbidden, or narrow the rule",
                )
