"""Checks of how rules are written."""

from __future__ import annotations

import re

from execpolicy.core.decision import Decision
from execpolicy.core.rules import PrefixRule
from execpolicy.diagnostics.model import Edit, Fix
from execpolicy.lint.fixes import is_amendment
from execpolicy.lint.project import Findings, Project, RuleFile, StatementGroup
from execpolicy.source import Span

_DOES = {Decision.PROMPT: "prompts", Decision.FORBIDDEN: "forbids"}


def ep301(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per call that prompts or forbids without a reason."""
    for group in file.groups:
        rule = group.statements[0]
        if isinstance(rule, PrefixRule) and rule.decision > Decision.ALLOW and rule.justification is None:
            yield file.finding(
                "EP301",
                f"`{rule.pattern}` {_DOES[rule.decision]} without a reason",
                file.span_of(group),
                help='add `justification="…"`: why, and what to do instead',
            )


def ep302(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per call without examples."""
    for group in file.groups:
        rule = group.statements[0]
        if not isinstance(rule, PrefixRule) or group.call is None or is_amendment(group):
            continue
        examples = group.call.argument("match")
        if examples is None or (examples.value.kind == "list" and not examples.value.items):
            yield file.finding(
                "EP302",
                f"`{rule.pattern}` has no `match` example",
                file.span_of(group),
                help='add `match=["…"]` with a command that the rule is for',
            )


_NAME = re.compile(r"[\w.+-]+")


def ep303(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule for a program with capitals that is compared exactly."""
    for entry in project.entries_of(file):
        name = entry.rule.pattern.first.rsplit("/", 1)[-1]
        if "=" in entry.rule.pattern.first:
            continue  # EP109 reports an assignment
        if entry.rule.pattern.canonical_matching or name == name.lower() or not _NAME.fullmatch(name):
            continue
        yield file.finding(
            "EP303",
            f"`{name}` is only matched in exactly this spelling",
            file.token_span(entry.group, 0, entry.rule.pattern.first),
            help="add `canonical_matching=True` if other spellings start the same program",
            fix=_fix(entry.group),
        )


def _fix(group: StatementGroup) -> Fix | None:
    call = group.call
    if call is None or not group.alone or not call.arguments or call.argument("canonical_matching") is not None:
        return None
    end = call.arguments[-1].end
    if any(argument.name is None or argument.name.startswith("*") for argument in call.arguments):
        return None
    edit = Edit(Span(end, end), ", canonical_matching=True")
    return Fix(title="compare without regard to case", edits=(edit,), applicability="unsafe")


def ep304(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that is separated from the other rules for its program."""
    last_line: dict[str, int] = {}
    current = ""
    for group in file.groups:
        rule = group.statements[0]
        if not isinstance(rule, PrefixRule) or not group.alone:
            continue
        if is_amendment(group):
            continue
        program = rule.pattern.first
        if program != current and program in last_line and len(group.statements) == 1:
            yield file.finding(
                "EP304",
                f"other rules for `{program}` stand further up, the last in line {last_line[program]}",
                file.span_of(group),
                help="move it to them",
            )
        current = program
        last_line[program] = group.line


_MOST_TOKENS = 12
_LONGEST_TOKEN = 200
_SHORTEST_MOMENT = 12
"""Minimum number of characters of a token that matches a pattern of ``_MOMENTARY``."""
_MOMENTARY = (
    ("a UUID", re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)),
    ("a hash", re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{32,}\b", re.IGNORECASE)),
    ("a temporary path", re.compile(r"(?:/tmp|/var/folders|/var/tmp)/(?:tmp|[^/]*\.)[A-Za-z0-9_]{6,}")),
    ("a point in time", re.compile(r"\b20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]")),
)


def ep305(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per allow rule that will hardly match twice."""
    for entry in project.entries_of(file):
        if entry.rule.decision is not Decision.ALLOW:
            continue
        why = _why(entry.rule.pattern.positions())
        if why is not None:
            yield file.finding(
                "EP305",
                f"this rule will hardly match twice: {why}",
                file.span_of_rule(entry),
                help="keep the first words that stay the same, or delete it",
                fix=file.deletion_fix(entry.group),
            )


def _why(positions: tuple[tuple[str, ...], ...]) -> str | None:
    if len(positions) > _MOST_TOKENS:
        return f"it has {len(positions)} tokens"
    for tokens in positions:
        for token in tokens:
            if len(token) > _LONGEST_TOKEN:
                return f"a token has {len(token)} characters"
            for name, pattern in _MOMENTARY if len(token) >= _SHORTEST_MOMENT else ():
                if pattern.search(token):
                    return f"a token holds {name}"
    return None
