"""Facts about one script, worked out on demand and kept as long as the script.

Commands in text that was quoted and is evaluated all the same: ``[[ 'a[$(c)]' -eq 0 ]]``, ``x='$(c)'; ${x@P}``.

What evaluates such a text is in the way of every grant; the commands are read so that rules that restrict see them.
"""

from __future__ import annotations

from execpolicy.flow import filled
from execpolicy.shell.grammar import whole_script
from execpolicy.shell.limits import READ, STEP, Budget
from execpolicy.shell.script import ARITHMETIC, INDIRECT, NO_FACTS, PROMPT_EXPANSION
from execpolicy.shell.vocabulary import DECLARING, SUBSCRIPTING, run_here
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from execpolicy.flow.facts import Fact, Facts
    from execpolicy.shell.limits import Budget, Limits
    from execpolicy.shell.script import Command, Script, ShellEffect
    from execpolicy.shell.words import Word
    from execpolicy.source import Span

    Question = tuple[object, ...]

_SUBSTITUTING = ("$(", "`", "\\", "$'", '$"')
"""One of these is in every script that holds a substitution, also in pieces: ``a[\\$\\(c\\)]``, ``'a[$''(c)]'``."""


class ScriptFacts:
    """``Facts``, each worked out by the module that knows how, which is loaded when it is first asked."""

    __slots__ = ("_budget", "_carrier", "_inquiry", "_known", "_outer", "finds_within", "script", "terminal")

    def __init__(self, script: Script, *, outer: ScriptFacts | None = None, carrier: Command | None = None) -> None:
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
        self._known: dict[tuple[object, ...], Any] = {}
        self._inquiry: Inquiry | None = None
        if script.seen is not NO_FACTS and any(map(script.text.__contains__, _SUBSTITUTING)):
            self.script = with_evaluated(self)

    def within(self, script: Script, carrier: Command | None = None) -> ScriptFacts:
        if script.seen is not NO_FACTS:
            self.budget.spend(READ * len(script.text))
        return ScriptFacts(script, outer=self, carrier=carrier)

    @property
    def around(self) -> tuple[ScriptFacts, Command] | None:
        return (self._outer, self._carrier) if self._outer is not None and self._carrier is not None else None

    def is_within(self, script: Script) -> bool:
        same = self.script.text == script.text and self.script.positional == script.positional
        return same or (self._outer is not None and self._outer.is_within(script))

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
            self._inquiry = Inquiry(self.budget)
        return self._inquiry.answer((work_out, *asked), work_out, asked, otherwise)

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
        return filled.word_texts(word, self)

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


_EVALUATING = frozenset((ARITHMETIC, PROMPT_EXPANSION, INDIRECT))


def with_evaluated(facts: Facts) -> Script:
    """The script with the commands in quoted texts that something in it evaluates."""
    texts = _evaluated_texts(facts)
    if not texts:
        return facts.script

    return whole_script.read_evaluated(facts.script, texts, facts.budget)


def _evaluated_texts(facts: Facts) -> list[tuple[str, Span]]:
    """The quoted texts with substitutions in them that something in the script evaluates, and where they stand."""
    script = facts.script
    if not script.seen.whole:
        return []
    texts: dict[str, Span] = {}
    for text, span in script.seen.texts:
        _note(texts, text, span)
    subscripts = False
    for command in script.commands:
        words = command.words[run_here(command.words) :]
        if words and words[0].literal in SUBSCRIPTING:
            subscripts = subscripts or _evaluates_values(words)
            for word in words[1:]:
                text = word.written  # a pattern, too, which stays as it is written where it matches no file
                if "[" in text:
                    _note(texts, text.partition("[")[2], word.span)
    evaluating = any(effect.kind in _EVALUATING for effect in facts.effects)
    if evaluating or subscripts:
        for one in filled.given_in(facts):
            for value in one.values:
                text = "".join([piece.source or piece.text or "" for piece in value])
                _note(texts, text if evaluating else text.partition("[")[2], Span(one.position, one.position))
    return list(texts.items())[: facts.limits.evaluated]


def _evaluates_values(words: Sequence[Word]) -> bool:
    """True if a builtin evaluates subscripts in values of variables, which it does not hold itself.

    ``let x`` and every assignment to ``n`` after ``declare -i n`` evaluate those in the value; ``unset "$x"``,
    ``test -v "$x"`` and their like those in the name that they are given.
    """
    name = words[0].literal
    if name in ("let", "integer", "float"):
        return True
    flags = [word.literal for word in words[1:] if word.literal is not None and word.literal[:1] == "-"]
    if name in DECLARING and any("i" in flag for flag in flags):
        return True
    named = name not in ("printf", "test", "[") or any(flag[:2] in ("-v", "-R") for flag in flags)
    return named and any(word.literal is None for word in words[1:])


def _note(texts: dict[str, Span], text: str, span: Span) -> None:
    if "$(" in text or "`" in text:
        texts.setdefault(text, span)


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
