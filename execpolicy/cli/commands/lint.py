"""``execpolicy lint``: problems in rule files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from typing import Any

import click

from execpolicy import diagnostics
from execpolicy.cli.argument_types import FILE
from execpolicy.cli.output import OK, PROBLEM
from execpolicy.cli.rewrite import rewrite
from execpolicy.cli.rule_targets import STDIN, read_source, rule_files
from execpolicy.diagnostics.codes import CODES
from execpolicy.diagnostics.model import Applicability, Diagnostic
from execpolicy.errors import RuleStoreError, UsageError
from execpolicy.lint.config import SEVERITIES, Settings, find_settings, parse_severity
from execpolicy.lint.lint_run import fixed, lint
from execpolicy.lint.load_project import load_project
from execpolicy.lint.pages import explain_code
from execpolicy.lint.strays import stray_files
from execpolicy.source import Source

_FOLDER = os.path.dirname(diagnostics.__file__)
FORMATS = sorted([name[7:-3] for name in os.listdir(_FOLDER) if name.startswith("render_")])
"""The renderers in ``execpolicy.diagnostics``."""


@click.command(name="lint")
@click.option(
    "--select", multiple=True, metavar="CODES", help="Report only these: codes or beginnings (EP2), by commas."
)
@click.option("--ignore", multiple=True, metavar="CODES", help="Do not report these.")
@click.option("--severity", type=click.Choice(SEVERITIES), help="The least severity that fails.  [default: warning]")
@click.option("--fix", is_flag=True, help="Apply the fixes that change no decision.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix: apply those that may change a decision, too.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Output format.  [default: text on a terminal, else json]"
)
@click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="What messages call standard input.")
@click.option("--list", "listing", is_flag=True, help="List all codes and stop.")
@click.option("--explain", "explained", metavar="CODE", help="Print the page of one code and stop.")
@click.argument("targets", nargs=-1, type=FILE, metavar="FILE...")
def command(
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    severity: str | None,
    fix: bool,
    unsafe_fixes: bool,
    form: str | None,
    stdin_filename: str,
    listing: bool,
    explained: str | None,
    targets: tuple[str, ...],
) -> int:
    """Report rules that are wrong, pointless, unclear or risky; `-` reads standard input.

    A folder stands for every *.rules file below it. All files are looked at together. Settings come from
    `[tool.execpolicy.lint]` in pyproject.toml or `[lint]` in execpolicy.toml. Exit status 1 when something of at least
    the chosen severity was found.

    \b
    Examples:
      $ execpolicy lint .codex/rules
      $ execpolicy lint --fix --ignore EP3 .codex/rules
      $ execpolicy lint --format sarif .codex/rules > lint.sarif
    """
    if listing or explained is not None:
        click.echo(explain_code(explained) if explained is not None else _listing(), nl=False)
        return OK
    files = rule_files(targets)
    settings = find_settings(os.getcwd()).with_codes(_split(select), _split(ignore))
    fail_on = parse_severity(severity, "--severity") if severity is not None else settings.fail_on
    sources, unreadable = _read(files, stdin_filename)
    if fix or unsafe_fixes:
        sources = _fix(sources, settings, unsafe_fixes)
    project = load_project(sources)
    found = [*unreadable, *_strays(targets, settings), *lint(project, settings)]
    text = _rendered(found, form or ("text" if sys.stdout.isatty() else "json"), files, stdin_filename)
    click.echo(text, nl=False)
    worst = SEVERITIES.index(fail_on)
    return PROBLEM if any(SEVERITIES.index(each.severity) <= worst for each in found) else OK


def _strays(targets: Sequence[str], settings: Settings) -> list[Diagnostic]:
    """Findings about files in the folders that nothing reads."""
    if not settings.reports("EP106"):
        return []
    return [
        replace(found, severity=settings.severity_of("EP106", found.severity))
        for target in targets
        if os.path.isdir(target)
        for found in stray_files(target)
    ]


def _read(files: Sequence[str], stdin_name: str) -> tuple[list[tuple[str | None, Source]], list[Diagnostic]]:
    """The texts, and a finding for each file that has none."""
    sources: list[tuple[str | None, Source]] = []
    unreadable: list[Diagnostic] = []
    for path in files:
        try:
            if path == STDIN:
                named = os.path.abspath(stdin_name) if stdin_name != "<stdin>" else None
                sources.append((named, read_source(path, stdin_name)))
            else:
                sources.append((path, read_source(path)))
        except RuleStoreError as error:
            unreadable.append(Diagnostic(code="EP005", message=str(error), path=path))
    return sources, unreadable


def _fix(sources: list[tuple[str | None, Source]], settings: Settings, unsafe: bool) -> list[tuple[str | None, Source]]:
    """Apply fixes and write the files; standard input cannot be fixed in place."""
    trusted: frozenset[Applicability] = frozenset(("safe", "unsafe") if unsafe else ("safe",))
    if any(path is None or source.name == "<stdin>" for path, source in sources):
        raise UsageError("standard input cannot be fixed in place; name the file")
    after = fixed(sources, settings, trusted)
    result: list[tuple[str | None, Source]] = []
    for (path, old), new in zip(sources, after, strict=True):
        if path is not None and new.text != old.text:
            written = rewrite(path, _if_unchanged(old.text, new.text))
            if not written:
                raise RuleStoreError(f"{path} was changed by another program while it was being fixed; run lint again")
            click.echo(f"fixed {path}", err=True)
        result.append((path, new))
    return result


def _if_unchanged(old: str, new: str) -> Callable[[str], str]:
    return lambda now: new if now == old else now


def _rendered(found: list[Diagnostic], form: str, files: Sequence[str], stdin_name: str) -> str:
    if form != "text":
        more: dict[str, Any] = {}
        if form == "sarif":
            more["version"] = version("execpolicy")
        elif form == "junit":
            more["files"] = [stdin_name if path == STDIN else path for path in files]
        text: str = getattr(import_module(f"execpolicy.diagnostics.render_{form}"), f"render_{form}")(found, **more)
        return text
    from execpolicy.cli.output import wants_color
    from execpolicy.diagnostics.render_text import render_text

    text = render_text(found, color=wants_color(sys.stdout))
    return f"{text}\n{_summary(found)}\n" if found else "no problems found\n"


def _summary(found: list[Diagnostic]) -> str:
    counts = [
        f"{count} {severity}{'s' if count > 1 and severity != 'info' else ''}"
        for severity in SEVERITIES
        if (count := sum(each.severity == severity for each in found))
    ]
    fixable = sum(each.fix is not None and each.fix.applicability == "safe" for each in found)
    return f"found {', '.join(counts)}" + (f"; {fixable} can be fixed with --fix" if fixable else "")


def _listing() -> str:
    return "".join([f"{row.code}  {row.severity:<8} {row.name:<24} {row.summary}\n" for row in CODES.values()])


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([code for value in values for code in value.split(",") if code.strip()])
