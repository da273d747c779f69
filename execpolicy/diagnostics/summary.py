"""The number of findings, as a line and as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from execpolicy.diagnostics.codes import CODES
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.diagnostics.painting import painter

_SEVERITIES = ("error", "warning", "info")


def counted(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 or noun == "info" else f"{number} {noun}s"


def summary(found: Sequence[Diagnostic], files: int, *, color: bool = False) -> str:
    """One line about a run over ``files`` files."""
    paint = painter(color)
    if not found:
        return f"{paint('All checks passed', 'good')}: {counted(files, 'file')}"
    counts = [
        paint(counted(count, severity), severity)
        for severity in _SEVERITIES
        if (count := sum(each.severity == severity for each in found))
    ]
    touched = len({each.path for each in found})
    fixable = sum(_fixable(each) for each in found)
    where = f"{touched} of {counted(files, 'file')}" if touched < files else counted(files, "file")
    return f"found {', '.join(counts)} in {where}" + (f"; {fixable} can be fixed with --fix" if fixable else "")


def statistics(found: Sequence[Diagnostic]) -> list[dict[str, Any]]:
    """The number of findings for each code, the most frequent first."""
    counts = Counter([each.code for each in found])
    return [
        {
            "code": code,
            "name": CODES[code].name if code in CODES else None,
            "count": count,
            "severity": next(each.severity for each in found if each.code == code),
            "fixable": sum(_fixable(each) for each in found if each.code == code),
        }
        for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def statistics_text(found: Sequence[Diagnostic], *, color: bool = False) -> str:
    """The statistics as a table for people, one line for each code."""
    paint = painter(color)
    return "".join(
        f"{row['count']:>5}  {paint(row['code'], row['severity'])}  {row['severity']:<8} {row['name']}"
        + (f" ({row['fixable']} can be fixed)" if row["fixable"] else "")
        + "\n"
        for row in statistics(found)
    )


def _fixable(found: Diagnostic) -> bool:
    return found.fix is not None and found.fix.applicability == "safe"
