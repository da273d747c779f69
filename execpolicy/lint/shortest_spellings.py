"""The shortest commands that mean the pattern of a rule: enough to compare what two sets of rules see.

Why they are enough. Take two sets of rules that restrict, and a command that they decide differently. The stricter
decision is that of a rule which the other set does not have. Read the command the way in which it means the rule's
pattern, and leave out every option (with its value) and every operand that the pattern does not need. What is left
still means the pattern. No rule sees more in it than before, since a rule by meaning asks only for given options in
any order, and for operands in front or behind. An option that replaces what others imply is tried as well. So the two
sets differ on what is left, and that is a command of nothing but what the pattern needs. An option is then given by
one of its names, a cluster of letters, an option that means several, or an operand that implies it. These are all in
the grammar, and they are what is tried here. A rule that compares first words (``spelling = "exact"``, or one that
allows) also depends on their place. It is dodged by another order, another name, or one more option in front. A
command that is run by another one is longer than itself, so wrappers add nothing.

What is left open: where a pattern has more than ``_MOST`` combinations or ``_MOST_TOLD`` spellings, or says more
than ``_MOST_OPTIONS`` options.
"""

from __future__ import annotations

from itertools import islice, permutations, product

from execpolicy.core.trie import TooManyAlternativesError
from execpolicy.programs.meaning.command_grammar import grammar_of, says_option
from execpolicy.programs.meaning.command_readings import command_readings
from execpolicy.programs.names import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.programs.meaning.command_grammar import CommandGrammar

    Words = tuple[str, ...]
    Orders: TypeAlias = Callable[[list[Words]], Iterable[Sequence[Words]]]

_MOST = 64
_MOST_OPTIONS = 4
"""Of so many options every order is tried, of more the one that they are written in."""
_MOST_TOLD = 2_000
_MOST_NAMES = 3
_NOTHING_SAID = ("--zz", "zz")
"""An option that no program has; and an operand that says nothing."""


def telling_commands(pattern: PrefixPattern, *, by_meaning: bool, by_place: bool = False) -> Iterator[Words]:
    """Commands that tell whether rules see all that a rule of ``pattern`` sees: they do if they see these.

    First the words as they are written, which are all that there is to a rule that sees them only so: whatever is
    behind them says more. In which order options stand makes no difference to a rule by meaning.

    Args:
        by_meaning: the rule sees all that means ``pattern``; a command that it does not see has to be left out.
        by_place: the others may see first words alone; so every order is tried, and a word more.

    Raises:
        TooManyAlternativesError: there are too many to be looked at, so that nothing can be claimed.
    """
    alternatives = list(islice(product(*pattern.positions()), _MOST + 1))
    if len(alternatives) > _MOST:
        raise TooManyAlternativesError
    yield from alternatives
    if not by_meaning:
        return
    grammar = grammar_of(base_name(pattern.first))
    neutral = _neutral(grammar) if by_place else ()
    for words in alternatives:
        yield from _with_more(words, neutral)
        yield from _with_other_values(grammar, words)
    given: set[Words] = set(alternatives)
    for words in alternatives:
        for named in _other_names(grammar, words[1:]):
            for spelled in _spellings(grammar, named, _in_every_order if by_place else _in_one_order):
                if len(given) > _MOST_TOLD:
                    raise TooManyAlternativesError
                command = (words[0], *spelled)
                if command not in given:
                    given.add(command)
                    yield command
                    yield from _with_more(command, neutral)


def shortest(commands: Iterable[Words], tells: Callable[[Words], bool]) -> Words | None:
    """A shortest one of :func:`telling_commands` that ``tells``; ``None``: none does, or there are too many."""
    best: Words | None = None
    try:
        for words in commands:
            if (best is None or len(words) < len(best)) and tells(words):
                best = words
    except TooManyAlternativesError:
        return best
    return best


def _with_more(words: Words, neutral: Iterable[str]) -> Iterator[Words]:
    for more in neutral:
        yield from [(*words[:at], more, *words[at:]) for at in range(1, len(words) + 1)]


def _with_other_values(grammar: CommandGrammar | None, words: Words) -> Iterator[Words]:
    """``words`` with another value for an option that they only imply: ``curl -d x -X PUT`` is no ``curl -X POST``."""
    for reading in islice(command_readings(grammar, words[1:]) if grammar is not None else (), 1):
        for each in reading.given:
            if each.is_implied and each.value is not None:
                yield (*words, str(each.name), _NOTHING_SAID[1])


def _other_names(grammar: CommandGrammar | None, words: Words) -> Iterable[Words]:
    """``words`` as they are, and with other names of their first sub-command, one cut short among them."""
    if grammar is None or not words:
        return [words]
    first = words[0]
    others = [name for name in grammar.names_of(first) if name != first][:_MOST_NAMES]
    if first in grammar.child((), first[:-1]):
        others.append(first[:-1])
    return [words, *[(name, *words[1:]) for name in others]]


def _in_every_order(said: list[Words]) -> Iterable[Sequence[Words]]:
    return permutations(said) if len(said) <= _MOST_OPTIONS else [said]


def _in_one_order(said: list[Words]) -> Iterable[Sequence[Words]]:
    return [said]


def _spellings(grammar: CommandGrammar | None, words: Words, ordered: Orders) -> Iterator[Words]:
    """All ways to say ``words``, which stand behind the program."""
    front, options, behind = _parts(grammar, words)
    if behind[:1] == ("--",) and len(behind) > 1 and not any(map(_dashed, behind[1:])):
        yield from _spellings(
            grammar, words[: words.index("--")] + behind[1:], ordered
        )  # it only says how to read what follows
    for said in _said(grammar, _path(grammar, front), options):
        for order in ordered(said):
            flat = tuple([word for unit in order for word in unit])
            tail = () if not behind or behind[0] != "--" else behind
            operands = behind if not tail else ()
            yield (*front, *flat, *operands, *tail)
            yield (*front, *operands, *flat, *tail)
            if front:
                yield (*front[:1], *flat, *front[1:], *operands, *tail)
                yield (*flat, *front, *operands, *tail)
                yield (*front[:-1], *flat, *front[-1:], *operands, *tail)


def _path(grammar: CommandGrammar | None, front: Words) -> Words:
    path: Words = ()
    for word in front if grammar is not None else ():
        children = grammar.child(path, word, sure=True) if grammar is not None else []
        if not children:
            break
        path = (*path, children[0])
    return path


def _parts(grammar: CommandGrammar | None, words: Words) -> tuple[Words, list[Words], Words]:
    """The operands in front, the options, each with the words that are written behind it as its value, and the rest."""
    at = 0
    while at < len(words) and not says_option(words[at], grammar):
        at += 1
    front, options = words[:at], []
    behind: list[str] = []
    path = _path(grammar, front)
    while at < len(words):
        word = words[at]
        if word == "--":
            behind += words[at:]
            break
        at += 1
        if not says_option(word, grammar):
            behind.append(word)
            continue
        unit = [word]
        while at < len(words) and not says_option(words[at], grammar) and _takes(grammar, path, word, len(unit)):
            unit.append(words[at])
            at += 1
        options.append(tuple(unit))
    return front, options, tuple(behind)


def _dashed(word: str) -> bool:
    return word[:1] == "-"


def _takes(grammar: CommandGrammar | None, path: Words, word: str, taken: int) -> bool:
    """True if the next word belongs to the option ``word``: any, where nothing is known of the program."""
    if grammar is None:
        return True
    names = [
        str(each.name)
        for reading in command_readings(grammar, [*path, word])
        for each in reading.given
        if each.is_option
    ]
    return taken == 1 and bool(names) and grammar.takes_value(path, names[-1] or "")


def _said(grammar: CommandGrammar | None, path: Words, options: Sequence[Words]) -> Iterator[list[Words]]:
    """Every choice of words that say the options."""
    if grammar is None:
        yield list(options)
        for at, unit in enumerate(options):
            if len(unit) == 2:
                yield [*options[:at], ("=".join(unit),), *options[at + 1 :]]
        return
    flags: list[str] = []
    valued: list[Words] = []
    for unit in options:
        for reading in islice(command_readings(grammar, [*path, unit[0]]), 1):
            named = [each for each in reading.given if each.is_option and not each.is_implied]
            flags += [str(each.name) for each in (named[:-1] if len(unit) > 1 else named) if each.value is None]
            for each in named:
                if each.value is not None:
                    valued.append((str(each.name), str(each.value)))
            if len(unit) > 1 and named:
                valued.append((str(named[-1].name), unit[1]))
    yield list(options)
    for chosen in grammar.ways_to_say(path, flags):
        values = [_with_value(grammar, path, name, value) for name, value in valued]
        for one in product(*values) if values else [()]:
            units = [*[(word,) for word in chosen], *one]
            yield units
            yield from _clusters(units)


def _with_value(grammar: CommandGrammar, path: Words, name: str, value: str) -> list[Words]:
    """An option with its value, as two words and as one."""
    found: list[Words] = []
    for other in grammar.names_of_option(path, name):
        found += [(other, value), (f"{other}={value}" if len(other) > 2 else other + value,)]
    return found


def _clusters(units: Sequence[Words]) -> Iterator[list[Words]]:
    """The one-letter options in one word."""
    letters = [unit[0][1] for unit in units if len(unit) == 1 and len(unit[0]) == 2 and unit[0][0] == "-"]
    others = [unit for unit in units if not (len(unit) == 1 and len(unit[0]) == 2 and unit[0][0] == "-")]
    if len(letters) > 1:
        yield [("-" + "".join(letters),), *others]
        yield [("-" + "".join(reversed(letters)),), *others]
    for at, unit in enumerate(others):
        if letters and unit[0][0] == "-" and unit[0][1] != "-" and len(unit) == 1:
            yield [("-" + "".join(letters) + unit[0][1:],), *others[:at], *others[at + 1 :]]
        elif letters and len(unit) == 2 and len(unit[0]) == 2:
            yield [("-" + "".join(letters) + unit[0][1], unit[1]), *others[:at], *others[at + 1 :]]


def _neutral(grammar: CommandGrammar | None) -> Iterable[str]:
    """Words that say nothing: options that take no value and change little, one that no program has, and an operand."""
    known = grammar.plain_options()[:2] if grammar is not None else []
    return (*known, *_NOTHING_SAID)
