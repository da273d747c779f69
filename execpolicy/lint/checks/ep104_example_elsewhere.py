"""EP104 `example-elsewhere`

## What it does
Looks at the `match` examples of each rule with all rules in force. It reports an example that gets a stricter
decision from another rule, and (next to the failing example itself) one that only another rule matches.

## Why it matters
An example is what the author believes the rule is for. If another rule decides, the belief is wrong.

## Example
```starlark
prefix_rule(pattern=["git", "push"], decision="allow", match=["git push --force"])
prefix_rule(pattern=["git", "push", "--force"], decision="forbidden")
```

## Instead
Choose an example that the rule decides, or change one of the two rules.

## Limits
Only examples that are literals are looked at, and only rules of the files that are checked together.
"""

from __future__ import annotations

from collections.abc import Iterator

from execpolicy.core.quoting import join, split
from execpolicy.core.rules import PrefixRule
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.lang.builtin_calls import Value
from execpolicy.lint.project import Check, Project, RuleFile, StatementGroup


def run(file: RuleFile, project: Project) -> Iterator[Diagnostic]:
    """Yield one diagnostic per example that another rule decides."""
    for group in file.groups:
        examples = file.argument(group, "match")
        if examples is None or not isinstance(group.statements[0], PrefixRule):
            continue
        for example in examples.items:
            argv = _argv(example)
            if argv:
                yield from _look(file, project, group, example, argv)


def _argv(example: Value) -> tuple[str, ...] | None:
    if example.kind == "string" and example.value is not None:
        words = split(example.value)
        return tuple(words) if words else None
    return example.strings()


def _look(
    file: RuleFile, project: Project, group: StatementGroup, example: Value, argv: tuple[str, ...]
) -> Iterator[Diagnostic]:
    matches = project.policy.matches(argv)
    if not matches:
        return
    own = [match for match in matches if any(match.rule is statement for statement in group.statements)]
    winner = max(matches, key=lambda match: match.rule.decision)
    if own and winner.rule.decision <= max(match.rule.decision for match in own):
        return
    shown = join(argv)
    if own:
        message = f"`{shown}` gets {winner.rule.decision.word} from `{winner.rule.pattern}` at {winner.rule.place}"
    else:
        message = f"`{shown}` is only matched by `{winner.rule.pattern}` at {winner.rule.place}"
    yield file.finding(
        "EP104", message, example.span, help="choose an example that this rule decides, or change one of the rules"
    )


CHECK = Check("EP104", run, __doc__)
