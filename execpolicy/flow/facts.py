"""What is learnt about one script while it is judged: worked out when it is asked for, kept as long as the script."""

from __future__ import annotations

from execpolicy.shell.limits import DEFAULT_LIMITS, Budget
from execpolicy.shell.script import NOTHING_SEEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    from execpolicy.flow.knowledge import Knowledge
    from execpolicy.shell.script import Effect, Script
    from execpolicy.shell.words import Word

    Fact = TypeVar("Fact")

_DEEPEST = 24
"""Questions inside questions; each takes some ten frames of the Python stack."""
_QUESTION = 20
"""Work that a question costs at least."""
_CUT_OFF = ("cut off",)


class Facts:
    """One script and what is known about it.

    Attributes:
        script: as it was read, with the commands in texts that something in it evaluates.
        knowledge: what is known of programs.
        budget: the work that may still be done, shared with the facts about every script inside.
    """

    __slots__ = ("_known", "_leaning", "_open", "_passing", "budget", "knowledge", "limits", "script")

    def __init__(self, script: Script, knowledge: Knowledge, budget: Budget | None = None) -> None:
        self.script = script
        self.knowledge = knowledge
        self.limits = DEFAULT_LIMITS
        self.budget = budget if budget is not None else Budget(self.limits)
        self._known: dict[tuple[object, ...], Any] = {}
        self._open: set[tuple[object, ...]] = set()
        self._passing: dict[tuple[object, ...], Any] = {}
        self._leaning: set[tuple[object, ...]] = set()
        if script.seen is not NOTHING_SEEN and ("$(" in script.text or "`" in script.text):
            from execpolicy.flow.evaluated import evaluated_texts

            texts = evaluated_texts(self)
            if texts:
                from execpolicy.shell.grammar.reading import read_evaluated

                self.script = read_evaluated(script, texts, self.limits)

    def within(self, script: Script) -> Facts:
        """The facts about a script that runs inside this one."""
        return Facts(script, self.knowledge, self.budget)

    def once(self, work_out: Callable[..., Fact], *asked: object) -> Fact:
        """What ``work_out(facts, *asked)`` says, worked out once for each question."""
        question = (work_out, *asked)
        if question not in self._known:
            self._known[question] = work_out(self, *asked)
        found: Fact = self._known[question]
        return found

    def asked(self, work_out: Callable[..., Fact], *asked: object, otherwise: Fact) -> Fact:
        """What ``work_out(*asked)`` says, for questions that may lead to themselves.

        ``otherwise`` is the answer to a question while it is being answered, too deep inside others, and when there has
        been too much work. What leans on such an answer is not kept longer than the question that it is a part of.
        """
        question = (work_out, *asked)
        known = self._known
        if question in known:
            kept: Fact = known[question]
            return kept
        if question in self._open:
            self._leaning.add(question)
            return otherwise
        if question in self._passing:
            self._leaning.add(_CUT_OFF)
            passing: Fact = self._passing[question]
            return passing
        if len(self._open) >= _DEEPEST or not self.budget.spend(_QUESTION):
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
            known[question] = found
        return found

    def is_known(self, work_out: Callable[..., object], *asked: object) -> bool:
        """Whether ``asked`` would answer at once."""
        question = (work_out, *asked)
        return question in self._known or question in self._passing or question in self._open

    def values(self, word: Word) -> tuple[tuple[str, ...], ...]:
        """The lists of words that a dynamic word becomes if what the script visibly assigns is what it sees.

        **Evidence for restricting, never proof for granting.**
        """
        if word.literal is not None or not word.pieces:
            return ()
        from execpolicy.flow.may import values_of

        return self.asked(values_of, self, word, otherwise=())

    def cases(self, word: Word) -> tuple[tuple[Word, ...], ...]:
        """Every list of words that a dynamic word can become, where that is **proven**; empty where it is not.

        Each assignment of its variables is seen, and one of them surely came before.
        """
        if word.place is None or not word.pieces or word.literal is not None:
            return ()
        from execpolicy.flow.must import proven_cases

        return self.once(proven_cases, word)

    def texts(self, word: Word) -> list[str]:
        """The text of a literal word; for a dynamic one its evident values, then what is written."""
        from execpolicy.flow.texts import word_texts

        return word_texts(word, self)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What blocks a grant: what the reader saw, without what is proven to be harmless, and what shows only here."""
        if self.script.seen is NOTHING_SEEN or not self.script.seen.whole:
            return self.script.effects
        from execpolicy.flow.effects import effects_of

        return self.once(effects_of)

    @property
    def assigned(self) -> Mapping[str, tuple[str, ...]]:
        """Variable name to the values that the script visibly gives it. Evidence, not proof."""
        if self.script.seen is NOTHING_SEEN:
            return {}
        from execpolicy.flow.may import assigned_values

        return self.once(assigned_values)
