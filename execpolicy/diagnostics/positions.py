"""Conversion of offsets to lines and columns for many diagnostics of few files."""

from __future__ import annotations

from bisect import bisect_left

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.source import Source


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
