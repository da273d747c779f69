"""The commands of a history, counted: what every form of history is read into."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from execpolicy.insight.decided import Recorded

_MOST_PROBLEMS = 20


@dataclass(slots=True, kw_only=True)
class History:
    """Commands and how often each was given. Histories add up: ``merge`` what several machines have counted.

    Attributes:
        counts: rows for each distinct command.
        broken: lines that could not be read.
        problems: the first of them, as ``path:line: reason``.
        other: records without a command, such as answers and outputs in a transcript.
        repeated: calls that several files tell of, because a session was resumed; counted once.
    """

    counts: Counter[Recorded] = field(default_factory=Counter)
    broken: int = 0
    problems: list[str] = field(default_factory=list)
    other: int = 0
    repeated: int = 0

    @property
    def total(self) -> int:
        """Commands in all."""
        return self.counts.total()

    def merge(self, other: History) -> History:
        """Both together, as a new value."""
        return History(
            counts=self.counts + other.counts,
            broken=self.broken + other.broken,
            problems=[*self.problems, *other.problems][:_MOST_PROBLEMS],
            other=self.other + other.other,
            repeated=self.repeated + other.repeated,
        )

    def fail(self, path: str, line: int | str, reason: str, times: int = 1) -> None:
        """Count a line that cannot be read."""
        self.broken += times
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(f"{path}:{line}: {reason}")
