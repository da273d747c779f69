"""Which words are alike: whatever stands in a command line instead of them, it means the same rules."""

from __future__ import annotations

from execpolicy.programs.meaning.command_grammar import key_and_rest, says_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.programs.meaning.command_grammar import CommandGrammar

_MOST_WORDS = 2_000
OTHER = object()
"""Stands for every word that nobody names."""


class AlikeWords(dict["str | None", object]):
    """Each word that is no sub-command to what stands for all that are like it: itself, if a rule may tell it apart.

    An operand or a value is only ever compared with what a rule or the grammar names. So the words that neither names
    are all alike, and what one command line means is known from another. Filled as words are met.

    Args:
        grammar: of the program.
        tokens: what the patterns of its rules say.
    """

    __slots__ = ("_implying", "_named")

    def __init__(self, grammar: CommandGrammar | None, tokens: Iterable[str]) -> None:
        super().__init__()
        named = {"", "true", "false"}  # as values they say something of their own
        for token in tokens:
            named.update(_parts(token) if "=" in token or " " in token or says_option(token, grammar) else (token,))
            named.add(key_and_rest(token)[0])
        if grammar is not None:
            named |= grammar.named_words()
        self._named = named
        self._implying = grammar.implying_starts() if grammar is not None else ()

    def __missing__(self, word: str | None) -> object:
        if len(self) >= _MOST_WORDS:
            self.clear()
        self[word] = found = word if word is None or self._is_told_apart(word) else OTHER
        return found

    def _is_told_apart(self, word: str) -> bool:
        if word[:1] in ("-", "+") or "=" in word or word.startswith(self._implying):
            return True
        named = self._named
        return word in named or key_and_rest(word)[0] in named


def _parts(token: str) -> Iterable[str]:
    """Everything in a token that may be the value in it: ``17`` of ``-n17``, ``22`` of ``port=22``."""
    for start in range(len(token)):
        yield token[start:]
        yield key_and_rest(token[start:])[0]
