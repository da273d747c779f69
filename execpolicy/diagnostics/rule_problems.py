"""Diagnostics for problems of a rule file that are known by line, with their exact range."""

from __future__ import annotations

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.source import Source, Span


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
