"""The restricting rules of one program, found by what a command line says: most need not be compared with it."""

from __future__ import annotations

from execpolicy.programs.meaning.alike_words import OTHER, AlikeWords
from execpolicy.programs.meaning.command_grammar import grammar_of, says_option
from execpolicy.programs.meaning.command_readings import command_readings, may_say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from execpolicy.core.matches import PrefixMatch
    from execpolicy.core.pattern import Alternatives
    from execpolicy.core.rules import PrefixRule
    from execpolicy.shell.words import Word

    _Path: TypeAlias = tuple[str, ...]


_MOST_WORDS = 2_000
_MOST_LINES = 2_000
"""So many command lines that differ in more than alike words are remembered."""


class RulesByMeaning:
    """Rules of one program, each under something that every command line says that means it.

    Args:
        program: the base name.
        rules: each of more than one word.
        others: rules about the program that see first words alone.

    Attributes:
        known: what rules see of command lines, by what tells those apart (:meth:`line`); see :meth:`keep`.
    """

    __slots__ = ("_alike", "_by_path", "_by_second", "_grammar", "_order", "_program", "_saying", "known")

    def __init__(self, program: str, rules: Sequence[PrefixRule], others: Sequence[PrefixRule] = ()) -> None:
        self._program = program
        self._grammar = grammar_of(program)
        self._order = {id(rule): at for at, rule in enumerate(rules)}
        self._by_path: dict[_Path, dict[str, list[PrefixRule]]] = {}  # filled for each sub-command when it is met
        self._saying: dict[_Path, dict[str | None, tuple[PrefixRule, ...]]] = {}  # by what one word says behind them
        named = {each for rule in (*rules, *others) for tokens in rule.pattern.rest for each in tokens}
        self._alike = AlikeWords(self._grammar, named)
        self.known: dict[tuple[object, ...], tuple[PrefixMatch, ...]] = {}
        self._by_second: dict[str, list[PrefixRule]] = {}
        for rule in rules:
            for token in rule.pattern.rest[0]:
                second = "" if says_option(token, self._grammar) else token
                self._by_second.setdefault(second, []).append(rule)

    def line(self, words: Sequence[Word]) -> tuple[object, ...] | None:
        """What tells a command line apart from others; ``None`` where a word is only known at run time.

        Rules see two lines alike if these are equal and the words are all that the command may be spelled as.
        """
        texts = [word.literal for word in words]
        leading = self._grammar.leading_words(texts) if self._grammar is not None else 0
        said = map(self._alike.__getitem__, texts[leading:] if leading else texts)
        line: tuple[object, ...] = (*texts[:leading], *said) if leading else tuple(said)
        return None if None in line else line

    def meant_by(self, words: Sequence[Word]) -> list[tuple[PrefixRule, tuple[int, ...]]]:
        """The rules that the words behind the program mean, in order, each with the indices of the words that do."""
        rules = self.concerning([word.literal for word in words])
        if not rules:
            return []
        from execpolicy.programs.meaning.command_line import CommandLine

        line = CommandLine(self._program, words)
        return [(rule, indices) for rule in rules if (indices := line.means(rule.pattern)) is not None]

    def keep(self, line: tuple[object, ...], matches: tuple[PrefixMatch, ...], *, only_as_written: bool) -> None:
        """Remember what rules see of every command with this :meth:`line`, if it is the same of all.

        Where words are left out of other spellings, alike words may not be; nor may a match hold one of them.
        """
        told_apart = OTHER not in line
        if told_apart or (only_as_written and all(set(line).issuperset(match.prefix[1:]) for match in matches)):
            if len(self.known) >= _MOST_LINES:
                self.known.clear()
            self.known[line] = matches

    def concerning(self, texts: Sequence[str | None]) -> Iterable[PrefixRule]:
        """The rules that the words behind the program may mean, in order; of any other it is known that they do not."""
        grammar = self._grammar
        path = grammar.plain_path(texts) if grammar is not None else ()
        if path is None or (grammar is not None and grammar.keyed):
            return self._by_readings(texts)
        found = self._said_by_each(path, texts)
        for other, options, _ in grammar.same_as(path) if grammar is not None else ():
            if not options:
                found += self._said_by_each(other, texts)
        return self._in_order(found)

    def _said_by_each(self, path: _Path, texts: Sequence[str | None]) -> tuple[PrefixRule, ...]:
        """The rules behind the sub-commands ``path`` that are found under what one of ``texts`` says."""
        known = self._saying.get(path)
        if known is None:
            known = self._saying[path] = {None: (), "": self._said_by(path, path)}
        found = known[""]
        for text in texts:
            rules = known.get(text)
            if rules is None:
                if len(known) >= _MOST_WORDS:
                    known.clear()
                    known.update({None: (), "": self._said_by(path, path)})
                rules = known[text] = self._said_by(path, (text,))
            if rules:
                found += rules
        return found

    def _by_readings(self, texts: Sequence[str | None]) -> Iterable[PrefixRule]:
        """The same where it is not plain which sub-commands there are."""
        found: tuple[PrefixRule, ...] = ()
        if self._grammar is not None:
            for reading in command_readings(self._grammar, texts):
                given = [each.name for each in reading.given]
                found += self._said_by(reading.path, (*texts, *given))
        return self._in_order(found)

    def _said_by(self, path: _Path, texts: Sequence[str | None]) -> tuple[PrefixRule, ...]:
        """The rules behind the sub-commands ``path`` that are found under something that ``texts`` may say."""
        grammar = self._grammar
        index = self._by_path.get(path)
        if index is None:
            index = self._by_path[path] = self._index(path)
        if grammar is not None:
            said = may_say(grammar, path, texts)
        else:
            said = {text for text in texts if text is not None}
            said.update([text.partition("=")[0] for text in said if text[:2] == "--"])
        return tuple([rule for each in said for rule in index.get(each, ())])

    def _in_order(self, rules: tuple[PrefixRule, ...]) -> Iterable[PrefixRule]:
        if len(rules) > 1:
            order = self._order
            return [rule for _, rule in sorted({order[id(rule)]: rule for rule in rules}.items())]
        return rules

    def _index(self, path: _Path) -> dict[str, list[PrefixRule]]:
        """The rules that a command line with these sub-commands may mean, under that part which fewest others need."""
        needs: list[tuple[PrefixRule, list[frozenset[str]]]] = []
        known: dict[Alternatives, frozenset[str]] = {}
        many: dict[str, int] = {}
        for rule in self._behind(path):
            parts: list[frozenset[str]] = []
            for at, tokens in enumerate(rule.pattern.rest):
                if "--" in tokens:
                    continue  # it only says how to read what stands behind it
                key = tokens if at else ("", *tokens)
                needed = known.get(key)
                if needed is None:
                    needed = known[key] = self._needed(path, tokens, first=not at)
                parts.append(needed)
                for each in needed:
                    many[each] = many.get(each, 0) + 1
            if not parts:
                parts = [self._needed(path, rule.pattern.rest[-1], first=len(rule.pattern.rest) == 1)]
                many.update({each: many.get(each, 0) + 1 for each in parts[0]})
            needs.append((rule, parts))
        found: dict[str, list[PrefixRule]] = {}
        for rule, parts in needs:
            for each in min(parts, key=lambda part: (not part.isdisjoint(path), max([many[need] for need in part]))):
                found.setdefault(each, []).append(rule)
        return found

    def _behind(self, path: _Path) -> Iterable[PrefixRule]:
        """The rules whose second word is no option may be one of the sub-command; all where there is none."""
        seconds = self._by_second
        if not path or self._grammar is None:
            names = list(seconds)
        else:
            names = [*self._grammar.names_of(path[0]), ""]
        return {id(rule): rule for name in names for rule in seconds.get(name, ())}.values()

    def _needed(self, path: _Path, tokens: Alternatives, *, first: bool) -> frozenset[str]:
        """Of what a command line must say one, so that one of ``tokens`` is met."""
        grammar = self._grammar
        found = set(tokens)
        if grammar is None:
            return frozenset(found)
        for token in tokens:
            found.add(token.partition("=")[0].lower())
            for length in range(len(path)):
                found.update(grammar.child(path[:length], token, sure=True))
            if says_option(token, grammar) or (first and grammar.bundles):
                for reading in command_readings(grammar, [*path, token]):
                    found.update([each.name for each in reading.given if each.is_option and each.name is not None][:1])
        return frozenset(found)
