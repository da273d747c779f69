"""EP111 `dodged-flag`

## What it does
Finds a rule that forbids an option of a program whose options are not known.

## Why it matters
A forbidden option is found under every name that the program has for it, cut short and clustered, where these are
known. For any other program only the spelling in the rule is: behind `["deploy", "--force"]`, `deploy -f` and `deploy
--forc` get another decision.

## Example
```starlark
prefix_rule(pattern=["deploy", "--force"], decision="forbidden")
```

## Instead
```starlark
prefix_rule(pattern=["deploy", ["--force", "-f"]], decision="forbidden")
```
Or forbid the program as a whole and allow what is harmless elsewhere.

## Limits
Alternatives at the same place are taken to be all the names. A program by its path is looked up by its base name.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.lint.project import Findings, Project, RuleFile
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.meaning.command_line import is_option


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per forbidden option that may have other names."""
    for entry in project.entries_of(file):
        rule = entry.rule
        program = rule.pattern.first
        if rule.decision is not Decision.FORBIDDEN or rule.exact or grammar_of(program.rpartition("/")[2]) is not None:
            continue
        for position, tokens in enumerate(rule.pattern.rest, 1):
            if len(tokens) == 1 and is_option(tokens[0]) and tokens[0] != "--":
                yield file.finding(
                    "EP111",
                    f"`{tokens[0]}` is only forbidden as it is spelled: the options of `{program}` are not known",
                    file.token_span(entry.group, position, tokens[0]),
                    help="add its other names as alternatives, or forbid what is in front of it",
                )
