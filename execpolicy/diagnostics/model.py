"""Diagnostics, fixes and edits as values."""

from __future__ import annotations

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

    def __str__(self) -> str:
        return ":".join([self.path, *[str(at) for at in (self.line, self.column) if at]]) + f": {self.message}"
