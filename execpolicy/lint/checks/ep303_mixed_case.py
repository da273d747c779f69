"""EP303 `mixed-case`

## What it does
Finds a rule for a program whose name holds capital letters and that is compared byte for byte.

## Why it matters
On file systems that do not tell cases apart (macOS, Windows), `Git`, `GIT` and `git` start the same program, but only
one of them matches the rule.

## Example
```starlark
prefix_rule(pattern=["Rscript", "-e"], decision="prompt")
```

## Instead
```starlark
prefix_rule(pattern=["Rscript", "-e"], decision="prompt", canonical_matching=True)
```

## Limits
Only the program's name is looked at; with `canonical_matching` every token is compared without regard to case.
"""

from __future__ import annotations

import re

from execpolicy.diagnostics.model import Edit, Fix
from execpolicy.lint.project import Findings, Project, RuleFile, StatementGroup
from execpolicy.source import Span

_NAME = re.compile(r"[\w.+-]+")


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule for a program with capitals that is compared exactly."""
    for entry in project.entries_of(file):
        name = entry.rule.pattern.first.rsplit("/", 1)[-1]
        if "=" in entry.rule.pattern.first:
            continue  # EP109 reports an assignment
        if entry.rule.pattern.canonical_matching or name == name.lower() or not _NAME.fullmatch(name):
            continue
        yield file.finding(
            "EP303",
            f"`{name}` is only matched in exactly this spelling",
            file.token_span(entry.group, 0, entry.rule.pattern.first),
            help="add `canonical_matching=True` if other spellings start the same program",
            fix=_fix(entry.group),
        )


def _fix(group: StatementGroup) -> Fix | None:
    call = group.call
    if call is None or not group.alone or not call.arguments or call.argument("canonical_matching") is not None:
        return None
    end = call.arguments[-1].end
    if any(argument.name is None or argument.name.startswith("*") for argument in call.arguments):
        return None
    edit = Edit(Span(end, end), ", canonical_matching=True")
    return Fix(title="compare without regard to case", edits=(edit,), applicability="unsafe")
