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
A rule for a shell with a whole script (`["bash", "-lc", "git status"]`), as Codex saves them, never allows anything
here, and the fix writes rules for what the script runs.

Nothing is needed: scripts are taken apart, and each command in them is decided by itself. For a script file, name it:
`["bash", "scripts/check.sh"]`.

## Limits
What the named script does is not looked at.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice, product

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.quoting import join
from execpolicy.diagnostics.model import Edit, Fix
from execpolicy.judge.reading import read_command
from execpolicy.lang.render import render_prefix_rule
from execpolicy.lint.project import MOST_KEPT, Findings, ListedRule, Project, RuleFile
from execpolicy.programs.breadth import MOST_COMBINATIONS, changes_operands, is_known, runs_shell, why_broad, worst_of


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per allow rule for a shell."""
    for entry in project.entries_of(file):
        if entry.rule.decision is not Decision.ALLOW:
            continue
        if not is_shell_rule(entry.rule.pattern):
            yield from _never_grants(file, entry)
            continue
        yield file.finding(
            "EP402",
            f"allowing `{entry.rule.pattern}` allows `{_worst(entry.rule.pattern)}`: a shell runs every command",
            file.span_of_rule(entry),
            help="delete it: the commands of a script are decided one by one",
            fix=file.deletion_fix(entry.group),
        )


def _never_grants(file: RuleFile, entry: ListedRule) -> Findings:
    """Findings about a rule for a shell with a script, as Codex saves them: a script is never compared as a whole."""
    pattern = entry.rule.pattern
    if len(pattern) < 3 or not runs_shell((pattern.first, pattern.rest[0][0])):
        return
    positions = pattern.positions()
    words = tuple([tokens[0] for tokens in positions])
    if any(len(tokens) > 1 for tokens in positions):
        return
    if words[1][:1] != "-" or "c" not in words[1]:
        return
    script = read_command(words)
    runs = [command.plain_argv for command in script.commands]
    named = [argv for argv in dict.fromkeys(runs) if argv and _may_be_named(argv)]
    fix = None
    assigns = any(command.assignments for command in script.commands)  # which a rule does not allow
    if (
        named
        and not assigns
        and None not in runs
        and script.status != "opaque"
        and entry.group.alone
        and len(named) == len(set(runs))
    ):
        text = "\n".join([render_prefix_rule(argv) for argv in named])
        edit = Edit(file.span_of_rule(entry), text)
        fix = Fix(title="allow the commands of the script instead", edits=(edit,), applicability="unsafe")
    yield file.finding(
        "EP402",
        f"`{entry.rule.pattern}` never allows anything: the commands of a script are decided one by one",
        file.span_of_rule(entry),
        help="write a rule for each command that the script runs, or delete it",
        fix=fix,
        severity="warning",
    )


def _may_be_named(argv: tuple[str, ...]) -> bool:
    """True if a rule for the prefix ``argv`` is no more dangerous than the script."""
    return why_broad(argv) is None and not runs_shell(argv) and not changes_operands(argv[0])


def _worst(pattern: PrefixPattern) -> str:
    """The most dangerous command that a rule for a shell covers."""
    words = next(words for words in product(*pattern.positions()) if runs_shell(words))
    worst = worst_of(words)
    return join(worst.words if worst is not None else (*words, "./evil"))


def is_shell_rule(pattern: PrefixPattern) -> bool:
    """True if ``pattern`` accepts a shell without a script file."""
    return is_known(pattern.first) and _accepts_shell(pattern.positions())


@lru_cache(maxsize=MOST_KEPT)
def _accepts_shell(positions: tuple[tuple[str, ...], ...]) -> bool:
    return any(runs_shell(words) for words in islice(product(*positions), MOST_COMBINATIONS))
