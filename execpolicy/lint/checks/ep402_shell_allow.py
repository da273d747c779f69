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

_SHELLS = frozenset((
    "bash", "sh", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "pwsh", "powershell", "cmd",
    "nu", "elvish", "xonsh",
))  # fmt: skip
_WRAPPERS = frozenset(("env", "sudo", "doas", "nohup", "nice", "time", "command", "exec", "setsid", "busybox"))


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
    return any(_is_shell(words) for words in islice(product(*pattern.positions()), 200))


def _is_shell(words: tuple[str, ...]) -> bool:
    while len(words) > 1 and _name(words[0]) in _WRAPPERS:
        words = words[1:]
    if _name(words[0]) not in _SHELLS:
        return False
    return all(word.startswith(("-", "/c", "/k", "/C", "/K")) and "/" not in word[1:] for word in words[1:])


def _name(program: str) -> str:
    name = program.replace("\\", "/").rsplit("/", 1)[-1].lower()
    return name.removesuffix(".exe")


CHECK = Check("EP402", run, __doc__)
