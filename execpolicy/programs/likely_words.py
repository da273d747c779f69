"""A command with a text in place of every word that is only known at run time, as far as the script shows one.

For carriers whose options hold shell text (``git``, ``make``): ``make "--eval=x:; git push $y"``, ``make "$x"``.
Evidence for restricting only.
"""

from __future__ import annotations

from execpolicy.flow.texts import word_texts
from execpolicy.programs.inner import literal_words
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

MAX_LIKELY = 16
"""Combinations that are looked at for one command."""
_EACH = 4


def likely(command: Command, facts: Facts) -> list[Command]:
    """``command`` with its dynamic words replaced; empty if it has none."""
    if all(word.literal is not None for word in command.words[1:]):
        return []
    found: list[tuple[Word, ...]] = [command.words[:1]]
    for word in command.words[1:]:
        choices = [(word,)] if word.literal is not None else _choices(word, facts)
        if len(found) * len(choices) > MAX_LIKELY:
            choices = choices[:1]
        found = [(*before, *more) for before in found for more in choices]
    return [changed(command, words=words, assignments=()) for words in found]


def _choices(word: Word, facts: Facts) -> list[tuple[Word, ...]]:
    """Its evident values, and what its source or its output says."""
    fields = [tuple(literal_words(value, word.span)) for value in facts.values(word)[:_EACH]]
    texts = [text for text in word_texts(word, facts)[:_EACH] if text.strip()]
    choices = fields + [tuple(literal_words([text], word.span)) for text in texts]
    return choices[:_EACH] or [(word,)]
