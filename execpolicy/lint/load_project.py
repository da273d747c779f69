"""Rule files to what checks see. A file that is broken is a finding and does not keep the others from being checked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from execpolicy.core.rules import HostExecutable
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import InvalidRuleError, RuleFileError
from execpolicy.lang.compile import compile_source
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.evaluate import evaluate
from execpolicy.lang.file_limits import DEFAULT
from execpolicy.lang.parse import parse
from execpolicy.lang.statements import build
from execpolicy.lang.unsupported import unsupported
from execpolicy.lint.project import Project, RuleFile, StatementGroup
from execpolicy.source import Place, Source, Span

if TYPE_CHECKING:
    from execpolicy.lang.statements import Statement

_NAMES = {
    "PrefixRule": "prefix_rule",
    "NetworkRule": "network_rule",
    "HostExecutable": "host_executable",
    "SafeCommand": "safe_command",
    "DangerousCommand": "dangerous_command",
    "WriteRule": "write_rule",
}
_EXAMPLES = frozenset(("EP003", "EP004"))


def load_project(sources: Sequence[tuple[str | None, Source]]) -> Project:
    """The files as one project, in load order. ``sources`` are pairs of path (``None`` for none) and text."""
    hosts: dict[str, HostExecutable] = {}
    files: list[RuleFile] = []
    for path, source in sources:
        file = _load(path, source, hosts)
        files.append(file)
        for group in file.groups:
            hosts.update({each.name: each for each in group.statements if isinstance(each, HostExecutable)})
    return Project(tuple(files))


def _load(path: str | None, source: Source, hosts: dict[str, HostExecutable]) -> RuleFile:
    try:
        tree = parse(source)
    except RuleFileError as error:
        return RuleFile(path=path, source=source, tree=None, groups=(), problems=error.diagnostics)
    bare = RuleFile(path=path, source=source, tree=tree, groups=(), problems=())
    lacking = [
        bare.finding("EP008", problem.message, Span(problem.start, problem.end), help=problem.help)
        for problem in unsupported(tree)
    ]
    if lacking:
        return RuleFile(path=path, source=source, tree=tree, groups=(), problems=tuple(lacking))
    statements: tuple[Statement, ...]
    problems: tuple[Diagnostic, ...]
    try:
        compiled = compile_source(source, hosts=hosts)
        statements, problems = compiled.statements, compiled.warnings
    except RuleFileError as error:
        problems = error.diagnostics
        examples_only = all(problem.code in _EXAMPLES for problem in problems)
        statements = _without_examples(source) if examples_only else ()
    return RuleFile(path=path, source=source, tree=tree, groups=tuple(_groups(tree, statements)), problems=problems)


def _without_examples(source: Source) -> tuple[Statement, ...]:
    """The statements of a file whose only problem is its examples, so that the other checks can look at it."""
    recording, _ = evaluate(source.text, DEFAULT)
    found: list[Statement] = []
    for call in recording.calls:
        try:
            found.extend(build(call, Place(source.name, call.line)).statements)
        except InvalidRuleError:
            return ()
    return tuple(found)


def _groups(tree: SyntaxTree, statements: tuple[Statement, ...]) -> list[StatementGroup]:
    def origin(statement: Statement) -> tuple[int, str]:
        return statement.place.line if statement.place is not None else 0, type(statement).__name__

    found: list[StatementGroup] = []
    for (line, kind), run in groupby(statements, origin):
        call = tree.call_at_line(line, _NAMES[kind])
        if call is not None and len(tree.calls_at_line(line)) > 1:
            call = None
        alone = call is not None and not call.context
        found.append(StatementGroup(call=call, line=line, statements=tuple(run), alone=alone))
    return found
