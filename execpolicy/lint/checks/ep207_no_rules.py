"""EP207 `no-rules`

## What it does
Finds rule files with text but without a rule or an entry.

## Why it matters
Such a file looks like a policy and decides nothing. Often its rules are in comments, or in a function that is never
called.

## Example
```starlark
# prefix_rule(pattern=["rm"], decision="forbidden")
```

## Instead
```starlark
prefix_rule(pattern=["rm"], decision="forbidden")
```

## Limits
An empty file is not reported. For a file that you fill later, `# execpolicy: noqa: EP207` silences it.
"""

from __future__ import annotations

from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic for a file without statements."""
    if file.source.text.strip() and file.tree is not None and not file.groups and not file.problems:
        yield file.finding(
            "EP207", "the file holds no rule, so it decides nothing", None, help="add a rule, or delete it"
        )
