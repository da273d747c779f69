"""EP404 `wide-value`

## What it does
Finds a value of `safe_command` that means the files below a folder or the addresses on a host, and accepts others.

## Why it matters
`*` means any text without `..` and without a user in front of a host. It knows no links: where `build/out` leads
to the home folder, `build/*` accepts what lies there. And it knows no end of a host: `http://localhost*` accepts
`http://localhost.evil.example`. The forms `below:DIR` and `url:HOST` follow links and compare the whole host.

## Example
```starlark
safe_command(name="show", program="show", reason="prints", operands=[["build/*", "http://localhost:*"], "+"])
```

## Instead
```starlark
safe_command(name="show", program="show", reason="prints", operands=[["below:build", "url:localhost"], "+"])
```

## Limits
What ends with `/*` is taken for a folder, though it may be a branch (`origin/*`); a list with `%project-path` or
another of these forms is left alone. The fix changes what is accepted (`./build/x` is, too), so it is not safe.
"""

from __future__ import annotations

from collections.abc import Iterator

from execpolicy.diagnostics.model import Diagnostic, Edit, Fix
from execpolicy.lang.terminals import encode_string
from execpolicy.lint.project import Findings, Project, RuleFile, StatementGroup
from execpolicy.safety.entries import SafeCommand
from execpolicy.safety.locations import is_plain_folder
from execpolicy.source import Span

_SCHEMES = ("http://", "https://")
_EXAMPLES = ("match", "not_match", "environment")


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per wide value."""
    seen: set[Span] = set()
    for group in file.groups:
        for entry in group.statements:
            if isinstance(entry, SafeCommand):
                for key, argument in entry.arguments.items():
                    for value, form in _wide(argument) if key not in _EXAMPLES else ():
                        for span in dict.fromkeys(_places(file, group, value)):
                            if span not in seen:
                                seen.add(span)
                                yield _finding(file, value, form, span)


def _places(file: RuleFile, group: StatementGroup, value: str) -> Iterator[Span]:
    """The spans of ``value`` in the text, also in a list that several entries share; otherwise the span of the call."""
    text, literal = file.source.text, encode_string(value)
    at = text.find(literal)
    if at < 0:
        yield file.span_of(group)
    while at >= 0:
        yield Span(at, at + len(literal))
        at = text.find(literal, at + 1)


def _finding(file: RuleFile, value: str, form: str, span: Span) -> Diagnostic:
    folder = form.startswith("below:")
    written = file.source.text[span.start : span.end] == encode_string(value)
    edit = Edit(span, encode_string(form))
    return file.finding(
        "EP404",
        f"`{value}` also accepts what {'a link there leads to' if folder else 'other hosts serve'}",
        span,
        help=f"write `{form}`",
        fix=Fix(title=f"write `{form}`", edits=(edit,), applicability="unsafe") if written else None,
        severity="info" if folder else None,
    )


def _wide(argument: object) -> Iterator[tuple[str, str]]:
    """The values in ``argument`` that have a form, each with its form."""
    if isinstance(argument, dict):
        for each in argument.values():
            yield from _wide(each)
    elif isinstance(argument, (list, tuple)):
        located = any(
            isinstance(each, str) and each.startswith("%") and ("-path" in each or ":" in each) for each in argument
        )
        for each in argument:
            form = _form(each) if isinstance(each, str) and not located else None
            if form is not None:
                yield str(each), form
            elif not isinstance(each, str):
                yield from _wide(each)


def _form(value: str) -> str | None:
    """The form that ``value``, which ends with its only ``*``, is intended for."""
    beginning = value[:-1]
    if value[-1:] != "*" or "*" in beginning or "?" in beginning:
        return None
    for scheme in _SCHEMES:
        host = beginning[len(scheme) :].partition(":")[0]
        if beginning.startswith(scheme):
            return f"url:{host}" if host and "/" not in beginning[len(scheme) :] else None
    folder = beginning[:-1].removeprefix("./")
    return f"below:{folder}" if beginning[-1:] == "/" and is_plain_folder(folder) else None
