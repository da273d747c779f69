"""``execpolicy test``: run the examples in rule files and case files."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import click

from execpolicy.atomic_write import write_whole
from execpolicy.cli.argument_types import FILE
from execpolicy.cli.judgement import situation_at
from execpolicy.cli.layer_arguments import CWD, FORMAT
from execpolicy.cli.loading import load_rulebook
from execpolicy.cli.output import OK, PROBLEM, dumps, wants_color, write_line
from execpolicy.cli.page.explain_html import coverage_document
from execpolicy.cli.rule_options import layers_of
from execpolicy.cli.rule_targets import files_in_force, require_something, rule_files_below
from execpolicy.core.quoting import join
from execpolicy.diagnostics.render_formats import junit_xml
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.insight.testing import (
    SUFFIXES,
    RuleCoverage,
    RuleTests,
    Trial,
    junit_suites,
    read_cases,
    report_as_json,
)
from execpolicy.layers.rule_file import read_rule_file
from execpolicy.source import Source

_LONG_RUN = 2_000
_PAUSE = 0.3
"""Seconds between two looks at watched files."""


@click.command(name="test")
@click.option(
    "-r", "--rules", multiple=True, type=FILE, help="Further rule files that the cases are judged with (repeatable)."
)
@click.option("--history", multiple=True, type=FILE, help="Commands, one a line, that count for coverage (repeatable).")
@click.option("--run", "only", metavar="TEXT", help="Run only what contains TEXT.")
@click.option("--watch", is_flag=True, help="Run again after each change, until Ctrl-C.")
@click.option("--cov", is_flag=True, help="Show which rules fired, and which never did.")
@click.option("--cov-fail-under", type=click.FloatRange(0, 100), metavar="PERCENT", help="Fail below this coverage.")
@click.option("--coverage-html", type=FILE, help="Write the coverage as a file for a browser.")
@click.option("--junit", type=FILE, help="Write a JUnit report.")
@CWD
@FORMAT
@click.argument("paths", nargs=-1, type=FILE, metavar="FILE...")
def command(watch: bool, **options: Any) -> int:
    """Run the examples in rule files (*.rules) and the cases in case files (*.cases, *.jsonl), by file or folder.

    Without FILE the examples of the rules in force are run.

    A case file holds one `decision: script` a line, or JSON objects with `decision` and `script` or `argv`. Cases are
    judged with the rule files among FILE... and those of -r, above the built-in layer. Exits with 1 if anything fails.

    \b
    Examples:
      $ execpolicy test --cov rules
      $ echo 'forbidden: git push -f' > my.cases && execpolicy test -r rules/git.rules my.cases
      $ execpolicy test --watch --run push rules
    """
    if not watch:
        return _run(**options)
    seen = None
    while True:
        # a file that is being saved may be missing or half there: the next change tells
        now = {path: os.stat(path).st_mtime_ns for path in _watched(**options) if os.path.exists(path)}
        if now == seen:
            time.sleep(_PAUSE)
            continue
        seen = now
        click.clear()
        try:
            _run(**options)
        except ExecPolicyError as error:
            click.echo(visible(str(error)), err=True)


def _watched(*, rules: tuple[str, ...], history: tuple[str, ...], paths: tuple[str, ...], **_: object) -> list[str]:
    """The files that a run reads."""
    return [*rules, *history, *chain.from_iterable(_sorted_out(paths or files_in_force()))]


def _run(
    *,
    rules: tuple[str, ...],
    history: tuple[str, ...],
    only: str | None,
    cov: bool,
    cov_fail_under: float | None,
    coverage_html: str | None,
    junit: str | None,
    cwd: str | None,
    output: str,
    paths: tuple[str, ...],
) -> int:
    """Run everything once, and report it."""
    rule_paths, case_paths = _sorted_out(paths or files_in_force())
    if not rule_paths and not case_paths:
        raise UsageError(f"there is no rule file (*.rules) and no case file (*.cases, *.jsonl) in `{paths[0]}`")
    situation = situation_at(cwd)
    tests = RuleTests()
    tests.load(_sources((*rules, *rule_paths), tests))
    broken = any(trial.failure is not None for trial in tests.trials)
    cases = [case for path in case_paths for case in read_cases(Source(path, _read(path)))]
    if only is not None:
        cases = [case for case in cases if only in case.title or only in case.text]
        tests.trials = [trial for trial in tests.trials if only in trial.title or trial.failure is not None]
        if not cases and not tests.trials:
            raise UsageError(f"no example and no case contains `{only}`")
    if (cases or history) and not broken:
        rulebook = load_rulebook(layers_of(situation.cwd, texts=()), sys.stderr).with_statements(*tests.statements)
        if len(cases) >= _LONG_RUN and sys.stderr.isatty():
            with click.progressbar(length=len(cases), label="cases", file=sys.stderr) as bar:
                tests.run_cases(cases, rulebook, situation, lambda: bar.update(1))
        else:
            tests.run_cases(cases, rulebook, situation)
        tests.run_history(_history(history), rulebook, situation)
    elif cases:
        click.echo("a rule file is broken: no case was run", err=True)
    failed = sum(trial.failure is not None for trial in tests.trials)
    if output == "text":
        _report(tests.trials)
    if junit is not None:
        _write(junit, junit_xml("execpolicy test", junit_suites(tests.trials)))
    if coverage_html is not None:
        _write(coverage_html, coverage_document(tests.coverage(), tests.trials))
    coverage = tests.coverage() if cov or cov_fail_under is not None else None
    if coverage is not None:
        percent = 100.0 * sum(one.fired for one in coverage) / len(coverage) if coverage else 100.0
        if output == "text":
            _report_coverage(coverage, percent)
        if cov_fail_under is not None and percent < cov_fail_under:
            click.echo(f"coverage {percent:.1f} % is below {cov_fail_under:g} %", err=output == "json")
            failed += 1
    if output == "json":
        write_line(sys.stdout, dumps(report_as_json(tests.trials, coverage), pretty=True))
    return PROBLEM if failed else OK


def _sorted_out(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Rule files and case files among ``paths``, folders searched."""
    rule_files: list[str] = []
    case_files: list[str] = []
    for named in paths:
        found = rule_files_below(named, (".rules", *SUFFIXES)) if os.path.isdir(named) else [named]
        if not found and len(paths) > 1:
            message = f"warning: there is no rule file (*.rules) and no case file (*.cases, *.jsonl) in `{named}`"
            click.echo(message, err=True)
        for path in found:
            if path.endswith(".rules"):
                rule_files.append(path)
            elif path.endswith(SUFFIXES):
                case_files.append(path)
            else:
                require_something(path)
                raise UsageError(f"`{path}` is neither a rule file (*.rules) nor a case file (*.cases, *.jsonl)")
    return rule_files, case_files


def _sources(paths: Sequence[str], tests: RuleTests) -> list[Source]:
    """The texts of the rule files. An unreadable one is a failed test, and the others still run.

    Raises:
        UsageError: one of them does not exist, or may not be read.
    """
    sources: list[Source] = []
    for path in paths:
        try:
            sources.append(Source(path, read_rule_file(path, only_regular=False)))
        except OSError as error:
            raise UsageError(f"cannot read `{path}`: {error.strerror}") from None
        except UnicodeDecodeError as error:
            failure = f"it is not UTF-8 at byte {error.start}; convert it"
            tests.trials.append(Trial(group=path, title="loads", line=0, failure=failure))
    return sources


def _read(path: str) -> str:
    try:
        return read_rule_file(path, only_regular=False)
    except OSError as error:
        raise UsageError(f"cannot read `{path}`: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"cannot read `{path}`: it is not UTF-8") from None


def _write(path: str, text: str) -> None:
    try:
        write_whole(path, text.encode("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot write `{path}`: {error.strerror}") from None


def _history(paths: Sequence[str]) -> list[tuple[str, int]]:
    return list(Counter([line for path in paths for line in _read(path).splitlines() if line.strip()]).items())


def _report(trials: Sequence[Trial]) -> None:
    color = wants_color(sys.stdout)
    failed = [trial for trial in trials if trial.failure is not None]
    for trial in failed:
        place = ":".join([trial.group, *[str(each) for each in (trial.line, trial.column) if each]])
        label = "\x1b[31mFAILED\x1b[0m" if color else "FAILED"
        click.echo(f"{label} {visible(place)}: {visible(trial.title)}: {visible(trial.failure or '')}")
    click.echo(f"{len(trials) - len(failed)} passed, {len(failed)} failed")


def _report_coverage(found: Sequence[RuleCoverage], percent: float) -> None:
    for one in found:
        counts = f"{one.examples} examples, {one.cases} cases, {one.history} in history"
        mark = " " if one.fired else "!"
        if one.deciding is not None:
            counts += f"; `{visible(join(one.deciding))}` would fire it"
        click.echo(f"{mark} {one.rule.place}: {one.rule.decision.word} `{visible(str(one.rule.pattern))}`: {counts}")
    fired = [one for one in found if one.fired]
    click.echo(f"{len(fired)} of {len(found)} rules were seen to fire ({percent:.1f} %)")
