"""EP110 `unlocatable`

## What it does
Finds rules whose place in the text cannot be shown exactly: calls in loops, comprehensions and functions, several
calls in one line, and calls of a builtin under another name.

## Why it matters
Decisions name the file and line of the rule that made them. Where one call makes many rules, the line alone does not
say which one it was, and no tool can change just that rule.

## Example
```starlark
[prefix_rule(pattern=["git", sub]) for sub in ["status", "log"]]
```

## Instead
```starlark
prefix_rule(pattern=["git", ["status", "log"]])
```

## Limits
Reported once for each line, as information.
"""

from __future__ import annotations

from execpolicy.lint.project import Findings, Project, RuleFile, StatementGroup

_WHERE = {
    "for_stmt": "in a loop",
    "list_comprehension": "in a comprehension",
    "dict_comprehension": "in a comprehension",
    "def_stmt": "in a function",
    "lambda_expr": "in a function",
}


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per line whose rules cannot be distinguished."""
    seen: set[int] = set()
    for group in file.groups:
        why = _why(file, group)
        if why is None or group.line in seen:
            continue
        seen.add(group.line)
        yield file.finding(
            "EP110",
            why,
            file.span_of(group),
            help="write each rule as a statement of its own; alternatives in a pattern often replace a loop",
        )


def _why(file: RuleFile, group: StatementGroup) -> str | None:
    if group.call is not None:
        where = next((_WHERE[kind] for kind in group.call.context if kind in _WHERE), None)
        return f"this call is {where}, so its rules share one place" if where else None
    calls = file.tree.calls_at_line(group.line) if file.tree is not None else ()
    if len(calls) > 1:
        return "several calls share this line, so their rules share one place"
    return "this line makes rules under another name than the builtin's, so their call cannot be shown"
