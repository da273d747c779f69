"""The knowledge of programs that following values needs. ``Facts`` receives it, so that this package names no program.

Only type checkers load this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    pass

Filter = Callable[[list[str], bytes, str], "bytes | None"]
"""A static version of a program: its arguments, the bytes on its standard input and the shell's name to what it prints,
or ``None`` where it reads files or does what is not modelled."""


class Knowledge(Protocol):
    """Knowledge of programs, by base name."""

    blind: frozenset[str]
    """Programs whose static version prints the same whatever their input is."""
    passing: frozenset[str]
    """Programs whose output holds lines of their input."""

    interpreting: frozenset[str]
    """Of these, those that take their input for program text if they are given none."""

    def filter(self, name: str) -> Filter | None:
        """The static version of the program, if it has one."""

    def says(self, name: str, arguments: Sequence[str]) -> list[str]:
        """Returns what it may print because its arguments say so."""

    shells: frozenset[str]
    """Shells, and what prints a variable as they do."""
    running_next: frozenset[str]
    """Programs for which the word behind them is the program that runs."""
    printing_files: frozenset[str]
    """Programs whose operands are files that they print."""
    beside: frozenset[str]
    """Programs that print the lines of their operands beside each other."""
    writing_files: frozenset[str]
    """Programs whose operands are files that they copy their input to."""
    editing_files: frozenset[str]
    """Programs whose operands are files that they change as their arguments say."""
    patching: frozenset[str]
    """Programs and sub-commands that change the files that their input or an operand, a patch, names."""
    copying: frozenset[str]
    """Programs whose two operands are a file and the name of a copy or link that they make."""
    handing_over: frozenset[str]
    """Programs behind whose own words one of those may stand."""
    finding: frozenset[str]
    """Those of them that run it for each name that they find or are given."""
    handing_on: frozenset[str]
    """Programs that print the files that they are given, or parts of them."""
