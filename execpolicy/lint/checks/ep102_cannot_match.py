"""EP102 `cannot-match`

## What it does
Finds tokens that no command can have at that place. Examples are an empty program, a whole command line in one token,
`~` or a variable as the program, and `*` that seems to be meant as a wildcard.

## Why it matters
Tokens are compared as they are. There are no wildcards and no expansions, so such a rule matches nothing, and what it
should forbid is not forbidden.

## Example
```starlark
prefix_rule(pattern=["git push"], decision="forbidden")
prefix_rule(pattern=["npm", "run", "test:*"])
```

## Instead
```starlark
prefix_rule(pattern=["git", "push"], decision="forbidden")
prefix_rule(pattern=["npm", "run", ["test:unit", "test:e2e"]])
```

## Limits
`*` is a warning only, because a quoted one does reach the program, and no finding among alternatives that are none.
"""

from __future__ import annotations

import re

from execpolicy.core.quoting import split
from execpolicy.diagnostics.model import Diagnostic, Edit, Fix, Severity
from execpolicy.lang.terminals import encode_string
from execpolicy.lint.project import Findings, ListedRule, Project, RuleFile

_TAKES_A_GLOB = frozenset(
    ["-name", "-iname", "-path", "-ipath", "-wholename", "-lname", "-g", "--glob", "--include", "--exclude", "--iglob"]
)
"""Options whose value is a glob for the program: a quoted `*` reaches the program unchanged."""

_HARMLESS = re.compile(r"[A-Za-z0-9_./=:,@+-]*")
"""Matches text without the characters that this check reports."""


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per token that cannot be matched."""
    for entry in project.entries_of(file):
        positions = entry.rule.pattern.positions()
        if _HARMLESS.fullmatch("".join(["".join(tokens) for tokens in positions])) and positions[0][0]:
            continue
        for position, tokens in enumerate(positions):
            for token in tokens:
                found = _program_problem(token) if position == 0 else None
                found = found or _token_problem(token)
                if not position or _TAKES_A_GLOB.isdisjoint(positions[position - 1]):
                    found = found or _wildcard(tokens, token)
                if found is not None:
                    yield _finding(file, entry, position, token, *found)


def _program_problem(token: str) -> tuple[str, str, Severity] | None:
    if not token:
        return "the program is an empty word, which no command has", "write the program's name", "error"
    if " " in token.strip() and "/" not in token:
        return (
            f"`{token}` is one token, so it only matches a program with that whole name",
            "write each word as a token of its own",
            "error",
        )
    if "(" in token or ")" in token:
        return (
            f"`{token}` is no program: brackets are another tool's way to write permissions",
            "write the words of the command as tokens, or let `execpolicy import` do it",
            "error",
        )
    if token.startswith(("~", "$")):
        return (
            f"`{token}` is compared as written, but a shell expands it before the program runs",
            "write the whole path, or the bare name and a `host_executable`",
            "error",
        )
    return None


def _token_problem(token: str) -> tuple[str, str, Severity] | None:
    if "\0" in token:
        return "a token holds NUL, which no argument can hold", "remove the NUL", "error"
    return None


def _wildcard(tokens: tuple[str, ...], token: str) -> tuple[str, str, Severity] | None:
    """The finding about a wildcard; ``None`` among alternatives without wildcards, where a `*` is meant literally."""
    if not all(each.endswith("*") and not each.startswith("-") for each in tokens):
        return None
    return (
        f"`{token}` is no wildcard: tokens are compared as they stand",
        "end the pattern in front of it (a pattern is a prefix), or list the tokens",
        "warning",
    )


def _finding(
    file: RuleFile, entry: ListedRule, position: int, token: str, message: str, help: str, severity: Severity
) -> Diagnostic:
    span = file.token_span(entry.group, position, token)
    words = split(token) if position == 0 and " " in token else None
    fix = None
    if words and file.source.snippet(span) == encode_string(token) and _is_whole_position(file, entry):
        text = ", ".join([encode_string(word) for word in words])
        fix = Fix(title="split it into words", edits=(Edit(span, text),), applicability="unsafe")
    return file.finding("EP102", message, span, help=help, fix=fix, severity=severity)


def _is_whole_position(file: RuleFile, entry: ListedRule) -> bool:
    pattern = file.argument(entry.group, "pattern")
    return pattern is not None and bool(pattern.items) and pattern.items[0].kind == "string"
