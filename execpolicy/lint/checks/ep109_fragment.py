"""EP109 `fragment`

## What it does
Finds rules that are pieces of a script: keywords (`do`, `done`, `fi`), operators (`&&`, `|`, `2>&1`) and redirections
as tokens, here-documents, tokens with line breaks, assignments in the place of the program.

## Why it matters
They come from approvals that cut a script in the wrong place. No command has these words, so the rule never matches,
and the prompt comes again and again.

## Example
```starlark
prefix_rule(pattern=["do", "rm", "-r"])
prefix_rule(pattern=["FOO=1", "make"])
```

## Instead
Save a rule for the command itself: `execpolicy allow -- make`.

## Limits
An operator as a literal argument (`expr 3 "|" 4`) is reported as well; silence it with `# noqa: EP109`.
"""

from __future__ import annotations

import re

from execpolicy.lint.project import Findings, Project, RuleFile
from execpolicy.programs.breadth import runs_shell

_KEYWORDS = frozenset((
    "!", "{", "}", "((", "))", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "until", "while",
))  # fmt: skip
_OPERATORS = re.compile(
    r"&&|\|\|?|\|&|;;?|&|[0-9]*(?:>>?|<<?<?|>\||>&|<&)[0-9-]?|&>>?|[0-9]*>&[0-9-]|<<-?\S*"
    r"|[0-9]+>>?\S+|&?>>?/dev/\S+|</dev/\S+"
)
_IN_FRAGMENTS = re.compile(r"[&|;<>\n\r]")
"""Characters without which only the program can be a piece of shell syntax."""
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=", re.ASCII)


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that contains a piece of shell syntax."""
    for entry in project.entries_of(file):
        pattern = entry.rule.pattern
        in_first, in_rest = _why(pattern.first, 0), any(map(_IN_FRAGMENTS.search, map("".join, pattern.rest)))
        for position, tokens in enumerate(pattern.positions() if in_first or in_rest else ()):
            found = next(((token, why) for token in tokens if (why := _why(token, position))), None)
            if found is None:
                continue
            if runs_shell(tuple([tokens[0] for tokens in entry.rule.pattern.positions()[:2]])):
                break  # EP402 reports a whole script
            token, why = found
            yield file.finding(
                "EP109",
                why,
                file.token_span(entry.group, position, token),
                help="rules are for single commands: save one for the command itself",
                fix=file.deletion_fix(entry.group),
            )
            break


def _why(token: str, position: int) -> str | None:
    if "\n" in token or "\r" in token:
        return "a token holds a line break: a piece of a script was saved as a rule"
    if _OPERATORS.fullmatch(token):
        return f"`{token}` is an operator of the shell, not an argument"
    if position == 0 and token in _KEYWORDS:
        return f"`{token}` is a keyword of the shell, not a program"
    if position == 0 and _ASSIGNMENT.match(token):
        return f"`{token}` is an assignment, not a program"
    return None
