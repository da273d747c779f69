"""Diagnostics, fixes and edits as values."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal, TypeAlias

from execpolicy.source import Source, Span

Severity: TypeAlias = Literal["error", "warning", "info"]
Applicability: TypeAlias = Literal["safe", "unsafe", "display"]
"""``safe``: same decisions for every command, applied by ``--fix``; ``unsafe``: may change a decision;
``display``: a suggestion, never applied."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces the text under ``span`` with ``text``."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """Edits that belong together; they do not overlap."""

    title: str
    edits: tuple[Edit, ...]
    applicability: Applicability


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a problem is about: the code under ``span`` of ``source``."""

    source: Source
    span: Span
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One problem in one file.

    Attributes:
        code: a stable code, see ``execpolicy.diagnostics.codes``.
        message: the problem: one line, no final period, user text in backticks.
        path: the name of the source.
        line: 1-based, 0 for the whole file.
        column: 1-based, in code points, 0 for the whole line or file.
        span: the exact range, if known.
        source: the text, for printing the line with an underline, if known.
        help: the suggested action.
        codex: the message in Codex's words, if ours differs.
        related: other places that it is about.
    """

    code: str
    message: str
    path: str
    line: int = 0
    column: int = 0
    severity: Severity = "error"
    span: Span | None = None
    source: Source | None = None
    help: str | None = None
    fix: Fix | None = None
    codex: str | None = None
    related: tuple[Related, ...] = ()

    def __str__(self) -> str:
        return ":".join([self.path, *[str(at) for at in (self.line, self.column) if at]]) + f": {self.message}"


class Positions:
    """A cache of the line starts of each requested source."""

    def __init__(self) -> None:
        self._breaks: dict[int, tuple[Source, list[int]]] = {}

    def of(self, source: Source, offset: int) -> tuple[int, int]:
        """Line and column of ``offset`` in ``source``, 1-based."""
        if id(source) not in self._breaks:
            self._breaks[id(source)] = (source, [at for at, char in enumerate(source.text) if char == "\n"])
        breaks = self._breaks[id(source)][1]
        line = bisect_left(breaks, offset)
        return line + 1, offset - (breaks[line - 1] + 1 if line else 0) + 1

    def end_of(self, diagnostic: Diagnostic) -> tuple[int, int]:
        """Line and column after the end of ``diagnostic``; its start if the end is unknown."""
        if diagnostic.span is None or diagnostic.source is None:
            return diagnostic.line, diagnostic.column
        return self.of(diagnostic.source, diagnostic.span.end)


def problem_in(
    code: str,
    message: str,
    source: Source,
    line: int,
    *,
    column: int = 0,
    end: int = 0,
    help: str | None = None,
    severity: str = "error",
    codex: str | None = None,
) -> Diagnostic:
    """A diagnostic about a line of ``source`` (1-based, 0: the whole file), or about its columns up to ``end``."""
    span = None
    if line:
        start = _offset(source.text, line)
        text = source.line(line)
        if not column:
            column = len(text) - len(text.lstrip(" ")) + 1
            end = len(text.rstrip()) + 1
        first = min(start + column - 1, len(source.text))
        span = Span(first, max(first, min(start + (end or column + 1) - 1, len(source.text))))
    return Diagnostic(
        code=code,
        message=message,
        path=source.name,
        line=line,
        column=column,
        severity="warning" if severity == "warning" else "error",
        span=span,
        source=source,
        help=help,
        codex=codex if codex != message else None,
    )


def _offset(text: str, line: int) -> int:
    """The offset of the first character of ``line`` (1-based)."""
    at = 0
    for _ in range(line - 1):
        newline = text.find("\n", at)
        if newline < 0:
            return len(text)
        at = newline + 1
    return at
