"""Source text, spans and places: the only module that converts offsets to lines and columns."""

from __future__ import annotations

from execpolicy.value import value


@value
class Span:
    """A half-open range ``[start, end)`` of 0-based code-point offsets."""

    start: int
    end: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Span) and self.start == other.start and self.end == other.end

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    def __repr__(self) -> str:
        return f"Span({self.start}, {self.end})"


@value
class Source:
    """A named text. ``name`` is printed in messages: a path, or ``<stdin>``."""

    name: str
    text: str

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of ``offset``; both 1-based, the column counted in code points."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + 1, offset - line_start + 1

    def line(self, number: int) -> str:
        """The text of line ``number`` (1-based) without its line ending; empty if there is no such line."""
        lines = self.text.split("\n")
        return lines[number - 1].rstrip("\r") if 1 <= number <= len(lines) else ""

    def snippet(self, span: Span) -> str:
        """The text that ``span`` covers."""
        return self.text[span.start : span.end]


@value
class Place:
    """The place of a rule: ``path:line:column`` (1-based), and its span if known."""

    path: str
    line: int
    column: int = 1
    span: Span | None = None

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"

    def __repr__(self) -> str:
        return f"Place({self.path!r}, {self.line}, {self.column})"
