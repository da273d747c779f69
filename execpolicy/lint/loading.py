"""Loads rule files for the checks, with errors as findings; finds rule files whose name does not end in ``.rules``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from execpolicy.core.rules import HostExecutable
from execpolicy.diagnostics.codes import CODES
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.statements import Statement
from execpolicy.lint.project import Project, RuleFile, StatementGroup
from execpolicy.lint.survey import Kept, survey
from execpolicy.source import Source

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
