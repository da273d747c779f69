"""How surely a command line means what the pattern of a rule says, however its words are spelled and ordered.

Only to restrict: an allow rule covers the words as they are written.
"""

from __future__ import annotations

from execpolicy.core.matches import NOT, POSSIBLY, SURELY
from execpolicy.programs.meaning.command_grammar import grammar_of, says_option
from execpolicy.programs.meaning.command_readings import (
    SOME,
    command_readings,
    loose_reading,
    token_readings,
    unknown_settings,
)
from execpolicy.programs.meaning.operand_kinds import is_nameless, same
from execpolicy.programs.names import fits_glob, fnmatch_pattern
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from execpolicy.core.pattern import Alternatives, PrefixPattern
    from execpolicy.programs.meaning.command_grammar import CommandGrammar
    from execpolicy.programs.meaning.command_readings import CommandReading, GivenWord
    from execpolicy.programs.meaning.operand_kinds import Said

    _Taken: TypeAlias = frozenset[int]

_PATHS = frozenset(["path", "pathspec"])
"""There is no end of them: one whose name is not known is that of a rule only at the place of that."""
_PUNCTUATION = str.maketrans("", "", "./-_~")
_MOST_FREE = 4
"""So many words that may be any option are tried."""
_FREE: frozenset[int] = frozenset()
_MOST_LETTERS = 5
"""A dash and so many letters less one may be a cluster in a program without a grammar."""


class PatternMatch:
    """How surely words mean a pattern: ``certainty``, and the indices ``at`` of the words that do.

    Those of ``taken`` are only taken for options.
    """

    __slots__ = ("at", "certainty", "taken")

    def __init__(self, certainty: int, at: tuple[int, ...] = (), taken: _Taken = _FREE) -> None:
        self.certainty = certainty
        self.at = at
        self.taken = taken

    @property
    def is_sure(self) -> bool:
        """True if the words surely mean the pattern."""
        return self.certainty == SURELY

    def after(self, certainty: int, *at: int) -> PatternMatch:
        """This and, in front of it, words at ``at`` that mean a part of the pattern with ``certainty``."""
        return PatternMatch(min(certainty, self.certainty), (*at, *self.at))


_NOTHING = PatternMatch(NOT)


class CommandLine:
    """The words behind a program, read once for all rules that they are compared with.

    Args:
        program: the base name.
        words: the words behind it.
        is_fed: something that is only known at run time may be on its standard input.
        settings: gives the last operand that settings say where it is left out, if it is known.
    """

    __slots__ = ("_is_fed", "_readings", "_settings", "grammar", "texts")

    def __init__(
        self,
        program: str,
        words: Sequence[Word],
        *,
        is_fed: bool = False,
        settings: Callable[[], str | None] = unknown_settings,
    ) -> None:
        self._is_fed = is_fed
        self._settings = settings
        self.grammar = grammar_of(program)
        self.texts: list[Said] = [_as_one_path(word) if word.literal is None else word.literal for word in words]
        self._readings: list[CommandReading] | None = None

    def readings(self) -> list[CommandReading]:
        """Every way to read the words."""
        if self._readings is None:
            grammar, texts = self.grammar, self.texts
            if grammar is None:
                self._readings = [loose_reading(texts)]
            else:
                self._readings = list(command_readings(grammar, texts, is_fed=self._is_fed, settings=self._settings))
        return self._readings

    def means(self, pattern: PrefixPattern) -> PatternMatch:
        """How surely the words mean ``pattern``, and by which words, in the order of the pattern."""
        best = _NOTHING
        for reading in self.readings():
            found = _PatternSearch(self.grammar, reading, pattern.rest).from_position(0, 0, 0)
            if reading.guessed:
                found = found.after(POSSIBLY)
            if found.certainty > best.certainty:
                best = found
            if best.certainty == SURELY:
                break
        return best


def is_option(token: str) -> bool:
    """True if a token of a pattern means an option, or for the end of the options."""
    return len(token) > 1 and token[0] == "-"


class _PatternSearch:
    """The search for a pattern in one reading of a command line."""

    __slots__ = ("_known", "grammar", "kinds", "operands", "options", "path", "rest")

    def __init__(self, grammar: CommandGrammar | None, reading: CommandReading, rest: tuple[Alternatives, ...]) -> None:
        self.grammar = grammar
        self.path = reading.path
        self.options = [each for each in reading.given if each.is_option]
        self.operands = [each for each in reading.given if not each.is_option]
        self.rest = rest
        self.kinds = grammar.line(reading.path) if grammar is not None else None
        self._known: dict[tuple[int, int, _Taken], PatternMatch] = {}

    def from_position(self, at: int, wanted: int, place: int, taken: _Taken = _FREE) -> PatternMatch:
        """How surely the pattern is meant from position ``at`` on.

        Args:
            wanted: how many operands of the pattern are in front of it.
            place: how many operands of the command are used up.
            taken: the words only known at run time that are taken for options of the pattern.
        """
        if at == len(self.rest):
            return PatternMatch(SURELY)
        known = self._known.get((at, place, taken))
        if known is None:
            known = self._known[at, place, taken] = self._best(at, wanted, place, taken)
        return known

    def _best(self, at: int, wanted: int, place: int, taken: _Taken) -> PatternMatch:
        best = _NOTHING
        over = ("--",) in self.rest[:at]
        for token in self.rest[at]:
            if token == "--" and not over and at + 1 < len(self.rest):
                ways: Iterable[PatternMatch] = [
                    self.from_position(at + 1, wanted, place, taken)
                ]  # only says how to read what follows
            elif not over and (says_option(token, self.grammar) or self._is_bundled(at)):
                ways = self._option(token, at, wanted, place, taken)
            else:
                ways = self._operand(token, at, wanted, place, taken, over=over)
            for found in ways:
                if found.certainty > best.certainty:
                    best = found
                if best.certainty == SURELY:
                    return best
        return best

    def _is_bundled(self, at: int) -> bool:
        return at == 0 and self.grammar is not None and self.grammar.bundles

    def _operand(
        self, token: str, at: int, wanted: int, place: int, taken: _Taken, *, over: bool
    ) -> Iterator[PatternMatch]:
        """``token`` is an operand: which one, says the kind of its position."""
        line, operands, path = self.kinds, self.operands, self.path
        if wanted < len(path):
            if place < len(operands) and (certainty := self._is_named(operands[place], token, place)):
                yield self.from_position(at + 1, wanted + 1, place + 1, taken).after(certainty, operands[place].at)
            return
        position = wanted - len(path)
        kind, fixed, near, skipped = "word", False, SURELY, 0
        if line is None or (line.children and line.rest is None and not line.fixed):
            fixed, near = position == 0, POSSIBLY
        elif position < len(line.fixed) and not (over or _is_path(token, line.fixed[position])):
            kind, fixed = line.fixed[position].rstrip("?"), True
        elif line.rest is not None:
            kind, place = line.rest, max(place, len(path))
            if any(says_option(tokens[0], self.grammar) for tokens in self.rest[:at]):
                skipped = max(len(line.fixed) - position, 0)
        elif line.fixed or line.front is not None:
            fixed = True
        shifted = SURELY
        for index in range(place, len(operands)):
            given = operands[index]
            elsewhere = kind in _PATHS and index > wanted + skipped and is_nameless(given.name)
            elsewhere = elsewhere or (given.at in taken and _is_one(given.name))
            certainty = NOT if elsewhere else same(kind, token, given.name)
            if fixed and kind == "ref" and given.is_behind:
                certainty = NOT
            if certainty:
                rest = self.from_position(at + 1, wanted + 1, index + 1, taken)
                if not rest.certainty and _is_many(given):
                    rest = self.from_position(at + 1, wanted + 1, index, taken)
                yield rest.after(min(certainty, shifted), given.at)
            if _is_many(given):
                shifted = POSSIBLY
            elif not given.may_be_value and shifted == SURELY:
                if fixed:
                    return
                shifted = near

    def _is_named(self, given: GivenWord, token: str, operand: int) -> int:
        """How surely an operand is the sub-command ``token``."""
        if given.name == token or not isinstance(given.name, str):
            return same("text", token, given.name)
        names = self.grammar.child(self.path[:operand], token, sure=True) if self.grammar is not None else []
        return SURELY if given.name in names else NOT

    def _option(self, token: str, at: int, wanted: int, place: int, taken: _Taken) -> Iterator[PatternMatch]:
        """Every option in ``token`` is given; the next token of the pattern may be its value."""
        grammar, more = self.grammar, at + 1 < len(self.rest)
        if grammar is None:
            yield from self._loose_option(token, at, wanted, place, taken)
            return
        for reading in token_readings(grammar, self.path, token):
            options = [each for each in reading.given if each.is_option and not each.is_implied]
            if not options:
                continue
            last = options[-1]
            name = str(last.name)
            places = [found[0] for found in map(self._places, options[:-1]) if found]
            if len(places) < len(options) - 1:
                continue
            has_value = more and last.value is None and grammar.takes_value(self.path, name)
            for found in self._places(last) if not has_value else ():
                rest = self.from_position(at + 1, wanted, place, taken | found.taken)
                yield _joined(rest, [*places, found])
            if more and grammar.may_take_value(self.path, name):
                free = self._free(name)[:1] if grammar.may_take_next(self.path, name) else []
                valued = _best_of([_NOTHING, *[self._valued(each, name, at + 1) for each in self.options], *free])
                if valued.certainty:
                    first = [PatternMatch(SURELY, (valued.at[0],))] if valued.at else []
                    yield _joined(self.from_position(at + 2, wanted, place, taken), [*places, *first, valued])

    def _valued(self, given: GivenWord, name: str, at: int) -> PatternMatch:
        """How surely an option is the wanted one, with a value that the pattern says at position ``at``."""
        if given.name != name or self.grammar is None:
            return _NOTHING
        values = [given.value]
        line = self.kinds
        if line is not None and name in line.named and not line.fixed:  # `--ids a b`
            values += [each.name for each in self.operands[len(self.path) :]]
        found = [self._same_value(name, token, value) for token in self.rest[at] for value in values]
        return PatternMatch(max(found), (given.at,))

    def _same_value(self, name: str, wanted: str, value: Said | None) -> int:
        """How surely the option ``name``, given with ``value``, says what it says with ``wanted``."""
        line = self.kinds
        if line is not None and name in line.named and value is not None:
            return same((*line.fixed, line.rest or "word")[0].rstrip("?"), wanted, value)
        return self.grammar.same_value(self.path, name, wanted, value) if self.grammar is not None else NOT

    def _places(self, wanted: GivenWord) -> list[PatternMatch]:
        """The words that may give an option, with its value, where the pattern says one: a sure one, or all."""
        name, grammar = str(wanted.name), self.grammar
        found: list[PatternMatch] = []
        for each in self.options:
            if each.name == wanted.name and grammar is not None:
                value = wanted.value
                sure = value is None or self._same_value(name, str(value), each.value)
                found.append(PatternMatch(SURELY if sure is True else int(sure), (each.at,)))
        best = _best_of([_NOTHING, *found])
        if best.certainty == SURELY:
            return [best]
        return [*([best] if best.certainty else []), *self._free(name)]

    def _free(self, name: str) -> list[PatternMatch]:
        """The words that may give any option, this one among them: they, or where it is, are only known at run time."""
        grammar = self.grammar
        found: list[PatternMatch] = []
        given = frozenset([each.name for each in self.options if isinstance(each.name, str)])
        for each in (*self.options, *self.operands):
            if len(found) == _MOST_FREE:
                break
            value = each.value
            if isinstance(value, Word) and value.may_be_any and value is not SOME:
                found.append(PatternMatch(POSSIBLY, (each.at,)))
            elif not isinstance(each.name, str):
                word = each.name
                able = (
                    each.is_option
                    or (word.may_start_with_dash() and not _begins_otherwise(word))
                    or word.may_be_any
                    or (name[-1:] == "=" and not word.absolute)
                )
                if word is not SOME and not each.is_behind and able:
                    names = grammar.words_for(self.path, name) if grammar is not None else [name]
                    if any(_fits(word, one) for one in names):
                        found.append(PatternMatch(POSSIBLY, (each.at,), frozenset([each.at])))
            elif (
                each.is_option
                and grammar is not None
                and grammar.names_options_elsewhere(self.path, each.name, name, given)
            ):
                found.append(PatternMatch(POSSIBLY, (each.at,)))
        return found

    def _loose_option(self, token: str, at: int, wanted: int, place: int, taken: _Taken) -> Iterator[PatternMatch]:
        """The same for a program without a grammar: the next word of the pattern is the value."""
        name, equals, value = token.partition("=") if token[:2] == "--" else (token, "", "")
        values: Alternatives = (value,) if equals else ()
        behind = at + 1
        if not values and behind < len(self.rest) and not any(map(is_option, self.rest[behind])):
            values, behind = self.rest[behind], behind + 1
        found = [_loose(each, name, values) for each in self.options]
        best = _best_of([_NOTHING, *found])
        for one in [best] if best.certainty == SURELY else [best, *self._free(name)]:
            if one.certainty:
                yield _joined(self.from_position(behind, wanted, place, taken | one.taken), [one])


def _as_one_path(word: Word) -> Word:
    """``$DIR/a``, ``a.$x.b`` and ``$PWD`` as one word, although the shell may split it."""
    start, end = word.beginning, word.ending
    if not word.may_be_any or not word.pieces:
        return word
    is_folder = word.pieces[0].name in ("HOME", "PWD") or word.pieces[0].source in ("$(pwd)", "`pwd`")
    if not (end[:1] == "/" or (start and end) or is_folder):
        return word
    front = word.prefix or start
    return Word(None, word.span, prefix=front, suffix=end, kind=word.kind, absolute=is_folder, pieces=word.pieces)


def _is_one(word: Said) -> bool:
    """True if the shell surely does not split ``word``."""
    return isinstance(word, str) or not word.may_be_any


def _begins_otherwise(word: Word) -> bool:
    """True for a pattern whose first character is one of some: ``[ab]*``."""
    text = word.pattern or ""
    return word.kind == "glob" and text[:1] == "[" and not fits_glob("-", fnmatch_pattern(text.partition("]")[0] + "]"))


def _joined(rest: PatternMatch, parts: Sequence[PatternMatch]) -> PatternMatch:
    return PatternMatch(
        min([rest.certainty, *[part.certainty for part in parts]]), (*sum([part.at for part in parts], ()), *rest.at)
    )


def _best_of(found: Sequence[PatternMatch]) -> PatternMatch:
    return max(found, key=lambda each: each.certainty)


def _is_many(given: GivenWord) -> bool:
    return not isinstance(given.name, str) and given.name.many


def _is_path(token: str, kind: str) -> bool:
    """True if a word of a rule is evidently a path and no revision, pattern or program text, which may be left out."""
    if kind == "text?" and ("." in token or "/" in token):
        return token.translate(_PUNCTUATION).isalnum()
    return kind[-1] == "?" and token[:1] in (".", "/", ":", "*", "~")


def _fits(word: Word, option: str) -> bool:
    """True if a word that is only known at run time may give an option."""
    prefix, suffix = word.prefix, word.suffix
    if word.number:
        return option[1:].isdigit()
    if word.may_be_any:
        return True
    if option[-1:] == "=":  # `of=`
        return option.startswith(prefix)
    if not prefix.lstrip("-") or not (prefix.startswith("--") or len(option) > len("-x")):
        return option.endswith(suffix) or suffix.isalnum() or "=" in suffix
    return option.startswith(prefix) or prefix.startswith(f"{option}=")


def _loose(given: GivenWord, name: str, values: Alternatives) -> PatternMatch:
    """How surely a word gives the option ``name``, with one of ``values`` if there are any."""
    said, value = given.name, given.value
    if not isinstance(said, str):
        return _NOTHING
    certainty = NOT
    if len(name) == len("-e") and said != name:
        if said[:1] == "-" and said[:2] == name:  # -eprod, -e=prod
            glued = said[2:].removeprefix("=")
            if any(same("word", each, glued) == SURELY for each in values):
                return PatternMatch(SURELY, (given.at,))
        if said[1:2] != "-" and name[1] in said[1:_MOST_LETTERS] and len(said) <= _MOST_LETTERS:
            certainty = POSSIBLY
    else:
        said, equals, glued = said.partition("=")  # -env=prod
        value = glued if equals else value
        if said == name:
            certainty = SURELY
        elif said.lstrip("-") == name.lstrip("-") or (said[:2] == name[:2] and said[2:] and name.startswith(said)):
            certainty = POSSIBLY  # one dash for two, a name cut short
    if certainty and values:
        certainty = min(certainty, max([same("word", each, value) for each in values]) if value is not None else NOT)
    elif certainty and value == "false":
        certainty = POSSIBLY
    return PatternMatch(certainty, (given.at,))
