"""Bar charts that are tables: what each bar stands for is text, and the bar an SVG beside it. No library, no script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from execpolicy.cli.page.markup import Markup, element


class Bar(NamedTuple):
    """One bar: parts of it have a kind (a decision, or ``plain``) and a length; ``said`` stands in place of its sum."""

    label: str
    parts: tuple[tuple[str, int], ...]
    said: str = ""

    @property
    def total(self) -> int:
        """The whole length."""
        return sum([length for _, length in self.parts])


def bars(title: str, rows: Sequence[Bar]) -> Markup:
    """A chart of ``rows``, longest bar as wide as there is room; nothing for no rows."""
    if not rows:
        return Markup()
    most = max([row.total for row in rows]) or 1
    kinds = dict.fromkeys([kind for row in rows if len(row.parts) > 1 for kind, _ in row.parts])
    drawn = [
        element(
            "tr",
            element("th", row.label, scope="row"),
            element("td", _bar(row, most)),
            element("td", row.said or f"{row.total:,}"),
        )
        for row in rows
    ]
    legend = [element("span", kind, class_=f"key {kind}") for kind in kinds]
    return element(
        "figure", element("figcaption", title, legend), element("table", drawn, class_="bars", aria_label=title)
    )


def _bar(row: Bar, most: int) -> Markup:
    drawn: list[Markup] = []
    x = 0.0
    for kind, length in row.parts:
        width = 100 * length / most
        drawn.append(element("rect", x=f"{x:.2f}", y=0, width=f"{width:.2f}", height=1, class_=f"bar {kind}"))
        x += width
    return element("svg", drawn, viewBox="0 0 100 1", preserveAspectRatio="none", aria_hidden="true")
