"""EP402 `shell-allow`

## What it does
Finds an allow rule for a shell: `bash`, `sh`, `zsh` and the like, alone or with `-c`, under any path, or started by a
wrapper such as `env` or `sudo`.

## Why it matters
A shell runs anything. Such a rule allows every command there is; no other allow rule matters any more.

## Example
```starlark
prefix_rule(pattern=["bash", "-lc"])
```

## Instead
Nothing is needed: scripts are taken apart, and each command in them is decided by itself. For a script file, name it:
`["bash", "scripts/check.sh"]`.

## Limits
What the named script does is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.diagnostics.model import Diagnostic, Fix
from execpolicy.lint.project import Check, Project, RuleFile
from execpolicy.programs.breadth import runs_shell


def run(file: RuleFile, project: Project) -> Iterator[Diagnostic]:
    """Yield one diagnostic per allow rule for a shell."""
    for entry in project.entries_of(file):
        if entry.rule.decision is not Decision.ALLOW or not is_shell_rule(entry.rule.pattern):
            continue
        deletion = file.deletion(entry.group) if len(entry.group.statements) == 1 else None
        yield file.finding(
            "EP402",
            f"`{entry.rule.pattern}` allows a shell, and with it every command",
            file.span_of_rule(entry),
            help="delete it: the commands of a script are decided one by one",
            fix=Fix(title="delete the rule", edits=(deletion,), applicability="unsafe") if deletion else None,
        )


def is_shell_rule(pattern: PrefixPattern) -> bool:
    """Whether ``pattern`` accepts a shell without a script file."""
    return any(runs_shell(words) for words in islice(product(*pattern.positions()), 200))


CHECK = Check("EP402", run, __doc__)
