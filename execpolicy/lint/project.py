"""The input of a check: one rule file with its syntax and its rules, and all files together; idle rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TypeAlias

from execpolicy.core.decision import Decision
from execpolicy.core.policy import Policy
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.trie import PatternTrie
from execpolicy.diagnostics.codes import CODES
from execpolicy.diagnostics.model import Diagnostic, Edit, Fix, Related, Severity
from execpolicy.lang.builtin_calls import BuiltinCall, Value
from execpolicy.lang.cst import Statement as SyntaxStatement
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.statements import Statement
from execpolicy.lint.sight import RuleSight
from execpolicy.lint.survey import Kept, Kind, codex_rules_folder
from execpolicy.source import Source, Span

_MOST_RELATED = 10


@dataclass(frozen=True, slots=True)
class Idle:
    """The reason that a rule decides nothing, and the rules that decide instead.

    Attributes:
        by_meaning: true if those rules match by meaning, which Codex does not do.
    """

    kind: Kind
    by: tuple[ListedRule, ...]
    by_meaning: bool = False


@dataclass(frozen=True, slots=True)
class IdleAlternative:
    """An alternative (``token`` at ``position`` of the pattern) that decides nothing, and the rules that do."""

    entry: ListedRule
    position: int
    token: str
    by: tuple[ListedRule, ...]
    by_meaning: bool


@dataclass(frozen=True, slots=True, eq=False)
class StatementGroup:
    """The statements that come from one call in the text, or from one line if the call is not known.

    Attributes:
        call: the call as written; ``None`` if the line has none or several, or if the builtin has an alias.
        line: 1-based.
        statements: at least one. For a call in a loop, each run of the loop that follows another line gives one group.
        alone: true if the call is a statement of its own at the top level, so that it made exactly these statements.
    """

    call: BuiltinCall | None
    line: int
    statements: tuple[Statement, ...]
    _: KW_ONLY
    alone: bool


@dataclass(frozen=True, slots=True, eq=False)
class ListedRule:
    """One prefix rule: its index among all prefix rules, its file and its group."""

    file: RuleFile
    group: StatementGroup
    rule: PrefixRule
    index: int

    @property
    def place(self) -> str:
        """``path:line``."""
        return f"{self.file.source.name}:{self.group.line}"

    @property
    def related(self) -> Related:
        """The place for editors."""
        return Related(self.file.source, self.file.span_of_rule(self), f"{self.rule.decision.word} {self.rule.pattern}")


@dataclass(eq=False, kw_only=True)
class RuleFile:
    """A rule file.

    Attributes:
        path: the path of the file; ``None`` for standard input.
        source: its name in messages, and its text.
        tree: its syntax tree; ``None`` if it has none.
        groups: its statements in order; empty if it could not be evaluated.
        problems: the diagnostics from loading it.
    """

    path: str | None
    source: Source
    tree: SyntaxTree | None
    groups: tuple[StatementGroup, ...]
    problems: tuple[Diagnostic, ...]

    @property
    def is_codex(self) -> bool:
        """True if Codex reads it too."""
        return self.path is not None and codex_rules_folder(self.path) is not None

    def span_of(self, group: StatementGroup) -> Span:
        """The range of the call, or of its line."""
        if group.call is not None:
            return group.call.span
        return self.tree.line_span(group.line) if self.tree is not None else Span(0, 0)

    def span_of_rule(self, entry: ListedRule) -> Span:
        """The range of the call, or of the program's name if the call makes rules for several programs."""
        if len(entry.group.statements) > 1:
            return self.token_span(entry.group, 0, entry.rule.pattern.first)
        return self.span_of(entry.group)

    def argument(self, group: StatementGroup, name: str) -> Value | None:
        """The value of the argument ``name`` of the call, if it is visible in the text."""
        argument = group.call.argument(name) if group.call is not None else None
        return argument.value if argument is not None else None

    def token_span(self, group: StatementGroup, position: int, token: str) -> Span:
        """The range of the literal for ``token`` at ``position`` of the pattern; else of the pattern or the call."""
        pattern = self.argument(group, "pattern")
        if pattern is None:
            return self.span_of(group)
        if pattern.kind == "list" and position < len(pattern.items):
            item = pattern.items[position]
            for candidate in item.items if item.kind == "list" else (item,):
                if candidate.kind == "string" and candidate.value == token:
                    return candidate.span
            return item.span
        return pattern.span

    def finding(
        self,
        code: str,
        message: str,
        span: Span | None,
        *,
        help: str | None = None,
        fix: Fix | None = None,
        severity: Severity | None = None,
        by: Sequence[ListedRule] = (),
    ) -> Diagnostic:
        """A diagnostic about ``span``, or about the whole file; ``by`` are the rules that it is also about."""
        line = column = 0
        if span is not None:
            line, column = self.tree.position(span.start) if self.tree is not None else self.source.position(span.start)
        return Diagnostic(
            code=code,
            message=message,
            path=self.source.name,
            line=line,
            column=column,
            severity=severity or CODES[code].severity,
            span=span,
            source=self.source,
            help=help,
            fix=fix,
            related=tuple([entry.related for entry in by[:_MOST_RELATED]]),
        )

    @cached_property
    def whole_statements(self) -> dict[int, SyntaxStatement]:
        """The statements that consist of one call: offset of the call to statement."""
        found = self.tree.statements if self.tree is not None else ()
        return {statement.start: statement for statement in found if statement.call is not None}

    def deletion(self, group: StatementGroup) -> Edit | None:
        """The edit that removes a call with its line and the comment at its end.

        ``None`` if the call shares its lines, or makes several statements.
        """
        if group.call is None or not group.alone or len(group.statements) > 1:
            return None
        if group.call.start not in self.whole_statements:
            return None
        text, start, end = self.source.text, group.call.start, group.call.end
        line_start = text.rfind("\n", 0, start) + 1
        newline = text.find("\n", end)
        line_end = len(text) if newline < 0 else newline + 1
        rest = text[end:line_end].strip()
        if text[line_start:start].strip() or (rest and not rest.startswith("#")):
            return None
        return Edit(Span(line_start, line_end), "")

    def deletion_fix(self, group: StatementGroup, title: str = "delete the rule") -> Fix | None:
        """The unsafe fix that removes a call, see :meth:`deletion`."""
        edit = self.deletion(group)
        return Fix(title=title, edits=(edit,), applicability="unsafe") if edit is not None else None


class Project:
    """All files of one run, in load order.

    Attributes:
        kept: the cached results of the run before; ``None`` for a single run.
        analyses: name to a result about all files together, so that it is computed once.
    """

    def __init__(self, files: tuple[RuleFile, ...], kept: Kept | None = None) -> None:
        self.files = files
        self.kept = kept
        self.analyses: dict[str, object] = {}

    @cached_property
    def statements(self) -> list[tuple[RuleFile, StatementGroup, Statement]]:
        """Every statement with its file and its group, in load order."""
        return [(file, group, each) for file in self.files for group in file.groups for each in group.statements]

    @cached_property
    def entries(self) -> tuple[ListedRule, ...]:
        """Every prefix rule, in load order."""
        rules = [(file, group, each) for file, group, each in self.statements if isinstance(each, PrefixRule)]
        return tuple([ListedRule(*found, index) for index, found in enumerate(rules)])

    @cached_property
    def _entries_of(self) -> dict[int, list[ListedRule]]:
        grouped: dict[int, list[ListedRule]] = {}
        for entry in self.entries:
            grouped.setdefault(id(entry.file), []).append(entry)
        return grouped

    def entries_of(self, file: RuleFile) -> list[ListedRule]:
        """The prefix rules of ``file``."""
        return self._entries_of.get(id(file), [])

    @cached_property
    def forbids(self) -> bool:
        """True if any prefix rule forbids."""
        return any(entry.rule.decision is Decision.FORBIDDEN for entry in self.entries)

    @cached_property
    def trie(self) -> PatternTrie:
        """The patterns of :attr:`entries`, at the same indices."""
        return PatternTrie([entry.rule.pattern for entry in self.entries])

    @cached_property
    def sight(self) -> RuleSight:
        """The matcher of the prompt and forbid rules of :attr:`entries`."""
        hosts = [each for _, _, each in self.statements if isinstance(each, HostExecutable)]
        return RuleSight([entry.rule for entry in self.entries], hosts)

    @cached_property
    def policy(self) -> Policy:
        """All rules together."""
        kinds = (PrefixRule, NetworkRule, HostExecutable)
        return Policy.of([each for _, _, each in self.statements if isinstance(each, kinds)])


MOST_KEPT = 8192
"""Number of patterns for which a check caches its result about the pattern alone, for repeated runs in an editor."""

Findings: TypeAlias = Iterator[Diagnostic]
Run: TypeAlias = Callable[[RuleFile, Project], Findings]


@dataclass(frozen=True, slots=True)
class Check:
    """A lint check: its code, and the function that yields its findings for one file."""

    code: str
    run: Run

    @property
    def page(self) -> str:
        """The description of the check, as Markdown."""
        with open(page_of(self.code), encoding="utf-8") as file:
            return file.read()


def page_of(code: str) -> str:
    """The path of the page about ``code``."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "pages", f"{code}.md")
