"""EP202 `subsumed`

## What it does
Finds a rule that other rules with the same decision cover completely, alone or together.

## Why it matters
It changes no decision. The reader believes it does, and rule files grow too long to read.

## Example
```starlark
prefix_rule(pattern=["git"], decision="prompt")
prefix_rule(pattern=["git", "push"], decision="prompt")
```

## Instead
Delete the narrower rule, or narrow the broader one.

## Limits
The answer is exact: patterns accept finitely many tokens in each position, and a rule that asks or forbids covers
what it sees by meaning (`["rm", "-fr"]` covers `["rm", "-rf"]`), as the judge says. Patterns with very
many combinations are left alone. So is one that runs others (`["sudo", "rm"]`) and is covered by a rule for what it
runs: words in between may make it run something else. A rule with a justification or examples of its own, or
that is covered by meaning, which Codex does not look at, is only deleted by an unsafe fix.
"""

from __future__ import annotations

from execpolicy.lint.coverage import idle_in
from execpolicy.lint.fixes import delete_rule
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that others with the same decision cover."""
    for entry, idle in idle_in(file, project, "subsumed"):
        by = " and ".join([f"`{other.rule.pattern}` at {other.place}" for other in idle.by[:2]])
        more = f" and {len(idle.by) - 2} more" if len(idle.by) > 2 else ""
        yield file.finding(
            "EP202",
            f"`{entry.rule.pattern}` is already covered by {by}{more}",
            file.span_of_rule(entry),
            help="delete this rule, or narrow the broader one",
            fix=delete_rule(file, entry, None, unsafe=idle.by_meaning),
        )
