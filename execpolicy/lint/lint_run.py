"""A lint run: all checks over all files, filtered, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from execpolicy.core.rules import PrefixRule
from execpolicy.diagnostics.model import Applicability, Diagnostic
from execpolicy.lint.all_checks import CHECKS
from execpolicy.lint.config import Settings
from execpolicy.lint.fixes import apply_fixes, same_decisions
from execpolicy.lint.load_project import load_project
from execpolicy.lint.noqa import filter_silenced
from execpolicy.lint.project import Project, RuleFile
from execpolicy.source import Source

_MOST_ROUNDS = 10
"""Rounds of fixing for each file; every round removes something, so that few are needed."""


def lint(project: Project, settings: Settings) -> list[Diagnostic]:
    """What the settings want to be told about ``project``, ordered by place."""
    found: list[Diagnostic] = []
    for file in project.files:
        reported: list[Diagnostic] = [*file.problems]
        for check in CHECKS:
            if settings.reports(check.code):
                reported.extend(check.run(file, project))
        found.extend(filter_silenced(file, reported, looked_for=settings.reports))
    wanted = [
        replace(each, severity=settings.severity_of(each.code, each.severity))
        for each in found
        if settings.reports(each.code)
    ]
    wanted = list(dict.fromkeys(wanted))  # a call in a loop says the same for each of its rules
    order = {file.source.name: index for index, file in enumerate(project.files)}
    return sorted(wanted, key=lambda each: (order.get(each.path, -1), each.line, each.column, each.code, each.message))


def fixed(
    sources: Sequence[tuple[str | None, Source]], settings: Settings, trusted: frozenset[Applicability]
) -> list[Source]:
    """The texts with every trusted fix applied, again and again until there is nothing left to fix.

    Where only safe fixes are trusted, a file whose decisions would change stays as it was.
    """
    current = list(sources)
    for _ in range(_MOST_ROUNDS * len(current)):
        project = load_project(current, only_whole=True)
        found = lint(project, settings)
        changed = False
        for index, file in enumerate(project.files):
            mine = [each for each in found if each.path == file.source.name]
            text = apply_fixes(file.source.text, mine, trusted)
            if text == file.source.text:
                continue
            after = Source(file.source.name, text)
            if trusted == {"safe"} and not same_decisions(file.source, after, _rules_but(project, file)):
                continue
            current[index] = (file.path, after)
            changed = True
            break  # fixes in two files may rely on each other: look again after each
        if not changed:
            break
    return [source for _, source in current]


def _rules_but(project: Project, file: RuleFile) -> list[PrefixRule]:
    return [entry.rule for entry in project.entries if entry.file is not file]
