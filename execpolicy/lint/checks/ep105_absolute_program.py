"""EP105 `absolute-program`

## What it does
Finds a rule for a program that is given by its path, where no `host_executable` connects the path with the program's
name.

## Why it matters
`/usr/bin/git` in a pattern matches commands that spell the program exactly so. An agent writes `git`. A forbid rule
for the path forbids nothing in practice, an allow rule allows nothing.

## Example
```starlark
prefix_rule(pattern=["/usr/bin/git", "push"], decision="prompt")
```

## Instead
```starlark
host_executable(name="git", paths=["/usr/bin/git"])
prefix_rule(pattern=["git", "push"], decision="prompt")
```

## Limits
A relative path is reported, too, in a rule that asks or forbids: what it means depends on the working folder. One
that begins with `./`, such as `./gradlew`, is not, nor is one that is allowed, such as `.venv/bin/python`: that is how
everybody calls such a program. Of an allowed shell EP402 says what matters.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_path
from execpolicy.lint.project import Findings, Project, RuleFile
from execpolicy.programs.breadth import runs_shell

_NO_PATH = ("./", "~", "$")
"""Prefixes of a program that are common in this form, or that EP102 reports."""


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule for a path that no host executable knows."""
    hosts = project.policy.host_executables
    for entry in project.entries_of(file):
        program = entry.rule.pattern.first
        if "/" not in program or program.endswith("/") or program.startswith(_NO_PATH):
            continue
        if entry.rule.decision is Decision.ALLOW and (program[0] != "/" or runs_shell((program,))):
            continue  # commands use this path; EP402 reports a shell
        name = program.rsplit("/", 1)[1]
        host = hosts.get(name)
        if host is not None and program.startswith("/") and normalise_path(program) in host.paths:
            continue
        yield file.finding(
            "EP105",
            f"this rule only matches commands that spell the program `{program}`",
            file.token_span(entry.group, 0, program),
            help=f"write `{name}`"
            + (f' and `host_executable(name="{name}", paths=["{program}"])`' if program.startswith("/") else ""),
        )
