"""Whether a command line means what the pattern of a rule says, however its options are spelled and ordered.

Only to restrict: an allow rule covers the words as they are written.
"""

from __future__ import annotations

from execpolicy.programs.meaning.command_grammar import grammar_of, says_option
from execpolicy.programs.meaning.command_readings import command_readings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.pattern import Alternatives, PrefixPattern
    from execpolicy.programs.meaning.command_grammar import CommandGrammar
    from execpolicy.programs.meaning.command_readings import CommandReading, GivenWord
    from execpolicy.shell.words import Word


class CommandLine:
    """The words behind a program, read once for all rules that they are compared with.

    Args:
        program: the base name.
        words: the words behind it.
    """

    __slots__ = ("_grammar", "_readings", "_texts", "_words")

    def __init__(self, program: str, words: Sequence[Word]) -> None:
        self._grammar = grammar_of(program)
        self._texts = [word.literal for word in words]
        self._words = words
        self._readings: list[CommandReading] | None = None

    def means(self, pattern: PrefixPattern) -> tuple[int, ...] | None:
        """The indices of the words that together mean ``pattern``, in the order of the pattern; ``None``: they do not.

        Where nothing is known of the program, its fixed words stand in front, and its options somewhere behind them.
        """
        return self._search(pattern, None)

    def could_mean(self, pattern: PrefixPattern) -> bool:
        """Whether some value of the words that are only known at run time could make it mean ``pattern``."""
        free = [at for at, word in enumerate(self._words) if word.literal is None and word.may_start_with_dash()]
        if self._grammar is not None and free:  # what is surely the value of an option is none itself
            operands = {each.at for one in self.readings(self._grammar) for each in one.given if each.name is None}
            free = [at for at in free if self._words[at].many or at in operands]
        return self._search(pattern, free + self.options_elsewhere()) is not None

    def is_guessed(self) -> bool:
        """True if a sub-command may be meant that is spelled otherwise."""
        return self._grammar is not None and any(reading.guessed for reading in self.readings(self._grammar))

    def options_elsewhere(self) -> list[int]:
        """The indices of the words that say where more options stand, which is not looked at."""
        grammar = self._grammar
        if grammar is None:
            return []
        return [
            each.at
            for reading in self.readings(grammar)
            for each in reading.given
            if each.is_option and grammar.names_options_elsewhere(reading.path, each.name or "")
        ]

    def readings(self, grammar: CommandGrammar) -> list[CommandReading]:
        """Every way to read the words."""
        if self._readings is None:
            self._readings = list(command_readings(grammar, self._texts))
        return self._readings

    def _search(self, pattern: PrefixPattern, maybe: list[int] | None) -> tuple[int, ...] | None:
        """The words that mean ``pattern``; ``maybe`` may be any option, ``None``: only what is sure counts."""
        grammar, free = self._grammar, maybe or []
        if grammar is None:
            return _anywhere(pattern.rest, self._texts, free)
        for reading in self.readings(grammar):
            if reading.guessed and maybe is None:
                continue
            found = _PatternSearch(grammar, reading, pattern.rest, free).from_position(0, 0, ())
            if found is not None:
                return found
        if grammar.script and not all(is_option(token) for tokens in pattern.rest for token in tokens):
            return _anywhere(pattern.rest, self._texts, free)
        return None


def is_option(token: str) -> bool:
    """Whether a token of a pattern stands for an option, or for the end of the options."""
    return len(token) > 1 and token[0] == "-"


class _PatternSearch:
    """The search for a pattern in one reading of a command line.

    ``free``: the indices of words that may be any option.
    """

    __slots__ = ("free", "grammar", "operands", "options", "path", "rest")

    def __init__(
        self, grammar: CommandGrammar, reading: CommandReading, rest: tuple[Alternatives, ...], free: list[int]
    ) -> None:
        self.grammar = grammar
        self.path = reading.path
        self.options = [each for each in reading.given if each.is_option]
        self.operands = [each for each in reading.given if not each.is_option]
        self.rest = rest
        self.free = free

    def from_position(self, at: int, operand: int, found: tuple[int, ...]) -> tuple[int, ...] | None:
        """Which words mean the pattern from position ``at`` on, where ``operand`` operands are used up."""
        if at == len(self.rest):
            return found
        over = ("--",) in self.rest[:at]
        for token in self.rest[at]:
            if token == "--" and not over and at + 1 < len(self.rest):
                result = self.from_position(at + 1, operand, found)  # only says how to read what stands behind it
            elif not over and (says_option(token, self.grammar) or (at == 0 and self.grammar.bundles)):
                result = self._option(token, at, operand, found)
            else:
                result = self._operand(token, at, operand, found)
            if result is not None:
                return result
        return None

    def _operand(self, token: str, at: int, operand: int, found: tuple[int, ...]) -> tuple[int, ...] | None:
        """``token`` is the next operand, or a later one where the program acts on each."""
        each = operand >= len(self.path) and self.grammar.acts_on_each(self.path)
        for place in range(operand, len(self.operands) if each else min(operand + 1, len(self.operands))):
            if self._is(self.operands[place], token, place):
                result = self.from_position(at + 1, place + 1, (*found, self.operands[place].at))
                if result is not None:
                    return result
        return None

    def _is(self, given: GivenWord, token: str, operand: int) -> bool:
        if given.name is None:
            return bool(self.free)
        if given.name == token:
            return True
        return operand < len(self.path) and given.name in self.grammar.child(self.path[:operand], token, sure=True)

    def _option(self, token: str, at: int, operand: int, found: tuple[int, ...]) -> tuple[int, ...] | None:
        """Every option in ``token`` is given; the next token of the pattern may be its value."""
        for wanted in command_readings(self.grammar, [*self.path, token]):
            options = [each for each in wanted.given if each.is_option]
            places = [place for each in options if (place := self._place(each)) is not None]
            if not options or len(places) < len(options):
                continue
            last, more = options[-1], at + 1 < len(self.rest)
            has_value = more and last.value is None and self.grammar.takes_value(self.path, last.name or "")
            result = None if has_value else self.from_position(at + 1, operand, (*found, *places))
            if result is None and more:
                valued = [each.at for each in self.options if self._is_valued(each, last, at + 1)] or self.free
                if valued:
                    result = self.from_position(at + 2, operand, (*found, *places, valued[0]))
            if result is not None:
                return result
        return None

    def _is_valued(self, given: GivenWord, wanted: GivenWord, at: int) -> bool:
        """Whether an option is the wanted one, and its value what the pattern says at position ``at``."""
        name, same = wanted.name or "", self.grammar.same_value
        return given.name == name and any(same(self.path, name, token, given.value) for token in self.rest[at])

    def _says(self, given: GivenWord, value: str) -> bool:
        return self.grammar.same_value(self.path, given.name or "", value, given.value)

    def _place(self, wanted: GivenWord) -> int | None:
        """The word that gives an option; with its value, where the pattern says one."""
        for each in self.options:
            if each.name == wanted.name and (wanted.value is None or self._says(each, wanted.value)):
                return each.at
        return self.free[0] if self.free else None


def _anywhere(rest: tuple[Alternatives, ...], texts: Sequence[str | None], free: list[int]) -> tuple[int, ...] | None:
    """For a program that nobody knows: the fixed words in front, then each option somewhere behind them.

    In front of a fixed word there may be options, each with one value or none.
    """
    wanted = 0
    found: list[int] = []
    for at, text in enumerate(texts):
        if wanted == len(rest) or any(map(is_option, rest[wanted])):
            break
        if text in rest[wanted] or at in free:
            found.append(at)
            wanted += 1
        elif not (is_option(text or "") or (at and is_option(texts[at - 1] or ""))):
            return None
    if wanted < len(rest) and not any(map(is_option, rest[wanted])):
        return None
    fixed = wanted
    behind = found[-1] + 1 if found else 0
    end = next((at + 1 for at, text in enumerate(texts) if text == "--"), len(texts))
    at = fixed
    while at < len(rest):
        run = at + 1
        while run < len(rest) and not any(map(is_option, rest[run])):
            run += 1  # words behind an option stay behind it
        start = free[0] if free else _sequence(rest[at:run], texts, behind, end)
        if start is None:
            return None
        found += range(start, min(start + run - at, len(texts)))
        at = run
    return tuple(found)


def _sequence(wanted: tuple[Alternatives, ...], texts: Sequence[str | None], first: int, end: int) -> int | None:
    for start in range(first, end):
        parts = texts[start : start + len(wanted)]
        if len(parts) == len(wanted) and all(map(_says, parts, wanted)):
            return start
    return None


def _says(text: str | None, tokens: Alternatives) -> bool:
    if text is None:
        return False
    return text in tokens or (text.startswith("--") and text.partition("=")[0] in tokens)
