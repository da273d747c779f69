"""EP205 `unused-host-executable`

## What it does
Finds a `host_executable` for a program that no rule of the checked files is about.

## Why it matters
It only matters when a rule is looked up by the program's bare name. Without such a rule it is dead text, often left
over, or its name is misspelt.

## Example
```starlark
host_executable(name="got", paths=["/usr/bin/got"])
prefix_rule(pattern=["git", "push"], decision="prompt")
```

## Instead
Delete it, or correct the name.

## Limits
Rules in files that are not checked along are not seen.
"""

from __future__ import annotations

from execpolicy.core.rules import HostExecutable
from execpolicy.core.text import canonical
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per host executable that no rule needs."""
    groups = [group for group in file.groups if isinstance(group.statements[0], HostExecutable)]
    if not groups:
        return
    programs = {entry.rule.pattern.first for entry in project.entries}
    folded = {canonical(entry.rule.pattern.first) for entry in project.entries if entry.rule.pattern.canonical_matching}
    for group in groups:
        host = group.statements[0]
        if not isinstance(host, HostExecutable) or host.name in programs or canonical(host.name) in folded:
            continue
        yield file.finding(
            "EP205",
            f"no rule is about `{host.name}`",
            file.span_of(group),
            help="delete it, or correct the name",
            fix=file.deletion_fix(group, "delete it"),
        )
