"""Inquiry about a script that may lead to themselves, or to others without end."""

from __future__ import annotations

from execpolicy.shell.limits import STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from execpolicy.shell.limits import Budget

    Fact = TypeVar("Fact")
    Question = tuple[object, ...]

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

    def is_known(self, question: Question) -> bool:
        """True if ``answer`` would say something at once."""
        return question in self._answers or question in self._passing or question in self._open
