"""``execpolicy lint``: reports problems in rule files, once or after every change, and fixes them."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from execpolicy.cli.argument_types import CODE, FILE
from execpolicy.cli.output import OK, PROBLEM, wants_color
from execpolicy.cli.rule_targets import STDIN, difference, read_source, rewrite, rule_files
from execpolicy.diagnostics.codes import CODES
from execpolicy.diagnostics.model import Applicability, Diagnostic
from execpolicy.diagnostics.render_formats import RENDERERS, render_github
from execpolicy.diagnostics.render_text import painter, render_text
from execpolicy.errors import ExecPolicyError, RuleStoreError, UsageError
from execpolicy.lint.config import FORMATS, SEVERITIES, Settings, find_settings, parse_severity, sift, write_baseline
from execpolicy.lint.lint_run import explain_code, fixed, lint, load_project, stray_files
from execpolicy.source import Source

_EVERY = 0.3
"""Seconds between two checks for changes."""
_CLEAR = "\x1b[2J\x1b[H"


def watch(targets: Iterable[str], again: Callable[[], object], *, clear: bool) -> None:
    """Call ``again`` now and after every change of the files and folders ``targets``. Only Ctrl-C ends it.

    Args:
        clear: empty the screen before each call.
    """
    named = tuple(targets)
    before: object = None
    while True:
        now = tuple(_state(named))
        if now != before:
            before = now
            if clear:
                click.echo(_CLEAR, nl=False)
            again()
            click.echo("watching; end with Ctrl-C", err=True)
            sys.stdout.flush()
        time.sleep(_EVERY)


def _state(targets: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """The time and size of each target and of each rule file in it; zeros if there is none."""
    for target in targets:
        below = [os.path.join(folder, name) for folder, _, names in os.walk(target) for name in names]
        for path in (target, *sorted([path for path in below if path.endswith(".rules")])):
            try:
                found = os.stat(path)
            except OSError:
                yield path, 0, 0
            else:
                yield path, found.st_mtime_ns, found.st_size


def report(found: Sequence[Diagnostic], form: str | None, files: Sequence[str], *, color: bool, known: int = 0) -> str:
    """The findings in the format ``form``.

    Args:
        form: ``None`` for text; in a GitHub workflow the text also has annotations, which GitHub shows next to
            the lines.
        files: the names of all checked files.
        known: number of findings that a baseline suppressed.
    """
    if form is None or form == "text":
        shown, more = _folded(found)
        parts = [render_text(shown, color=color) + "\n", *more] if found else []
        if form is None and os.environ.get("GITHUB_ACTIONS") == "true":
            parts.append(render_github(found))
        held = f" ({counted(known, 'finding')} of the baseline not shown)" if known else ""
        return "".join([*parts, summary(found, len(files), color=color), held, "\n"])
    return RENDERERS[form](found, files)


def _folded(found: Sequence[Diagnostic]) -> tuple[list[Diagnostic], list[str]]:
    """All errors and the first other findings of each code in a file, and one line about the rest of each."""
    shown: list[Diagnostic] = []
    rest: dict[tuple[str, str], list[int]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for each in found:
        kind = each.path, each.code
        seen[kind] += 1
        if seen[kind] > _SHOWN.get(each.severity, len(found)):
            rest.setdefault(kind, []).append(each.line)
        else:
            shown.append(each)
    more = []
    for (path, code), lines in rest.items():
        places = ", ".join(map(str, lines[:_PLACES])) + (", …" if len(lines) > _PLACES else "")
        more.append(f"{path}: {len(lines)} more {code} `{CODES[code].name}`: line {places}\n")
    return shown, [*more, "\n"] if more else []


@click.command(name="lint")
@click.option(
    "--select",
    multiple=True,
    type=CODE,
    metavar="CODES",
    help="Report only these: codes or beginnings (EP2), by commas.",
)
@click.option("--ignore", multiple=True, type=CODE, metavar="CODES", help="Do not report these.")
@click.option("--severity", type=click.Choice(SEVERITIES), help="The least severity that fails.  [default: warning]")
@click.option("--fix", is_flag=True, help="Apply the fixes that change no decision.")
@click.option("--unsafe-fixes", is_flag=True, help="Apply those that may change a decision, too.")
@click.option("--diff", is_flag=True, help="Write nothing: print what the fixes would change, and exit with 1 if any.")
@click.option("--baseline", type=FILE, help="Report only what is not in this baseline.")
@click.option("--write-baseline", "writes_baseline", is_flag=True, help="Write what is found now to the baseline.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="Output format.  [default: text]")
@click.option("--statistics", "counting", is_flag=True, help="Print how often each code is found, not where.")
@click.option("--watch", "watching", is_flag=True, help="Look again whenever a file changes, until Ctrl-C.")
@click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="What messages call standard input.")
@click.option("--list", "listing", is_flag=True, help="List all codes and stop.")
@click.option("--explain", "explained", type=CODE, metavar="CODE", help="Print the page of one code and stop.")
@click.argument("targets", nargs=-1, type=FILE, metavar="FILE...")
def command(
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    severity: str | None,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    baseline: str | None,
    writes_baseline: bool,
    form: str | None,
    counting: bool,
    watching: bool,
    stdin_filename: str,
    listing: bool,
    explained: str | None,
    targets: tuple[str, ...],
) -> int:
    """Report rules that are wrong, pointless, unclear or risky; `-` reads standard input.

    A folder means every *.rules file below it; without FILE the rules in force are meant. All files are read together.
    Settings come from `[tool.execpolicy.lint]` in pyproject.toml or `[lint]` in execpolicy.toml. Exit status 1 when
    something of at least the chosen severity was found.

    \b
    Examples:
      $ execpolicy lint .codex/rules
      $ execpolicy lint --fix --ignore EP3 .codex/rules
      $ execpolicy lint --format sarif .codex/rules > lint.sarif
    """
    if listing or explained is not None:
        click.echo(explain_code(explained) if explained is not None else _listing(), nl=False)
        return OK
    settings = find_settings(os.getcwd()).with_codes(_split(select), _split(ignore))
    if severity is not None:
        settings = replace(settings, fail_on=parse_severity(severity, "--severity"))
    run = _LintCall(
        targets=targets,
        settings=replace(settings, form=form or settings.form, baseline=baseline or settings.baseline),
        stdin_name=stdin_filename,
        fixes=("safe", "unsafe") if unsafe_fixes else ("safe",) if fix or diff else (),
        counting=counting,
    )
    if watching:
        if STDIN in targets or fix or unsafe_fixes or diff or writes_baseline:
            raise UsageError("--watch looks at files and changes none: leave the other options away")
        rule_files(targets, or_strays=True)
        watch(targets, run.look_safely, clear=sys.stdout.isatty())
    if diff:
        return run.show_fixes()
    return run.write_baseline() if writes_baseline else run.look()


@dataclass(frozen=True, kw_only=True)
class _LintCall:
    """One call of the command: the files to check, and the options."""

    targets: tuple[str, ...]
    settings: Settings
    stdin_name: str
    fixes: tuple[Applicability, ...]
    counting: bool

    def look(self) -> int:
        """Report the findings and return the exit status."""
        files, sources, unreadable = self._read()
        if self.fixes:
            sources = _fix(sources, self.settings, self.fixes)
        found = [*unreadable, *lint(load_project(sources), self.settings)]
        known = 0
        if self.settings.baseline is not None:
            found, known, gone = sift(found, self.settings.baseline)
            if gone:
                entries = counted(gone, "finding")
                click.echo(f"{entries} of the baseline not found any more: write it again", err=True)
        form, color = self.settings.form, wants_color(sys.stdout)
        if self.counting and form == "json":
            text = json.dumps(statistics(found), indent=2) + "\n"
        elif self.counting:
            text = f"{statistics_text(found, color=color)}{summary(found, len(files), color=color)}\n"
        else:
            text = report(found, form, files, color=color, known=known)
        click.echo(text, nl=False, color=color)
        worst = SEVERITIES.index(self.settings.fail_on)
        return PROBLEM if any(SEVERITIES.index(each.severity) <= worst for each in found) else OK

    def look_safely(self) -> None:
        """Report the findings, or the error that prevents it now."""
        try:
            self.look()
        except ExecPolicyError as error:
            click.echo(f"error: {error}", err=True)

    def show_fixes(self) -> int:
        """Print the changes that the fixes would make; return 1 if there are any."""
        _, sources, _ = self._read()
        changed = 0
        for (_, old), new in zip(sources, fixed(sources, self.settings, frozenset(self.fixes)), strict=True):
            changed += new.text != old.text
            click.echo(difference(old.text, new.text, old.name), nl=False)
        click.echo(f"would fix {counted(changed, 'file')}" if changed else "nothing to fix", err=True)
        return PROBLEM if changed else OK

    def write_baseline(self) -> int:
        """Save the findings as the baseline of later runs."""
        path = self.settings.baseline
        if path is None:
            raise UsageError("--write-baseline needs a file: name it with --baseline, or as `baseline` in the settings")
        _, sources, unreadable = self._read()
        count = write_baseline([*unreadable, *lint(load_project(sources), self.settings)], path)
        click.echo(f"{path}: {counted(count, 'finding')} kept", err=True)
        return OK

    def _read(self) -> tuple[list[str], list[tuple[str | None, Source]], list[Diagnostic]]:
        """The names of the files, their texts, and the findings about unreadable or misnamed files."""
        strays = _strays(self.targets, self.settings)
        files = rule_files(self.targets, or_strays=bool(strays))
        sources: list[tuple[str | None, Source]] = []
        unreadable: list[Diagnostic] = []
        for path in files:
            try:
                if path == STDIN:
                    named = os.path.abspath(self.stdin_name) if self.stdin_name != "<stdin>" else None
                    sources.append((named, read_source(path, self.stdin_name)))
                else:
                    sources.append((path, read_source(path)))
            except RuleStoreError as error:
                unreadable.append(Diagnostic(code="EP005", message=str(error), path=path))
        names = [self.stdin_name if path == STDIN else path for path in files]
        return names, sources, [*unreadable, *strays]


def _strays(targets: Sequence[str], settings: Settings) -> list[Diagnostic]:
    """Findings about misnamed files: those in the folders that no program reads."""
    if not settings.reports("EP106"):
        return []
    return [
        replace(found, severity=settings.severity_of("EP106", found.severity))
        for target in targets
        if os.path.isdir(target)
        for found in stray_files(target)
    ]


def _fix(
    sources: list[tuple[str | None, Source]], settings: Settings, trusted: Sequence[Applicability]
) -> list[tuple[str | None, Source]]:
    """Apply fixes and write the files. Standard input cannot be fixed in place."""
    if any(path is None or source.name == "<stdin>" for path, source in sources):
        raise UsageError("standard input cannot be fixed in place; name the file")
    result, written = write_fixes(sources, settings, frozenset(trusted))
    for path in written:
        click.echo(f"fixed {path}", err=True)
    return result


def _listing() -> str:
    return "".join([f"{row.code}  {row.severity:<8} {row.name:<24} {row.summary}\n" for row in CODES.values()])


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([code for value in values for code in value.split(",") if code.strip()])


_SEVERITIES = ("error", "warning", "info")
_SHOWN = {"warning": 10, "info": 3}
"""Number of findings of one code in a file that the text shows in full; errors are all shown."""
_PLACES = 12
"""Number of lines that are named for the others."""


def counted(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 or noun == "info" else f"{number} {noun}s"


def summary(found: Sequence[Diagnostic], files: int, *, color: bool = False) -> str:
    """One line about a run over ``files`` files."""
    paint = painter(color)
    if not found:
        return f"{paint('All checks passed', 'good')}: {counted(files, 'file')}"
    counts = [
        paint(counted(count, severity), severity)
        for severity in _SEVERITIES
        if (count := sum(each.severity == severity for each in found))
    ]
    touched = len({each.path for each in found})
    fixable = sum(_fixable(each) for each in found)
    where = f"{touched} of {counted(files, 'file')}" if touched < files else counted(files, "file")
    return f"found {', '.join(counts)} in {where}" + (f"; {fixable} can be fixed with --fix" if fixable else "")


def statistics(found: Sequence[Diagnostic]) -> list[dict[str, Any]]:
    """The number of findings for each code, the most frequent first."""
    counts = Counter([each.code for each in found])
    return [
        {
            "code": code,
            "name": CODES[code].name if code in CODES else None,
            "count": count,
            "severity": next(each.severity for each in found if each.code == code),
            "fixable": sum(_fixable(each) for each in found if each.code == code),
        }
        for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def statistics_text(found: Sequence[Diagnostic], *, color: bool = False) -> str:
    """The statistics as a table for people, one line for each code."""
    paint = painter(color)
    return "".join(
        f"{row['count']:>5}  {paint(row['code'], row['severity'])}  {row['severity']:<8} {row['name']}"
        + (f" ({row['fixable']} can be fixed)" if row["fixable"] else "")
        + "\n"
        for row in statistics(found)
    )


def _fixable(found: Diagnostic) -> bool:
    return found.fix is not None and found.fix.applicability == "safe"


def write_fixes(
    sources: Sequence[tuple[str | None, Source]], settings: Settings, trusted: frozenset[Applicability]
) -> tuple[list[tuple[str | None, Source]], list[str]]:
    """The sources with every trusted fix applied, and the files that were written.

    Raises:
        RuleStoreError: a file cannot be written, or was changed meanwhile; it then keeps its text.
    """
    result: list[tuple[str | None, Source]] = []
    written: list[str] = []
    for (path, old), new in zip(sources, fixed(sources, settings, trusted), strict=True):
        if path is not None and new.text != old.text:
            if not rewrite(path, _if_unchanged(old.text, new.text)):
                raise RuleStoreError(f"{path} was changed by another program while it was being fixed; run lint again")
            written.append(path)
        result.append((path, new))
    return result, written


def _if_unchanged(old: str, new: str) -> Callable[[str], str]:
    return lambda now: new if now == old else now
