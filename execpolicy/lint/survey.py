"""Reads a rule file with errors: finds all errors and the statements between them.

An error ends where the next statement begins. Only tools that inspect a file use this: loading rules for a decision
never reads past an error, see :mod:`execpolicy.lang.compile`. Results are cached by content between runs, for an editor
that checks a file after each key.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from execpolicy.core.rules import HostExecutable
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import InvalidRuleError, RuleFileError
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.evaluate import evaluate
from execpolicy.lang.examples import example_problems, failure_problem, rebindings, refusal
from execpolicy.lang.file_limits import DEFAULT
from execpolicy.lang.literal import record_literal
from execpolicy.lang.parse import diagnostic_of, parse
from execpolicy.lang.scan import exceeded_limit
from execpolicy.lang.statements import Built, Statement, build
from execpolicy.lang.syntax_messages import unsupported
from execpolicy.source import Place, Source, Span

_Calls: TypeAlias = dict[tuple[int, str], tuple[Built, Place]]
"""Line and text to the statement that the call builds, and its place."""
Kind: TypeAlias = Literal["contradiction", "duplicate", "subsumed", "inert"]
"""The reason that a rule is idle."""


class KnownCoverage(NamedTuple):
    """The coverage of the rules of one program, each given by its place among them.

    Attributes:
        idle: idle rule to the reason, the rules that decide instead, and true if they do by meaning.
        alternatives: rule to its idle alternatives: position, token, the rules that decide, true if by meaning.
    """

    idle: dict[int, tuple[Kind, tuple[int, ...], bool]]
    alternatives: dict[int, list[tuple[int, str, tuple[int, ...], bool]]]


class Kept:
    """The cached results of the last run, nothing older.

    Attributes:
        coverage: rules of one program, by their content, to the result of :mod:`execpolicy.lint.coverage`.
    """

    def __init__(self) -> None:
        self.coverage: dict[object, KnownCoverage] = {}
        self._calls: dict[str, _Calls] = {}  # name of the file to its calls

    def built(self, tree: SyntaxTree) -> list[tuple[Built, Place]] | None:
        """The statements that the text of ``tree`` defines; ``None`` unless it has only whole calls without errors."""
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
    """The statement of the call ``text`` in ``line``; ``None`` if only an evaluation of the file gives the error."""
    recording = record_literal(text)
    if recording is None or len(recording.calls) != 1:
        return None
    place = Place(source.name, line)
    try:
        return build(recording.calls[0], place), place
    except InvalidRuleError:
        return None


_MOST_FAULTS = 50
"""Number of errors of one kind after which the rest of a file is not checked: each costs another parse."""
_START = re.compile(r"^(?:[A-Za-z_]\w* *\(|(?:def|for|if) |[A-Za-z_]\w* *=(?!=)(?!.*, *(?:#.*)?$))", re.MULTILINE)
"""The certain start of a statement: in the first column, and not an argument that is written without indentation."""
_LINE = re.compile(r"^(?!else\b|elif\b)[^\s#)\]}]", re.MULTILINE)
"""A possible start of another statement of any kind."""
_LIST = re.compile(r"^\[", re.MULTILINE)
"""A possible start of a comprehension, or the continuation of an argument."""
_MOST_LISTS = 8
_BOUND = re.compile(r"^(?:def +)?([A-Za-z_]\w*)", re.MULTILINE)


class Survey(NamedTuple):
    """The readable content of a rule file.

    Attributes:
        tree: the syntax of its readable part; ``None`` if it has too many errors.
        statements: the rules that the statements without errors define, in order.
        problems: the errors, and certain mistakes.
        whole: true if the file loads, with nothing skipped.
    """

    tree: SyntaxTree | None
    statements: tuple[Statement, ...]
    problems: tuple[Diagnostic, ...]
    whole: bool


def survey(source: Source, hosts: Mapping[str, HostExecutable], kept: Kept | None = None) -> Survey:
    """Reads all of ``source``, with the host executables of earlier files.

    Args:
        kept: the cached results of the last run; they do not change the result.
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
    examples = example_problems(built, known, source, DEFAULT, literal=codex_rules_folder(source.name) is not None)
    return Survey(tree, statements, (*reader.problems, *examples), whole)


class _FaultyText:
    """Parses a text repeatedly, each time with the statements in error blanked out, which keeps all offsets."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.problems: list[Diagnostic] = []
        self.lost: set[str] = set()
        """Names that a blanked-out statement defines."""

    def syntax(self) -> SyntaxTree | None:
        """The syntax of the part without errors and unsupported statements."""
        for _ in range(_MOST_FAULTS):
            try:
                tree = parse(Source(self.source.name, self.text))
            except RuleFileError as error:
                found = [replace(each, source=self.source) for each in error.diagnostics]
            else:
                found = [diagnostic_of(each, self.source, "EP008") for each in unsupported(tree)]
                if not found:
                    return tree
            self.problems += found
            self._blank([self._around(each.span.start) for each in found if each.span is not None])
        return None

    def calls(self, tree: SyntaxTree) -> list[tuple[Built, Place]]:
        """The statements from the calls that run without the failing statements."""
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
        """The span of the statement with an error at ``offset``, without complete statements before and after it."""
        starts = [match.start() for match in _START.finditer(self.text)]
        line = self.text.rfind("\n", 0, offset) + 1
        before = [start for start in starts if start <= offset]
        begin = before.pop() if before else line
        while before and self._is_open(before[-1], begin):  # it was not a start
            begin = before.pop()
        end = min([start for start in starts if start > max(begin, offset)], default=len(self.text))
        if self._reads(begin, line) or (not self.text[line].isspace() and not self._is_open(begin, line)):
            begin = line
        lines = [match.start() for match in _LINE.finditer(self.text, max(begin + 1, offset), end)]
        end = next((start for start in lines[:_MOST_LISTS] if not self._is_open(begin, start)), end)
        lists = [match.start() for match in _LIST.finditer(self.text, begin + 1, end)]
        return Span(begin, next((start for start in lists[:_MOST_LISTS] if self._reads(start, end)), end))

    def _is_open(self, start: int, end: int) -> bool:
        """True if the text from ``start`` to ``end`` has an open bracket, which extends a statement beyond its line."""
        return any("never closed" in each.message for each in self._errors(start, end))

    def _reads(self, start: int, end: int) -> bool:
        """True if the text from ``start`` to ``end`` is a sequence of complete statements."""
        return not self._errors(start, end)

    def _errors(self, start: int, end: int) -> tuple[Diagnostic, ...]:
        try:
            parse(Source(self.source.name, self.text[start:end]))
        except RuleFileError as error:
            return error.diagnostics
        return ()

    def _blank(self, spans: Iterable[Span]) -> None:
        for span in spans:
            part = self.text[span.start : span.end]
            self.lost.update(_BOUND.findall(part))
            self.text = self.text[: span.start] + re.sub(r"[^\r\n]", " ", part) + self.text[span.end :]


def _touches(tree: SyntaxTree, span: Span, line: int) -> bool:
    first, last = tree.lines_of(span)
    return first <= line <= last


def codex_rules_folder(path: str) -> str | None:
    """The rules folder of Codex that contains ``path``, or ``None``."""
    home = os.environ.get("CODEX_HOME") or os.path.join(os.path.expanduser("~"), ".codex")
    known = (os.path.realpath(os.path.join(home, "rules")), "/etc/codex/rules")
    for folder in map(str, Path(os.path.abspath(path)).parents):
        if folder.endswith("/.codex/rules") or os.path.realpath(folder) in known:
            return folder
    return None
