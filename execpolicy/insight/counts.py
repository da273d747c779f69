"""The commands of a history, counted: what every form of history is read into."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from execpolicy.insight.decisions import Recorded

_MOST_PROBLEMS = 20


@dataclass(slots=True, kw_only=True)
class History:
    """Commands and how often each was given. Histories add up: ``merge`` what several machines have counted.

    Attributes:
        counts: rows for each distinct command.
        calls: how often we are told of each call that has a name; a session that is resumed tells of them again, and
            they are counted once.
        broken: lines that could not be read.
        problems: the first of them, as ``path:line: reason``.
        other: records without a command, such as answers and outputs in a transcript.
    """

    counts: Counter[Recorded] = field(default_factory=Counter)
    broken: int = 0
    problems: list[str] = field(default_factory=list)
    calls: Counter[tuple[str, Recorded]] = field(default_factory=Counter)
    other: int = 0

    @property
    def total(self) -> int:
        """Commands in all."""
        return self.counts.total()

    @property
    def repeated(self) -> int:
        """How often we are told again of a call."""
        return self.calls.total() - len(self.calls)

    def merge(self, other: History) -> History:
        """Both together, as a new value."""
        both = History()
        both.add(self)
        both.add(other)
        return both

    def add(self, other: History) -> None:
        """Count what ``other`` has, too."""
        known = self.calls.keys() & other.calls.keys()
        self.counts.update(other.counts)
        self.counts.subtract([command for _, command in known])
        self.calls.update(other.calls)
        self.broken += other.broken
        self.problems += other.problems[: _MOST_PROBLEMS - len(self.problems)]
        self.other += other.other

    def plain(self) -> tuple[object, ...]:
        """What :meth:`from_plain` needs, as plain data."""
        return (dict(self.counts), dict(self.calls), self.broken, self.problems, self.other)

    @classmethod
    def from_plain(cls, plain: tuple[Any, ...]) -> History:
        """The history of which ``plain`` was made."""
        counts, calls, broken, problems, other = plain
        return cls(counts=Counter(counts), calls=Counter(calls), broken=broken, problems=problems, other=other)

    def fail(self, path: str, line: int | str, reason: str, times: int = 1) -> None:
        """Count a line that cannot be read."""
        self.broken += times
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(f"{path}:{line}: {reason}")
