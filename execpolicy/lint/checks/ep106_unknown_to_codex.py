"""EP106 `unknown-to-codex`

## What it does
Finds what Codex refuses or ignores in a folder that it reads (`.codex/rules`, `~/.codex/rules`, `/etc/codex/rules`). It
ignores files whose names do not end in `.rules`, symbolic links and sub-folders. It refuses what only execpolicy knows,
such as `write_rule`, `safe_command`, `spelling` and `unless`.

## Why it matters
A file that is ignored forbids nothing. One unknown name makes Codex drop all rule files.

## Example
```starlark
# .codex/rules/writes.rules
write_rule(paths=["./build/**"])
```

## Instead
Put extensions into execpolicy's own folder, `~/.config/execpolicy/rules`.

## Limits
In a folder that is checked as a whole, a file that holds rules under another ending is reported wherever it lies.
Codex's home is taken from `CODEX_HOME`, else `~/.codex`.
"""

from __future__ import annotations

import os

from execpolicy.lint.project import Findings, Project, RuleFile
from execpolicy.lint.survey import codex_rules_folder

_EXTENSIONS = frozenset(("safe_command", "dangerous_command", "write_rule", "read_rule"))
_PARAMETERS = ("spelling", "unless", "sends", "ports_not")


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per statement or file that Codex would refuse or ignore."""
    folder = None if file.path is None else codex_rules_folder(file.path)
    if file.path is None or folder is None:
        return
    name = os.path.basename(file.path)
    if os.path.splitext(name)[1] != ".rules":
        yield file.finding("EP106", f"Codex ignores `{name}`: it only reads files that end in `.rules`", None)
    elif os.path.islink(file.path):
        yield file.finding("EP106", f"Codex ignores `{name}`: it is a symbolic link", None, help="copy the file")
    if os.path.dirname(os.path.abspath(file.path)) != folder:
        yield file.finding("EP106", f"Codex ignores `{name}`: it does not look into sub-folders", None)
    for call in file.tree.calls if file.tree is not None else ():
        given = [each for each in _PARAMETERS if call.argument(each) is not None]
        for unknown in [call.name] if call.name in _EXTENSIONS else given:
            yield file.finding(
                "EP106",
                f"Codex does not know `{unknown}` and drops all rule files because of it",
                call.name_span,
                help="move it into a folder that only execpolicy reads, such as `~/.config/execpolicy/rules`",
                severity="error",
            )
