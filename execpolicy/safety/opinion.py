"""The opinion on one command, with the entry that gave it and the reason."""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.core.ground import Ground
from execpolicy.safety.locations import Location
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand

    Verdict = Literal["safe", "dangerous", "unknown"]


_UNDESCRIBED = frozenset((
    *("no-entry", "program-path", "option", "value", "operand", "operand-count", "subcommand", "pager"),
    *("runs", "write", "writes"),
))  # fmt: skip
"""Codes of a program or a form that no record describes, and of a write that no rule covers inside the project."""


class Opinion:
    """The opinion of the entries on one command.

    Attributes:
        verdict: ``safe`` (proven read-only), ``dangerous`` (a known destructive form) or ``unknown``.
        entry: the entry that gave the verdict; for ``unknown`` the one that came nearest, if the program has any.
        code: a stable word for the reason: ``accepted``, ``danger``, ``no-entry``, ``dynamic-program``,
            ``program-path``, ``shadowed``, ``option``, ``value``, ``operand``, ``operand-count``, ``dynamic``,
            ``subcommand``, ``required``, ``expression``, ``secret``, ``pager``, ``repository``, ``settings``,
            ``location``, ``connection``, ``write`` (inside the project), ``write-outside``, ``write-unsure``, or one of
            :mod:`execpolicy.safety.heuristics`.
        why: the reason in one line, without a final period.
        words: for ``safe``: the words as they were judged, those marked that can only be numbers or names.
        output: for ``safe``: ``number`` when the command can only print integers, ``hash`` when it can only print
            names of objects, ``path`` one absolute path, otherwise ``None``.
        locations: for ``safe``: what must be true of the folders around.
        disasters: the entries that also match, and forbid or go by the files that the command writes.
        otherwise: for ``safe`` under a condition: the same by another entry, which has another condition.
        ground: for ``safe`` by an entry: that the entry accepts the command.
    """

    __slots__ = ("code", "disasters", "entry", "ground", "locations", "otherwise", "output", "verdict", "why", "words")

    def __init__(
        self,
        verdict: Verdict,
        code: str,
        why: str,
        *,
        entry: SafeCommand | DangerousCommand | None = None,
        output: str | None = None,
        words: Sequence[Word] = (),
        locations: Sequence[Location] = (),
        disasters: Sequence[DangerousCommand] = (),
    ) -> None:
        self.disasters = disasters
        self.words = words
        self.verdict: Verdict = verdict
        self.code = code
        self.why = why
        self.entry = entry
        self.output = output
        self.locations = locations
        self.otherwise: Opinion | None = None
        self.ground = Ground("entry-accepts", None, entry) if verdict == "safe" and entry is not None else None

    @property
    def objects(self) -> bool:
        """True unless the command is safe or simply not described: a new code objects until it is listed."""
        return self.verdict == "dangerous" or (self.verdict == "unknown" and self.code not in _UNDESCRIBED)

    @property
    def obeys(self) -> Sequence[str]:
        """The files of the folder that the program obeys, by the entry that accepts it."""
        return getattr(self.entry, "obeys", ()) if self.verdict == "safe" else ()

    @property
    def piped(self) -> bool:
        """True if the entry that accepts the command speaks only for calls that open no pager."""
        return bool(getattr(self.entry, "piped", False))

    @property
    def input(self) -> str:
        """The form of the only input that the entry accepts, empty for any."""
        return str(getattr(self.entry, "input", ""))

    @property
    def writes(self) -> bool:
        """True if the command writes or deletes files, which write rules must allow."""
        return any(one.effect and not one.connects for one in self.locations)

    @property
    def in_project(self) -> bool:
        """True if the entry that accepts the command speaks only for calls that start in the project."""
        return bool(getattr(self.entry, "project", False)) and self.verdict == "safe"

    def __repr__(self) -> str:
        return f"Opinion({self.verdict}, {self.code}: {self.why})"

    def with_disasters(self, disasters: Sequence[DangerousCommand]) -> Opinion:
        """The same opinion with other ``disasters``."""
        return self._changed(self.locations, disasters)

    def with_locations(self, locations: Sequence[Location]) -> Opinion:
        """The same opinion with further ``locations``."""
        return self._changed((*self.locations, *locations), self.disasters) if locations else self

    def _changed(self, locations: Sequence[Location], disasters: Sequence[DangerousCommand]) -> Opinion:
        other = Opinion(
            self.verdict,
            self.code,
            self.why,
            entry=self.entry,
            output=self.output,
            words=self.words,
            locations=locations,
            disasters=disasters,
        )
        other.otherwise = self.otherwise
        return other
