"""The facts about one script, each worked out by the module that knows how.

Commands in text that was quoted and is evaluated all the same (``[[ 'a[$(c)]' -eq 0 ]]``, ``x='$(c)'; ${x@P}``) are
read as well, so that rules that restrict see them. What evaluates such a text is in the way of every grant.
"""

from __future__ import annotations

from execpolicy.flow import filled
from execpolicy.flow.facts import Facts
from execpolicy.shell.grammar import whole_script
from execpolicy.shell.script import ARITHMETIC, INDIRECT, NO_FACTS, PROMPT_EXPANSION
from execpolicy.shell.vocabulary import DECLARING, SUBSCRIPTING, run_here
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from execpolicy.shell.script import Command, Script, ShellEffect
    from execpolicy.shell.words import Word

_SUBSTITUTING = ("$(", "`", "\\", "$'", '$"')
"""One of these is in every script that holds a substitution, also in pieces: ``a[\\$\\(c\\)]``, ``'a[$''(c)]'``."""


class ScriptFacts(Facts):
    """``Facts``; the modules that work them out are loaded when they are first needed."""

    __slots__ = ()

    def __init__(self, script: Script, *, outer: Facts | None = None, carrier: Command | None = None) -> None:
        super().__init__(script, outer=outer, carrier=carrier)
        if script.seen is not NO_FACTS and any(map(script.text.__contains__, _SUBSTITUTING)):
            self.script = with_evaluated(self)

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
