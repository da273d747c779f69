"""Small plots as SVG, readable on a white and on a dark page.

Both axes are logarithmic: a flat line is a cost that does not grow, and a slope of one a linear one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

_WIDTH, _HEIGHT = 560, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 190, 34, 44
_COLOURS = ("#2f81f7", "#d29922", "#3fb950", "#f85149", "#a371f7")

Series = Mapping[str, Mapping[int, float]]


def plot(title: str, across: str, up: str, series: Series) -> str:
    """The plot of ``series``: for each name the value at each ``x``, both above zero."""
    xs = [x for points in series.values() for x in points]
    ys = [y for points in series.values() for y in points.values() if y > 0]
    low_x, high_x = _decades(xs)
    low_y, high_y = _decades(ys)

    def at_x(x: float) -> float:
        return _LEFT + (math.log10(x) - low_x) / (high_x - low_x) * (_WIDTH - _LEFT - _RIGHT)

    def at_y(y: float) -> float:
        return _HEIGHT - _BOTTOM - (math.log10(y) - low_y) / (high_y - low_y) * (_HEIGHT - _TOP - _BOTTOM)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" font-family="sans-serif" font-size="11" fill="#8b949e">',
        f'<text x="{_LEFT}" y="18" font-size="13">{title}</text>',
        f'<text x="{_LEFT}" y="{_HEIGHT - 8}">{across}</text>',
        f'<text x="12" y="{_HEIGHT - _BOTTOM}" transform="rotate(-90 12 {_HEIGHT - _BOTTOM})">{up}</text>',
    ]
    for power in range(low_x, high_x + 1):
        x = at_x(10**power)
        lines.append(_line(x, _TOP, x, _HEIGHT - _BOTTOM))
        lines.append(f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 14}" text-anchor="middle">{_number(power)}</text>')
    for power in range(low_y, high_y + 1):
        y = at_y(10**power)
        lines.append(_line(_LEFT, y, _WIDTH - _RIGHT, y))
        lines.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_number(power)}</text>')
    for place, (name, points) in enumerate(series.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        spots = [(at_x(x), at_y(y)) for x, y in sorted(points.items()) if y > 0]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in spots]
        y = _TOP + 12 + 16 * place
        lines.append(f'<text x="{_WIDTH - _RIGHT + 12}" y="{y}" fill="{colour}">{name}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _decades(values: list[float] | list[int]) -> tuple[int, int]:
    low = math.floor(math.log10(min(values)))
    return low, max(math.ceil(math.log10(max(values))), low + 1)


def _number(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#8b949e" stroke-opacity="0.25"/>'
