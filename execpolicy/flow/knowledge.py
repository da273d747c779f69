"""What those who follow values have to know of programs; it is handed to ``Facts``, so that nothing here names one.

Only type checkers load this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from execpolicy.shell.script import Command

Filter = Callable[[list[str], bytes, str], "bytes | None"]
"""A static version of a program: its arguments, the bytes on its standard input and the shell's name to what it prints,
or ``None`` where it reads files or does what is not modelled."""


class Knowledge(Protocol):
    """What is known of programs, by base name."""

    def filter(self, name: str) -> Filter | None:
        """The static version of the program, if it has one."""

    def reads(self, name: str) -> bool:
        """Whether what the static version prints depends on its input."""

    def passes(self, name: str) -> bool:
        """Whether its output holds lines of its input."""

    def says(self, name: str, arguments: Sequence[str]) -> list[str]:
        """What it may print because its arguments say so."""

    def constants(self, name: str, command: Command) -> list[str]:
        """What it may print because its program, one of its arguments, holds it."""

    def runs_next(self, name: str) -> bool:
        """Whether the word behind it is the program that runs."""

    def prints_files(self, name: str) -> bool:
        """Whether its operands are files that it prints."""

    def writes_files(self, name: str) -> bool:
        """Whether its operands are files that it copies its input to."""

    def copies(self, name: str) -> bool:
        """Whether its two operands are a file and the name of a copy or link that it makes."""
