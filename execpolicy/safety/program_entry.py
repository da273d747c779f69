"""The part that entries about safe and about dangerous commands share."""

from __future__ import annotations

from _collections_abc import Mapping

from execpolicy.safety.checks import several
from execpolicy.source import Place

BY_PATH = "./"
"""The program of an entry about files of the project, each by its path, which is the first operand."""


class ProgramEntry:
    """An entry of a rule file about programs. A check makes many entries and uses few, so most values are read on use.

    Attributes:
        arguments: the entry as written, JSON-like.
        place: the place of the call in a file.
        name: unique among entries; a later entry of the same name replaces this one.
        programs: base names of the programs.
        reason: one line.
    """

    __slots__ = ("arguments", "name", "place", "programs", "reason")

    kind = ""

    def __init__(self, arguments: Mapping[str, object], place: Place | None = None) -> None:
        """Takes ``arguments`` that were checked before."""
        self.arguments = arguments
        self.place = place
        self.name = str(arguments["name"])
        self.programs = several(arguments.get("program", ()))
        self.reason = str(arguments.get("reason", ""))

    @property
    def disabled(self) -> bool:
        """True if the entry switches off the earlier entry of this name and has no other effect."""
        return bool(self.arguments.get("disabled"))

    @property
    def match(self) -> tuple[str, ...]:
        """Scripts that the entry must match."""
        return several(self.arguments.get("match", ()))

    @property
    def not_match(self) -> tuple[str, ...]:
        """Scripts that the entry must not match."""
        return several(self.arguments.get("not_match", ()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"
