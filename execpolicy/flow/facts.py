"""The questions about one script that a judgement asks."""

from __future__ import annotations

from _collections_abc import Callable, Mapping, Sequence

from execpolicy.shell.script import Command, Script, ShellEffect
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    from execpolicy.shell.limits import Budget, Limits

    Fact = TypeVar("Fact")
else:
    Protocol = object


class Facts(Protocol):
    """One script and what is known about it.

    Attributes:
        script: as it was read, with the commands in texts that something in it evaluates.
        finds_within: of the outermost script: the function that gives the facts about it and about the scripts that
            shells in it are given, at any depth; ``None`` if none does.
        terminal: of the outermost script: its commands may print to a terminal.
    """

    script: Script
    finds_within: Callable[[Facts], Sequence[Facts]] | None
    terminal: bool

    def within(self, script: Script, carrier: Command | None = None) -> Facts:
        """The facts about a script that runs inside this one, because ``carrier``, where that is known, runs it."""

    @property
    def around(self) -> tuple[Facts, Command] | None:
        """The facts about the script around this one, and the command there that runs it."""

    def is_within(self, script: Script) -> bool:
        """True if ``script`` is this one, or one that this runs inside of: what runs itself shows nothing new."""

    @property
    def outermost(self) -> Facts:
        """The facts about the script that was asked about, inside which this one runs."""

    @property
    def budget(self) -> Budget:
        """The work that may still be done, for this script and every script inside it together."""

    @property
    def limits(self) -> Limits:
        """How much of it is looked at."""

    @property
    def exhausted(self) -> bool:
        """True if something was not worked out because it would have been too much work."""

    def once(self, work_out: Callable[..., Fact], *asked: object) -> Fact:
        """Returns what ``work_out(facts, *asked)`` says, worked out once for each question."""

    def mentions(self, text: str) -> bool:
        """True if ``text`` is anywhere in the script; looked for once."""

    def asked(self, work_out: Callable[..., Fact], *asked: object, otherwise: Fact) -> Fact:
        """Returns what ``work_out(*asked)`` says, for questions that may lead to themselves.

        ``otherwise`` is the answer to a question while it is being answered, too deep inside others, and when there has
        been too much work. What leans on such an answer is not kept longer than the question that it is a part of.
        """

    def values(self, word: Word) -> tuple[tuple[str, ...], ...]:
        """The lists of words that a dynamic word becomes if what the script visibly assigns is what it sees.

        **Evidence for restricting, never proof for granting.**
        """

    def cases(self, word: Word) -> tuple[tuple[Word, ...], ...]:
        """Every list of words that a dynamic word can become, where that is **proven**; empty where it is not.

        Each assignment of its variables is seen, and one of them surely came before.
        """

    def texts(self, word: Word) -> list[str]:
        """The text of a literal word; for a dynamic one its evident values, then what is written."""

    @property
    def effects(self) -> tuple[ShellEffect, ...]:
        """Returns what blocks a grant: what the reader saw, without what is proven to be harmless, and what shows
        only here.
        """

    @property
    def assigned(self) -> Mapping[str, tuple[str, ...]]:
        """Variable name to the values that the script visibly gives it. Evidence, not proof."""
