"""Everything that is wrong with a rule file, and what the rest says: a fault ends where the next statement begins.

For tools that look at a file. What decides about commands never reads past a fault: see :mod:`execpolicy.lang.compile`.

What is kept from one look at some rule files to the next, for files that are looked at again after each key.

It is known by its content, never by its place or age: with it or without it every answer is the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

from execpolicy.core.rules import HostExecutable
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import InvalidRuleError, RuleFileError
from execpolicy.lang.compile import example_problems
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.evaluate import evaluate
from execpolicy.lang.file_limits import DEFAULT
from execpolicy.lang.literal import record_literal
from execpolicy.lang.parse import parse
from execpolicy.lang.refused import failure_problem, rebindings, refusal
from execpolicy.lang.scan import exceeded_limit
from execpolicy.lang.statements import Built, Statement, build
from execpolicy.lang.syntax_messages import unsupported
from execpolicy.source import Place, Source, Span

_Calls: TypeAlias = dict[tuple[int, str], tuple[Built, Place]]
"""By line and text."""


Kind: TypeAlias = Literal["contradiction", "duplicate", "subsumed", "inert"]
"""Why a rule is idle."""


class KnownCoverage(NamedTuple):
    """What is known of the rules of one program, each meant by its place among them.

    Attributes:
        idle: of an idle rule why, the rules that decide, and whether by meaning.
        alternatives: of a rule its idle alternatives: position, token, the rules that decide, whether by meaning.
    """

    idle: dict[int, tuple[Kind, tuple[int, ...], bool]]
    alternatives: dict[int, list[tuple[int, str, tuple[int, ...], bool]]]


class Kept:
    """What the last look found out, nothing older.

    Attributes:
        coverage: what :mod:`execpolicy.lint.coverage` found out about the rules of one program, by what they say.
    """

    def __init__(self) -> None:
        self.coverage: dict[object, KnownCoverage] = {}
        self._calls: dict[str, _Calls] = {}  # by file

    def built(self, tree: SyntaxTree) -> list[tuple[Built, Place]] | None:
        """What evaluating the text of ``tree`` defines; ``None`` where it holds more than whole calls without fault."""
        source = tree.source
        if any(node.kind != "rule_call" for node in tree.nodes) or len(tree.nodes) > DEFAULT.statements:
            return None
        if exceeded_limit(source.text, DEFAULT) is not None:
            return None
        before = self._calls.get(source.name, {})
        kept: _Calls = {}
        found: list[tuple[Built, Place]] = []
        for call in tree.calls:
            key = tree.position(call.start)[0], call.text
            one = before.get(key) or _read(source, *key)
            if one is None:
                return None
            kept[key] = one
            found.append(one)
        self._calls[source.name] = kept
        return found


def _read(source: Source, line: int, text: str) -> tuple[Built, Place] | None:
    """The call ``text``, which stands in ``line``; ``None`` if only an evaluation of the whole says what is wrong."""
    recording = record_literal(text)
    if recording is None or len(recording.calls) != 1:
        return None
    place = Place(source.name, line)
    try:
        return build(recording.calls[0], place), place
    except InvalidRuleError:
        return None


_MOST_FAULTS = 50
"""Faults of one kind after which the rest of a file is not looked at: each costs another reading."""
_START = re.compile(
    r"^(?:[A-Za-z_]\w* *\(|(?:def|for|if) |[A-Za-z_]\w* *=(?!=)(?!.*, *(?:#.*)?$))",
    re.MULTILINE,
)
"""Where a statement surely begins: in the first column, and not as an argument that is written without indentation."""
_LINE = re.compile(r"^(?!else\b|elif\b)[^\s#)\]}]", re.MULTILINE)
"""Where another statement may begin, whatever it is."""
_LIST = re.compile(r"^\[", re.MULTILINE)
"""Where a comprehension may begin, or an argument goes on."""
_MOST_LISTS = 8
_BOUND = re.compile(r"^(?:def +)?([A-Za-z_]\w*)", re.MULTILINE)


class Survey(NamedTuple):
    """What is to be seen in a rule file.

    Attributes:
        tree: the syntax of what can be read of it; ``None`` if it has too many faults.
        statements: what the statements without fault define, in order.
        problems: the faults, and what is surely a mistake.
        whole: the file loads: nothing was passed over.
    """

    tree: SyntaxTree | None
    statements: tuple[Statement, ...]
    problems: tuple[Diagnostic, ...]
    whole: bool


def survey(source: Source, hosts: Mapping[str, HostExecutable], kept: Kept | None = None) -> Survey:
    """Read all of ``source``, with the host executables of earlier files.

    Args:
        kept: what is kept of the last time; the answer is the same without.
    """
    reader = _FaultyText(source)
    tree = reader.syntax()
    if tree is None:
        return Survey(None, (), tuple(reader.problems), False)
    built = kept.built(tree) if kept is not None else None
    if built is None:
        built = reader.calls(tree)
    known = dict(hosts)
    statements = tuple([statement for one, _ in built for statement in one.statements])
    known.update({each.name: each for each in statements if isinstance(each, HostExecutable)})
    whole = not any(problem.severity == "error" for problem in reader.problems)
    examples = example_problems(built, known, source, DEFAULT)
    return Survey(tree, statements, (*reader.problems, *examples), whole)


class _FaultyText:
    """Reads a text again and again, each time with the faulty statements blanked out, which moves nothing else."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.problems: list[Diagnostic] = []
        self.lost: set[str] = set()
        """Names that a statement defined which is blanked out."""

    def syntax(self) -> SyntaxTree | None:
        """The syntax of what is no fault, and is supported."""
        for _ in range(_MOST_FAULTS):
            try:
                tree = parse(Source(self.source.name, self.text))
            except RuleFileError as error:
                found = [replace(each, source=self.source) for each in error.diagnostics]
            else:
                found = [self._unsupported(each.message, each.start, each.end, each.help) for each in unsupported(tree)]
                if not found:
                    return tree
            self.problems += found
            self._blank([self._around(each.span.start) for each in found if each.span is not None])
        return None

    def calls(self, tree: SyntaxTree) -> list[tuple[Built, Place]]:
        """What the calls define that are made without the statements that fail."""
        for _ in range(_MOST_FAULTS):
            recording, rebound = evaluate(self.text, DEFAULT)
            failure = recording.failure
            if failure is not None:
                if not any(f"`{name}` not found" in failure.message for name in self.lost):
                    self.problems.append(failure_problem(failure, self.source))
                span = next((each.span for each in tree.statements if _touches(tree, each.span, failure.line)), None)
                if failure.code != "EP006" and span is not None:
                    self._blank([span])
                    continue
                return []
            built: list[tuple[Built, Place]] = []
            for call in recording.calls:
                place = Place(self.source.name, call.line)
                try:
                    built.append((build(call, place), place))
                except InvalidRuleError as error:
                    self.problems.append(refusal(error, call, self.source))
            self.problems += rebindings(rebound, self.source)
            return built
        return []

    def _around(self, offset: int) -> Span:
        """The statement with a fault at ``offset``, without what is whole on its own before and behind it."""
        starts = [match.start() for match in _START.finditer(self.text)]
        line = self.text.rfind("\n", 0, offset) + 1
        before = [start for start in starts if start <= offset]
        begin = before.pop() if before else line
        while before and self._is_open(before[-1], begin):  # it only looked like a start
            begin = before.pop()
        end = min([start for start in starts if start > max(begin, offset)], default=len(self.text))
        if self._reads(begin, line) or (not self.text[line].isspace() and not self._is_open(begin, line)):
            begin = line
        lines = [match.start() for match in _LINE.finditer(self.text, max(begin + 1, offset), end)]
        end = next((start for start in lines[:_MOST_LISTS] if not self._is_open(begin, start)), end)
        lists = [match.start() for match in _LIST.finditer(self.text, begin + 1, end)]
        return Span(begin, next((start for start in lists[:_MOST_LISTS] if self._reads(start, end)), end))

    def _is_open(self, start: int, end: int) -> bool:
        """Whether what stands there needs what follows: only a bracket takes a statement beyond its line."""
        try:
            parse(Source(self.source.name, self.text[start:end]))
        except RuleFileError as error:
            return any("never closed" in each.message for each in error.diagnostics)
        return False

    def _reads(self, start: int, end: int) -> bool:
        """Whether what stands there are statements on their own."""
        try:
            parse(Source(self.source.name, self.text[start:end]))
        except RuleFileError:
            return False
        return True

    def _blank(self, spans: Iterable[Span]) -> None:
        for span in spans:
            part = self.text[span.start : span.end]
            self.lost.update(_BOUND.findall(part))
            self.text = self.text[: span.start] + re.sub(r"[^\r\n]", " ", part) + self.text[span.end :]

    def _unsupported(self, message: str, start: int, end: int, help: str | None) -> Diagnostic:
        line, column = self.source.position(start)
        return Diagnostic(
            code="EP008",
            message=message,
            path=self.source.name,
            line=line,
            column=column,
            span=Span(start, end),
            source=self.source,
            help=help,
        )


def _touches(tree: SyntaxTree, span: Span, line: int) -> bool:
    first, last = tree.lines_of(span)
    return first <= line <= last
