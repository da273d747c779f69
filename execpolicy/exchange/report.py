"""The report of what got lost, for people."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.diagnostics.render_text import visible
from execpolicy.exchange.entry import Level, Loss

_LEVELS: tuple[Level, ...] = ("exact", "stricter", "laxer", "impossible")


def report(losses: Sequence[Loss], *, of: str) -> str:
    """One line for each entry that is not exact, grouped by where it stands, and how many there are of each kind.

    Args:
        of: what they are, in the plural.
    """
    lines: list[str] = []
    for level in ("laxer", "impossible", "stricter"):
        lines += [f"{loss.place}: {loss.line()}" for loss in losses if loss.level == level]
    counted = [f"{sum(1 for loss in losses if loss.level == level)} {level}" for level in _LEVELS]
    lines.append(f"{len(losses)} {of}: {', '.join(counted)}")
    return "".join(f"{visible(line)}\n" for line in lines)
