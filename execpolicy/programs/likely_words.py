"""A command with a text in place of every word that is only known at run time, as far as the script shows one.

For carriers whose options hold shell text (``git``, ``make``): ``make "--eval=x:; git push $y"``, ``make "$x"``.
Evidence for restricting only.
"""

from __future__ import annotations

from itertools import product

from execpolicy.flow.texts import word_texts
from execpolicy.programs.inner import literal_words
from execpolicy.shell.limits import STEP
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

MAX_LIKELY = 64
"""Combinations that are looked at for one command; beyond them each value of each word once."""


def likely(command: Command, facts: Facts) -> list[Command]:
    """``command`` with its dynamic words replaced; empty if it has none."""
    if all(word.literal is not None for word in command.words[1:]):
        return []
    choices = [[(word,)] if word.literal is not None else _choices(word, facts) for word in command.words[1:]]
    combined = 1
    for each in choices:
        combined *= len(each)
        if combined > MAX_LIKELY:
            break
    if combined > MAX_LIKELY:
        rows = [[each[at % len(each)] for each in choices] for at in range(max(map(len, choices)))]
    else:
        rows = [list(row) for row in product(*choices)]
    found: list[Command] = []
    for row in rows:
        if not facts.budget.spend(STEP * len(row)):
            break
        words = (command.words[0], *[word for part in row for word in part])
        found.append(changed(command, words=words, assignments=()))
    return found


def _choices(word: Word, facts: Facts) -> list[tuple[Word, ...]]:
    """Its evident values, and what its source or its output says; of ``<(…)`` it is the name of a file."""
    if word.kind == "process":
        return [(word,)]
    said = [tuple(value) for value in facts.values(word)]
    said += [(text,) for text in word_texts(word, facts) if text.strip()]
    return [tuple(literal_words(value, word.span)) for value in dict.fromkeys(said)] or [(word,)]
