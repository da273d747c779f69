"""The facts about one script, worked out on demand and kept as long as the script."""

from __future__ import annotations

from execpolicy.shell.limits import READ, STEP, Budget
from execpolicy.shell.script import NO_FACTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from execpolicy.shell.limits import Limits
    from execpolicy.shell.script import Command, Script, ShellEffect
    from execpolicy.shell.words import Word

    Fact = TypeVar("Fact")
    Question = tuple[object, ...]


class Facts:
    """One script and what is known about it. ``ScriptFacts`` knows how the values, cases and effects are worked out.

    Attributes:
        script: as it was read, with the commands in texts that something in it evaluates.
        finds_within: of the outermost script: the function that gives the facts about it and about the scripts that
            shells in it are given, at any depth; ``None`` if none does.
        terminal: of the outermost script: its commands may print to a terminal.
    """

    __slots__ = ("_budget", "_carrier", "_inquiry", "_known", "_outer", "finds_within", "script", "terminal")

    def __init__(self, script: Script, *, outer: Facts | None = None, carrier: Command | None = None) -> None:
        """
        Args:
            outer: the facts about the script that this one runs inside of, which share their budget with it.
            carrier: the command there that runs this one.
        """
        self.script = script
        self._outer = outer
        self._carrier = carrier
        self.finds_within: Callable[[Facts], Sequence[Facts]] | None = None
        self.terminal = True
        self._budget: Budget | None = None
        self._known: dict[Question, Any] = {}
        self._inquiry: Inquiry | None = None

    def within(self, script: Script, carrier: Command | None = None) -> Facts:
        """The facts about a script that runs inside this one, because ``carrier``, where that is known, runs it."""
        if script.seen is not NO_FACTS:
            self.budget.spend(READ * len(script.text))
        return type(self)(script, outer=self, carrier=carrier)

    @property
    def around(self) -> tuple[Facts, Command] | None:
        """The facts about the script around this one, and the command there that runs it."""
        return (self._outer, self._carrier) if self._outer is not None and self._carrier is not None else None

    def is_within(self, script: Script) -> bool:
        """True if ``script`` is this one, or one that this runs inside of: what runs itself shows nothing new."""
        same = self.script.text == script.text and self.script.positional == script.positional
        return same or (self._outer is not None and self._outer.is_within(script))

    @property
    def outermost(self) -> Facts:
        """The facts about the script that is judged, inside which this one runs."""
        return self if self._outer is None else self._outer.outermost

    @property
    def budget(self) -> Budget:
        """The work that may still be done, for this script and every script inside it together."""
        if self._budget is None:
            self._budget = self._outer.budget if self._outer is not None else Budget()
            if self.script.seen.rest is not None:
                self._budget.left = min(self._budget.left, self._budget.limits.refused)
        return self._budget

    @property
    def limits(self) -> Limits:
        return self.budget.limits

    @property
    def exhausted(self) -> bool:
        """True if something was not worked out because it would have been too much work."""
        return self._budget is not None and self._budget.left < 0

    def once(self, work_out: Callable[..., Fact], *asked: object) -> Fact:
        """The result of ``work_out(facts, *asked)``, worked out once for each question."""
        question = (work_out, *asked)
        try:
            found: Fact = self._known[question]
        except KeyError:
            found = self._known[question] = work_out(self, *asked)
        return found

    def asked(self, work_out: Callable[..., Fact], *asked: object, otherwise: Fact) -> Fact:
        """The result of ``work_out(*asked)``, for questions that may lead to themselves.

        ``otherwise`` is the answer to a question while it is being answered, too deep inside others, and when there has
        been too much work. What leans on such an answer is not kept longer than the question that it is a part of.
        """
        if self._inquiry is None:
            self._inquiry = Inquiry(self.budget)
        return self._inquiry.answer((work_out, *asked), work_out, asked, otherwise)

    def values(self, word: Word) -> tuple[tuple[str, ...], ...]:
        """The lists of words that a dynamic word becomes if what the script visibly assigns is what it sees.

        **Evidence for restricting, never proof for granting.**
        """
        raise NotImplementedError

    def cases(self, word: Word) -> tuple[tuple[Word, ...], ...]:
        """Every list of words that a dynamic word can become, where that is **proven**; empty where it is not.

        Each assignment of its variables is seen, and one of them surely came before.
        """
        raise NotImplementedError

    def texts(self, word: Word) -> list[str]:
        """The text of a literal word; for a dynamic one its evident values, then what is written."""
        raise NotImplementedError

    @property
    def effects(self) -> tuple[ShellEffect, ...]:
        """The effects that block a grant: those that the reader saw and that are not proven to be harmless, and those
        that show only here.
        """
        raise NotImplementedError

    @property
    def assigned(self) -> Mapping[str, tuple[str, ...]]:
        """Variable name to the values that the script visibly gives it. Evidence, not proof."""
        raise NotImplementedError


_CUT_OFF = ("cut off",)


class Inquiry:
    """The questions about one script: those that were answered, and those that are being answered."""

    __slots__ = ("_answers", "_leaning", "_open", "_passing", "budget")

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._answers: dict[Question, Any] = {}
        self._open: set[Question] = set()
        self._passing: dict[Question, Any] = {}
        self._leaning: set[Question] = set()

    def answer(
        self, question: Question, work_out: Callable[..., Fact], asked: tuple[Any, ...], otherwise: Fact
    ) -> Fact:
        """See ``Facts.asked``."""
        if question in self._answers:
            kept: Fact = self._answers[question]
            return kept
        if question in self._open:
            self._leaning.add(question)
            return otherwise
        if question in self._passing:
            self._leaning.add(_CUT_OFF)
            passing: Fact = self._passing[question]
            return passing
        if len(self._open) >= self.budget.limits.questions or not self.budget.spend(STEP):
            self._leaning.add(_CUT_OFF)
            return otherwise
        outer, self._leaning = self._leaning, set()
        self._open.add(question)
        try:
            found = work_out(*asked)
        finally:
            self._open.discard(question)
            self._leaning.discard(question)
            leaning = self._leaning
            self._leaning = outer | leaning
        if not self._open:
            self._passing.clear()
            self._leaning.clear()
        if leaning and self._open:
            self._passing[question] = found
        else:
            self._answers[question] = found
        return found
