"""Loads rule files, runs all lint checks (functions in ``execpolicy.lint.checks``), filters and orders the findings.

Errors of loading are findings, too. ``# noqa: EP201`` comments silence findings; a comment that silences nothing is
reported. ``docs/codes.md`` and ``lint --explain`` show the pages of the checks (``execpolicy/lint/pages``).
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pkgutil import iter_modules

from execpolicy.core.rules import HostExecutable
from execpolicy.diagnostics.codes import CODES, RETIRED
from execpolicy.diagnostics.model import Applicability, Diagnostic, Edit, Fix
from execpolicy.errors import UsageError
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.statements import Statement
from execpolicy.lang.terminals import RuleToken
from execpolicy.lint import checks
from execpolicy.lint.config import Settings
from execpolicy.lint.fixes import apply_fixes, same_decisions
from execpolicy.lint.project import Check, Project, RuleFile, StatementGroup
from execpolicy.lint.survey import Kept, survey
from execpolicy.source import Source, Span

_LOOKED_AT = 65_536
_SIGNS = (b"prefix_rule(", b"network_rule(", b"host_executable(")
_NOT_RULES = frozenset((".md", ".rst", ".txt", ".html", ".py", ".json", ".toml", ".jsonl", ".backup"))


def stray_files(folder: str) -> Iterator[Diagnostic]:
    """Yield EP106 for each file below ``folder`` that looks like a rule file but has another extension."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if each != ".git")
        for name in sorted(names):
            if not name.endswith(".rules") and os.path.splitext(name)[1] not in _NOT_RULES:
                path = os.path.join(parent, name)
                if _holds_rules(path):
                    yield Diagnostic(
                        code="EP106",
                        message=f"`{name}` holds rules, but only files that end in `.rules` are read",
                        path=path,
                        severity=CODES["EP106"].severity,
                        help="rename it",
                    )


def _holds_rules(path: str) -> bool:
    if not os.path.isfile(path):  # reading a pipe may never end
        return False
    try:
        with open(path, "rb") as file:
            start = file.read(_LOOKED_AT)
    except OSError:
        return False
    return any(line.lstrip().startswith(_SIGNS) for line in start.split(b"\n"))


_NAMES = {
    "PrefixRule": "prefix_rule",
    "NetworkRule": "network_rule",
    "HostExecutable": "host_executable",
    "SafeCommand": "safe_command",
    "DangerousCommand": "dangerous_command",
    "WriteRule": "write_rule",
    "ReadRule": "read_rule",
}


def load_project(
    sources: Sequence[tuple[str | None, Source]], *, only_whole: bool = False, kept: Kept | None = None
) -> Project:
    """The files as one project, in load order. ``sources`` are pairs of path (``None`` for none) and text.

    Args:
        only_whole: true to drop all statements of a file that does not load, as deciding a command does.
        kept: the cached results of the last run.
    """
    hosts: dict[str, HostExecutable] = {}
    files: list[RuleFile] = []
    for path, source in sources:
        seen = survey(source, hosts, kept)
        statements = seen.statements if seen.whole or not only_whole else ()
        groups = tuple(_groups(seen.tree, statements)) if seen.tree is not None else ()
        file = RuleFile(path=path, source=source, tree=seen.tree, groups=groups, problems=seen.problems)
        files.append(file)
        for group in file.groups:
            hosts.update({each.name: each for each in group.statements if isinstance(each, HostExecutable)})
    return Project(tuple(files), kept)


def _groups(tree: SyntaxTree, statements: tuple[Statement, ...]) -> list[StatementGroup]:
    runs: list[tuple[int, type, list[Statement]]] = []  # consecutive statements of one kind from one line
    last: tuple[int, type] | None = None
    for statement in statements:
        origin = statement.place.line if statement.place is not None else 0, statement.__class__
        if origin == last:
            runs[-1][2].append(statement)
        else:
            runs.append((*origin, [statement]))
            last = origin
    found: list[StatementGroup] = []
    for line, kind, run in runs:
        calls = tree.calls_at_line(line)
        call = calls[0] if len(calls) == 1 and calls[0].name == _NAMES[kind.__name__] else None
        alone = call is not None and not call.context
        found.append(StatementGroup(call, line, tuple(run), alone=alone))
    return found


_MODULES = [import_module(f"{checks.__name__}.{each.name}") for each in iter_modules(checks.__path__)]
_FOUND = {name.upper(): run for each in _MODULES for name, run in vars(each).items() if name.upper() in CODES}

CHECKS = tuple([Check(code, run) for code, run in sorted(_FOUND.items())])


def explain_code(code: str) -> str:
    """The page of ``code``, or a text about a code without a page.

    Raises:
        UsageError: there is no such code.
    """
    wanted = _current(code.strip())
    for check in CHECKS:
        if check.code == wanted:
            return check.page
    row = CODES.get(wanted)
    if row is None:
        raise UsageError(f"`{code}` is no code; see `execpolicy lint --list`")
    return f"# {row.code} `{row.name}`\n\n{row.summary[0].upper()}{row.summary[1:]}.\n"


_NOQA = re.compile(r"#\s*(?:execpolicy:\s*)?noqa(?P<codes>:\s*[A-Za-z0-9]+(?:[\s,]+[A-Za-z0-9]+)*)?", re.IGNORECASE)
_WHOLE_FILE = re.compile(r"#\s*execpolicy:\s*noqa", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class _Directive:
    """One comment. Without codes it silences every finding on its line, with the prefix ``execpolicy:`` in the file."""

    comment: RuleToken
    codes: frozenset[str] | None
    first: int
    last: int
    whole_file: bool
    used: set[str] = field(default_factory=set)


def filter_silenced(
    file: RuleFile, found: Iterable[Diagnostic], *, looked_for: Callable[[str], bool]
) -> Iterator[Diagnostic]:
    """``found`` without the silenced findings, and EP009 for each comment of ``file`` that silences nothing.

    A comment applies to its own line; on any line of a statement it applies to the whole statement.

    Args:
        looked_for: true for a code that was checked; a comment about another code may be needed.
    """
    directives = _directives(file)
    of_file = [directive for directive in directives if directive.whole_file]
    of_line: dict[int, list[_Directive]] = {}
    for directive in directives:
        for line in () if directive.whole_file else range(directive.first, directive.last + 1):
            of_line.setdefault(line, []).append(directive)
    for diagnostic in found:
        near = [*of_file, *of_line.get(diagnostic.line, ())]
        by = [directive for directive in near if directive.codes is None or diagnostic.code in directive.codes]
        for directive in by:
            directive.used.add(diagnostic.code)
        if not by:
            yield diagnostic
    for directive in directives:
        yield from _unused(file, directive, looked_for)


def _directives(file: RuleFile) -> list[_Directive]:
    if file.tree is None or "noqa" not in file.source.text.lower():
        return []
    lines = [file.tree.lines_of(statement.span) for statement in file.tree.statements]
    starts = [first for first, _ in lines]
    found: list[_Directive] = []
    for comment in file.tree.comments():
        match = _NOQA.search(comment.text)
        if match is None:
            continue
        line = file.tree.position(comment.start)[0]
        before = bisect_right(starts, line) - 1
        first, last = lines[before] if before >= 0 and lines[before][1] >= line else (line, line)
        codes = match["codes"]
        wanted = frozenset(_current(code) for code in re.findall(r"[A-Za-z0-9]+", codes)) if codes else None
        found.append(_Directive(comment, wanted, first, last, _WHOLE_FILE.match(comment.text) is not None))
    return found


def _current(code: str) -> str:
    code = code.upper()
    return RETIRED.get(code) or code


def _unused(file: RuleFile, directive: _Directive, looked_for: Callable[[str], bool]) -> Iterator[Diagnostic]:
    named = directive.codes if directive.codes is not None else frozenset(CODES)
    if "EP009" in (directive.codes or ()) or not all(looked_for(code) for code in named if code in CODES):
        return
    idle = sorted((directive.codes or frozenset()) - directive.used)
    if directive.used and not idle:
        return
    span = Span(directive.comment.start, directive.comment.end)
    unknown = [code for code in idle if code not in CODES]
    if unknown:
        message = f"`noqa` names {', '.join(f'`{code}`' for code in unknown)}, which is no code"
    elif idle:
        message = f"nothing here needs `noqa` for {', '.join(f'`{code}`' for code in idle)}"
    else:
        message = "nothing here needs `noqa`"
    fix = None
    if not directive.used and _NOQA.fullmatch(directive.comment.text):
        text = file.source.text
        start = directive.comment.start
        while start > 0 and text[start - 1] == " ":
            start -= 1
        alone = start == 0 or text[start - 1] == "\n"
        end = span.end + 1 if alone and text[span.end : span.end + 1] == "\n" else span.end
        fix = Fix(title="remove the comment", edits=(Edit(Span(start, end), ""),), applicability="safe")
    yield file.finding("EP009", message, span, help="remove it, so that it does not hide a later problem", fix=fix)


_MOST_ROUNDS = 10
"""Maximum number of rounds of fixes per file. Every round removes something, so few are needed."""


def lint(project: Project, settings: Settings) -> list[Diagnostic]:
    """The findings about ``project`` that the settings select, ordered by position."""
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
        if settings.reports_in(each.code, each.path)
    ]
    wanted = list(dict.fromkeys(wanted))  # a call in a loop gives the same finding for each of its rules
    order = {file.source.name: index for index, file in enumerate(project.files)}
    return sorted(wanted, key=lambda each: (order.get(each.path, -1), each.line, each.column, each.code, each.message))


def fixed(
    sources: Sequence[tuple[str | None, Source]], settings: Settings, trusted: frozenset[Applicability]
) -> list[Source]:
    """The texts with every trusted fix applied, repeatedly until there is nothing left to fix.

    If only safe fixes are trusted, a file whose decisions would change is kept as it is.
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
            others = [entry.rule for entry in project.entries if entry.file is not file]
            if trusted == {"safe"} and not same_decisions(file.source, after, others):
                continue
            current[index] = (file.path, after)
            changed = True
            break  # fixes in two files may depend on each other: run the checks again after each
        if not changed:
            break
    return [source for _, source in current]
