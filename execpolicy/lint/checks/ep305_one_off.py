"""EP305 `one-off`

## What it does
Finds a rule that will hardly match a second time. It has many or long tokens, or values that are made for one
moment, such as UUIDs, long hashes and temporary paths.

## Why it matters
Such rules come from "always allow" on a single call. They fill the file and never help again.

## Example
```starlark
prefix_rule(pattern=["git", "show", "3f786850e387550fdab836ed7e6dc881de23001b"])
```

## Instead
```starlark
prefix_rule(pattern=["git", "show"])
```

## Limits
More than 12 tokens, a token of more than 200 characters, or one of the patterns above. A long rule may be right:
silence it with `# noqa: EP305`.
"""

from __future__ import annotations

import re

from execpolicy.core.decision import Decision
from execpolicy.lint.project import Findings, Project, RuleFile

_MOST_TOKENS = 12
_LONGEST_TOKEN = 200
_SHORTEST_MOMENT = 12
"""Minimum number of characters of a token that matches a pattern of ``_MOMENTARY``."""
_MOMENTARY = (
    ("a UUID", re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)),
    ("a hash", re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{32,}\b", re.IGNORECASE)),
    ("a temporary path", re.compile(r"(?:/tmp|/var/folders|/var/tmp)/(?:tmp|[^/]*\.)[A-Za-z0-9_]{6,}")),
    ("a point in time", re.compile(r"\b20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]")),
)


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per allow rule that will hardly match twice."""
    for entry in project.entries_of(file):
        if entry.rule.decision is not Decision.ALLOW:
            continue
        why = _why(entry.rule.pattern.positions())
        if why is not None:
            yield file.finding(
                "EP305",
                f"this rule will hardly match twice: {why}",
                file.span_of_rule(entry),
                help="keep the first words that stay the same, or delete it",
                fix=file.deletion_fix(entry.group),
            )


def _why(positions: tuple[tuple[str, ...], ...]) -> str | None:
    if len(positions) > _MOST_TOKENS:
        return f"it has {len(positions)} tokens"
    for tokens in positions:
        for token in tokens:
            if len(token) > _LONGEST_TOKEN:
                return f"a token has {len(token)} characters"
            for name, pattern in _MOMENTARY if len(token) >= _SHORTEST_MOMENT else ():
                if pattern.search(token):
                    return f"a token holds {name}"
    return None
