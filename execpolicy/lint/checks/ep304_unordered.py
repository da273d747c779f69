"""EP304 `unordered`

## What it does
Finds a rule for a program that the file has left already: rules for other programs stand between it and the rules
before it.

## Why it matters
Order changes nothing for the machine. For a reader, all rules for `git` in one place are the policy for `git`;
scattered, they are a puzzle.

## Example
```starlark
prefix_rule(pattern=["git", "status"], match=["git status"])
prefix_rule(pattern=["ls"], match=["ls -l"])
prefix_rule(pattern=["git", "log"], match=["git log"])
```

## Instead
Move the rule up to the others.

## Limits
Lines that an approval has written (allow, pattern only) are left alone: they are always appended. Only plain
statements are looked at.
"""

from __future__ import annotations

from execpolicy.core.rules import PrefixRule
from execpolicy.lint.fixes import is_amendment
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that is separated from the other rules for its program."""
    last_line: dict[str, int] = {}
    current = ""
    for group in file.groups:
        rule = group.statements[0]
        if not isinstance(rule, PrefixRule) or not group.alone:
            continue
        if is_amendment(group):
            continue
        program = rule.pattern.first
        if program != current and program in last_line and len(group.statements) == 1:
            yield file.finding(
                "EP304",
                f"other rules for `{program}` stand further up, the last in line {last_line[program]}",
                file.span_of(group),
                help="move it to them",
            )
        current = program
        last_line[program] = group.line
