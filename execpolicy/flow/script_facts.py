"""Facts about one script, worked out on demand and kept as long as the script."""

from __future__ import annotations

from execpolicy.shell.limits import READ, Budget
from execpolicy.shell.script import NO_FACTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from execpolicy.flow.facts import Fact, Facts
    from execpolicy.flow.inquiry import Inquiry
    from execpolicy.flow.of_programs import Knowledge
    from execpolicy.shell.limits import Limits
    from execpolicy.shell.script import Command, Script, ShellEffect
    from execpolicy.shell.words import Word


_SUBSTITUTING = ("$(", "`", "\\", "$'", '$"')
"""One of these is in every script that holds a substitution, also in pieces: ``a[\\$\\(c\\)]``, ``'a[$''(c)]'``."""


class ScriptFacts:
    """``Facts``, each worked out by the module that knows how, which is loaded when it is first asked."""

    __slots__ = (
        "_budget",
        "_carrier",
        "_inquiry",
        "_knowledge",
        "_known",
        "_outer",
        "finds_within",
        "script",
        "terminal",
    )

    def __init__(
        self,
        script: Script,
        knowledge: Callable[[], Knowledge],
        *,
        outer: ScriptFacts | None = None,
        carrier: Command | None = None,
    ) -> None:
        """
        Args:
            knowledge: gives what is known of programs.
            outer: the facts about the script that this one runs inside of, which share their budget with it.
            carrier: the command there that runs this one.
        """
        self.script = script
        self._knowledge = knowledge
        self._outer = outer
        self._carrier = carrier
        self.finds_within: Callable[[Facts], Sequence[Facts]] | None = None
        self.terminal = True
        self._budget: Budget | None = None
        self._known: dict[tuple[object, ...], Any] = {}
        self._inquiry: Inquiry | None = None
        if script.seen is not NO_FACTS and any(map(script.text.__contains__, _SUBSTITUTING)):
            from execpolicy.flow.evaluated import with_evaluated

            self.script = with_evaluated(self)

    def within(self, script: Script, carrier: Command | None = None) -> ScriptFacts:
        if script.seen is not NO_FACTS:
            self.budget.spend(READ * len(script.text))
        return ScriptFacts(script, self._knowledge, outer=self, carrier=carrier)

    @property
    def around(self) -> tuple[ScriptFacts, Command] | None:
        return (self._outer, self._carrier) if self._outer is not None and self._carrier is not None else None

    def is_within(self, script: Script) -> bool:
        same = self.script.text == script.text and self.script.positional == script.positional
        return same or (self._outer is not None and self._outer.is_within(script))

    @property
    def knowledge(self) -> Knowledge:
        return self._knowledge()

    @property
    def outermost(self) -> ScriptFacts:
        return self if self._outer is None else self._outer.outermost

    @property
    def budget(self) -> Budget:
        if self._budget is None:
            self._budget = self._outer.budget if self._outer is not None else Budget()
            limits = self._budget.limits
            if self.script.seen.rest is not None:
                self._budget.left = min(self._budget.left, limits.refused)
        return self._budget

    @property
    def limits(self) -> Limits:
        return self.budget.limits

    @property
    def exhausted(self) -> bool:
        return self._budget is not None and self._budget.left < 0

    def once(self, work_out: Callable[..., Fact], *asked: object) -> Fact:
        question = (work_out, *asked)
        try:
            found: Fact = self._known[question]
        except KeyError:
            found = self._known[question] = work_out(self, *asked)
        return found

    def mentions(self, text: str) -> bool:
        return self.once(_mentioned, text)

    def asked(self, work_out: Callable[..., Fact], *asked: object, otherwise: Fact) -> Fact:
        if self._inquiry is None:
            from execpolicy.flow.inquiry import Inquiry

            self._inquiry = Inquiry(self.budget)
        return self._inquiry.answer((work_out, *asked), work_out, asked, otherwise)

    def is_known(self, work_out: Callable[..., object], *asked: object) -> bool:
        return self._inquiry is not None and self._inquiry.is_known((work_out, *asked))

    def values(self, word: Word) -> tuple[tuple[str, ...], ...]:
        if word.literal is not None or not word.pieces:
            return ()
        from execpolicy.flow.may import values_of

        return self.asked(values_of, self, word, otherwise=())

    def cases(self, word: Word) -> tuple[tuple[Word, ...], ...]:
        if word.place is None or not word.pieces or word.literal is not None:
            return ()
        from execpolicy.flow.must import proven_cases

        return self.once(proven_cases, word)

    def texts(self, word: Word) -> list[str]:
        from execpolicy.flow.texts import word_texts

        return word_texts(word, self)

    @property
    def effects(self) -> tuple[ShellEffect, ...]:
        seen = self.script.seen
        if seen is NO_FACTS or not seen.whole:
            return self.script.effects
        from execpolicy.flow.effects import effects_of

        return self.once(effects_of)

    @property
    def assigned(self) -> Mapping[str, tuple[str, ...]]:
        if self.script.seen is NO_FACTS:
            return {}
        from execpolicy.flow.may import assigned_values

        return self.once(assigned_values)


def _mentioned(facts: ScriptFacts, text: str) -> bool:
    return text in facts.script.text
