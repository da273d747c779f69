"""What a check sees: one rule file with its syntax and its rules, and all files together.

What decides nothing: a rule, or an alternative of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import count
from typing import TypeAlias

from execpolicy.core.decision import Decision
from execpolicy.core.policy import Policy
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.trie import PatternTrie
from execpolicy.diagnostics.codes import CODES
from execpolicy.diagnostics.model import Diagnostic, Edit, Fix, Severity
from execpolicy.judge.sight import RuleSight
from execpolicy.lang.builtin_calls import BuiltinCall, Value
from execpolicy.lang.cst import Statement as SyntaxStatement
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.statements import Statement
from execpolicy.lint.survey import Kept, Kind
from execpolicy.source import Source, Span


@dataclass(frozen=True, slots=True)
class Idle:
    """A rule that decides nothing, why, and the rules that decide instead of it.

    Attributes:
        by_meaning: they do for what they mean, which Codex does not look at.
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
        call: the call as written; ``None`` if the line holds none or several, or the builtin was given another name.
        line: 1-based.
        statements: at least one. A call in a loop gives one group for each run of the loop that follows another line.
        alone: the call stands as a statement of its own at the top level, so it made exactly these statements.
    """

    call: BuiltinCall | None
    line: int
    statements: tuple[Statement, ...]
    _: KW_ONLY
    alone: bool


@dataclass(frozen=True, slots=True, eq=False)
class ListedRule:
    """One prefix rule: where it stands among all (``index``), and its file and group."""

    file: RuleFile
    group: StatementGroup
    rule: PrefixRule
    index: int

    @property
    def place(self) -> str:
        """``path:line``."""
        return f"{self.file.source.name}:{self.group.line}"


class RuleFile:
    """A rule file.

    Attributes:
        path: the file itself; ``None`` for standard input.
        source: its name in messages, and its text.
        tree: its syntax; ``None`` if it has none.
        groups: its statements in order; none if it could not be evaluated.
        problems: what loading found.
    """

    def __init__(
        self,
        *,
        path: str | None,
        source: Source,
        tree: SyntaxTree | None,
        groups: tuple[StatementGroup, ...],
        problems: tuple[Diagnostic, ...],
    ) -> None:
        self.path = path
        self.source = source
        self.tree = tree
        self.groups = groups
        self.problems = problems

    def span_of(self, group: StatementGroup) -> Span:
        """The range of the call, or of its line."""
        if group.call is not None:
            return group.call.span
        return self.tree.line_span(group.line) if self.tree is not None else Span(0, 0)

    def span_of_rule(self, entry: ListedRule) -> Span:
        """The range of the call; of the program's name where the call makes rules for several programs."""
        if len(entry.group.statements) > 1:
            return self.token_span(entry.group, 0, entry.rule.pattern.first)
        return self.span_of(entry.group)

    def argument(self, group: StatementGroup, name: str) -> Value | None:
        """The value that the call gives to parameter ``name``, where that can be seen in the text."""
        argument = group.call.argument(name) if group.call is not None else None
        return argument.value if argument is not None else None

    def token_span(self, group: StatementGroup, position: int, token: str) -> Span:
        """The literal that puts ``token`` at ``position`` of the pattern; the pattern or the call if there is none."""
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
    ) -> Diagnostic:
        """A diagnostic about ``span``, or about the whole file."""
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
        )

    @cached_property
    def whole_statements(self) -> dict[int, SyntaxStatement]:
        """The statements that consist of one call, by the offset of the call."""
        found = self.tree.statements if self.tree is not None else ()
        return {statement.start: statement for statement in found if statement.call is not None}

    def deletion(self, group: StatementGroup) -> Edit | None:
        """The edit that removes a call with its line and the comment at its end; ``None`` if it shares its lines."""
        if group.call is None or not group.alone or group.call.start not in self.whole_statements:
            return None
        text, start, end = self.source.text, group.call.start, group.call.end
        line_start = text.rfind("\n", 0, start) + 1
        newline = text.find("\n", end)
        line_end = len(text) if newline < 0 else newline + 1
        rest = text[end:line_end].strip()
        if text[line_start:start].strip() or (rest and not rest.startswith("#")):
            return None
        return Edit(Span(line_start, line_end), "")


class Project:
    """All files of one run, in load order.

    Attributes:
        kept: what is kept of the look before; ``None`` if this is the only one.
        analyses: what a check found out about all files together, by name, so that it is found out once.
    """

    def __init__(self, files: tuple[RuleFile, ...], kept: Kept | None = None) -> None:
        self.files = files
        self.kept = kept
        self.analyses: dict[str, object] = {}

    @cached_property
    def entries(self) -> tuple[ListedRule, ...]:
        """Every prefix rule, in load order."""
        numbers = count()
        return tuple(
            [
                ListedRule(file, group, statement, next(numbers))
                for file in self.files
                for group in file.groups
                for statement in group.statements
                if isinstance(statement, PrefixRule)
            ]
        )

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
        """Whether any prefix rule forbids."""
        return any(entry.rule.decision is Decision.FORBIDDEN for entry in self.entries)

    @cached_property
    def trie(self) -> PatternTrie:
        """The patterns of :attr:`entries`, at the same indices."""
        return PatternTrie([entry.rule.pattern for entry in self.entries])

    @cached_property
    def sight(self) -> RuleSight:
        """What those of :attr:`entries` see that ask or forbid."""
        hosts = [each for file in self.files for group in file.groups for each in group.statements]
        return RuleSight(
            [entry.rule for entry in self.entries], [host for host in hosts if isinstance(host, HostExecutable)]
        )

    @cached_property
    def policy(self) -> Policy:
        """All rules together."""
        kinds = (PrefixRule, NetworkRule, HostExecutable)
        return Policy.of(
            [
                statement
                for file in self.files
                for group in file.groups
                for statement in group.statements
                if isinstance(statement, kinds)
            ]
        )


MOST_KEPT = 8192
"""Of so many patterns a check keeps what it found out by looking at each alone, for an editor that asks again."""

Run: TypeAlias = Callable[[RuleFile, Project], Iterator[Diagnostic]]


@dataclass(frozen=True, slots=True)
class Check:
    """A lint check: its code, what it yields for one file, and its page."""

    code: str
    run: Run
    page: str
