"""EP403 `secret`

## What it does
Finds what looks like a secret in a rule: tokens and keys of well-known services, passwords in URLs and options,
authorization headers.

## Why it matters
Rule files are plain text, live for years, are read by agents and end up in repositories. A secret that was part of an
approved command should not be kept there.

## Example
```starlark
prefix_rule(pattern=["curl", "-H", "Authorization: Bearer 7c1f0a9be4d25386"])
```

## Instead
Delete the rule, change the secret, and allow the command without it.

## Limits
Found by shape (tokens of some ninety services), by place (behind an option, a variable or a header with such a name)
and by randomness. Examples, plain words, paths, digests and identifiers are left alone, so that a password of one plain
word is not found. The message never repeats the secret.
"""

from __future__ import annotations

from itertools import islice, product

from execpolicy.core.sure_credentials import sure_credential_in
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that seems to contain a secret."""
    for entry in project.entries_of(file):
        found = next(filter(None, map(sure_credential_in, islice(product(*entry.rule.pattern.positions()), 50))), None)
        if found is None:
            continue
        yield file.finding(
            "EP403",
            f"a rule should hold no secrets: {found}",
            file.span_of_rule(entry),
            help="delete the rule and change the secret",
            fix=file.deletion_fix(entry.group),
        )
