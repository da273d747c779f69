"""EP206 `host-executable-replaced`

## What it does
Finds a `host_executable` that a later one of the same name replaces, also in another file.

## Why it matters
The lists are not joined: only the last one counts. A path that only the earlier list contains is no longer accepted,
and `paths=[]` at the end blocks them all.

## Example
```starlark
host_executable(name="git", paths=["/usr/bin/git"])
host_executable(name="git", paths=["/opt/git/bin/git"])
```

## Instead
```starlark
host_executable(name="git", paths=["/usr/bin/git", "/opt/git/bin/git"])
```

## Limits
Files count in the order in which they are given; a folder's files are taken by name.
"""

from __future__ import annotations

from execpolicy.core.rules import HostExecutable
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per host executable that is not the last of its name."""
    last = project.policy.host_executables
    for group in file.groups:
        host = group.statements[0]
        if not isinstance(host, HostExecutable):
            continue
        winner = last[host.name]
        if any(winner is each for each in group.statements):
            continue
        lost = [path for path in host.paths if path not in winner.paths]
        message = f"the later `host_executable` for `{host.name}` at {winner.place} replaces this one"
        if lost:
            message += f", and `{lost[0]}` is lost"
        yield file.finding(
            "EP206",
            message,
            file.span_of(group),
            help="write all paths into one list",
            fix=file.deletion_fix(group, "delete it"),
        )
