"""Bar charts as SVG that the server draws: no library, no script, readable as a table by whoever cannot see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from execpolicy.cli.page.markup import Markup, element

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROW = 26
_LABEL = 260
_WIDTH = 720
_NUMBER = 70
_LONGEST_LABEL = 38


class Bar(NamedTuple):
    """One bar: parts of it have a kind (a decision, or ``plain``) and a length."""

    label: str
    parts: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """The whole length."""
        return sum([length for _, length in self.parts])


def bars(title: str, rows: Sequence[Bar]) -> Markup:
    """A chart of ``rows``, longest bar as wide as there is room; nothing for no rows."""
    if not rows:
        return Markup()
    most = max([row.total for row in rows]) or 1
    drawn: list[Markup] = []
    for at, row in enumerate(rows):
        middle = at * _ROW + 17
        label = row.label if len(row.label) <= _LONGEST_LABEL else row.label[: _LONGEST_LABEL - 1] + "…"
        drawn.append(element("text", label, x=_LABEL - 8, y=middle, text_anchor="end", class_="label"))
        x = float(_LABEL)
        for kind, length in row.parts:
            width = (_WIDTH - _LABEL - _NUMBER) * length / most
            if width > 0:
                drawn.append(_rectangle(kind, x, at * _ROW + 4, width))
            x += width
        drawn.append(element("text", f"{row.total:,}", x=f"{x + 6:.1f}", y=middle, class_="label"))
    height = len(rows) * _ROW + 4
    said = "; ".join([f"{row.label}: " + ", ".join([f"{n:,} {kind}" for kind, n in row.parts]) for row in rows[:50]])
    svg = element(
        "svg",
        element("title", f"{title}. {said}"),
        drawn,
        viewBox=f"0 0 {_WIDTH} {height}",
        role="img",
        aria_label=f"{title}. {said}",
        class_="chart",
    )
    return element("figure", element("figcaption", title), svg)


def _rectangle(kind: str, x: float, y: float, width: float) -> Markup:
    return element("rect", x=f"{x:.1f}", y=f"{y:.1f}", width=f"{width:.1f}", height=_ROW - 8, class_=f"bar {kind}")
