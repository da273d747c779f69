"""What agents' settings say, and what becomes of it, in one form for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from execpolicy.exchange.covered import Covered

Action: TypeAlias = Literal["allow", "ask", "deny"]
Level: TypeAlias = Literal["exact", "stricter", "laxer", "impossible"]
Precedence: TypeAlias = Literal["strictest", "rank", "rank-in-file"]
"""Which of several entries that cover a command an agent obeys: the strictest; the one of the highest rank; that among
the entries of one file, while nothing is known of how files compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of an agent's settings.

    Attributes:
        path: the file that holds it.
        place: where in the file.
        text: the entry as a person recognises it.
        action: what it does with what it covers; of a mere setting ``None``.
        covers: the commands that it covers, one by one; none if it is not about commands.
        why: why it is not about commands.
        writes: globs of ``write_rule`` that say which files it keeps from being written.
        rank: its place in the order of the agent, where order counts.
        reason: what the agent tells when it refuses.
        limited: under which further condition it holds (a mode, a sub-agent), which no rule can say.
    """

    path: str
    place: str
    text: str
    action: Action | None
    covers: tuple[Covered, ...] = ()
    why: str = ""
    writes: tuple[str, ...] = ()
    rank: float = 0.0
    reason: str | None = None
    limited: str = ""


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """The entries of all files of one agent.

    Attributes:
        precedence: which of them wins.
        statements: what was written in our own language already, line by line, with its place.
    """

    entries: tuple[Entry, ...]
    precedence: Precedence = "strictest"
    statements: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Loss:
    """What became of one entry or rule.

    Attributes:
        place: file and place in it.
        text: the entry or rule.
        level: ``exact``: it decides commands the same way; ``stricter``: less is allowed, or more refused; ``laxer``:
            the reverse; ``impossible``: nothing can be written for it.
        why: the reason, one line; empty where it is exact.
    """

    place: str
    text: str
    level: Level
    why: str = ""

    def line(self) -> str:
        """One line for people."""
        return f"{self.level}: {self.text}" + (f": {self.why}" if self.why else "")


@dataclass(frozen=True, slots=True)
class ImportedRules:
    """Lines of a rule file, and one :class:`Loss` for each entry."""

    lines: tuple[str, ...]
    losses: tuple[Loss, ...]

    @property
    def text(self) -> str:
        """The rule file."""
        return "".join(f"{line}\n" for line in self.lines)


@dataclass(frozen=True, slots=True)
class ExportedSettings:
    """Text in an agent's format, and one :class:`Loss` for each rule."""

    text: str
    losses: tuple[Loss, ...]


_ORDER: tuple[Level, ...] = ("exact", "stricter", "impossible", "laxer")


def worst(levels: list[Level]) -> Level:
    """The level that tells most of what went wrong."""
    return max(levels, key=_ORDER.index)
