"""What rules that ask or forbid see of words as they stand, and the shortest command behind some words that one sees.

There is one answer to both, and it is the judge's: other spellings, what the words mean, and what they run themselves.
"""

from __future__ import annotations

from itertools import combinations, islice, product

from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.programs.command_grammar import grammar_of
from execpolicy.programs.command_readings import is_read_plainly
from execpolicy.programs.names import base_name
from execpolicy.programs.shelf import carriers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.core.rules import HostExecutable

    Argv = tuple[str, ...]

_MOST_SPELLINGS = 64
_MOST_PARTS = 6
"""Of so many words behind the program every selection is tried, of more only the last ones."""
_SOME_VALUE = "x"
_NOWHERE = Situation("/nowhere")


class RuleSight:
    """Which restricting rules of a set see an argv.

    Args:
        rules: those that allow are left out.
        hosts: which paths may stand for programs.
    """

    def __init__(self, rules: Iterable[PrefixRule], hosts: Iterable[HostExecutable] = ()) -> None:
        self.rules = tuple([rule for rule in rules if rule.decision is not Decision.ALLOW])
        self._book = Rulebook((*self.rules, *hosts))
        self._other_spellings = any(
            rule.pattern.canonical_matching or not rule.pattern.first.isascii() for rule in self.rules
        )

    def seeing(self, argv: Argv) -> list[PrefixRule]:
        """The rules that see ``argv``, or something that it runs, each once."""
        if not self.rules or not self._concerns(argv[0]):
            return []
        found: dict[int, PrefixRule] = {}
        for command in judge_script(read_command(argv), self._book, _NOWHERE).commands:
            for match in command.matches:
                rule = getattr(match, "rule", None)
                if isinstance(rule, PrefixRule):
                    found[id(rule)] = rule
        return [rule for rule in self.rules if id(rule) in found]

    def _concerns(self, program: str) -> bool:
        """Whether a rule may have something to say about a program: quickly, and rather yes than no."""
        names = self._book.restricting
        name = base_name(program)
        if self._other_spellings or program in names or name in names or name in carriers():
            return True
        return not (name.isalpha() and name.islower())


def spelled(pattern: PrefixPattern, most: int = _MOST_SPELLINGS) -> list[Argv]:
    """The argvs that are as long as ``pattern`` and match it byte for byte, at most ``most``."""
    return list(islice(product(*pattern.positions()), most))


def shortest_restricted(pattern: PrefixPattern, rule: PrefixRule, hosts: Iterable[HostExecutable] = ()) -> Argv | None:
    """A shortest command that starts with ``pattern``, as an allow rule sees it, and that ``rule`` restricts.

    ``None``: there is none; or it takes another form than the words of ``rule`` behind those of ``pattern``, which may
    only be where ``pattern`` makes its program run something.
    """
    sight = RuleSight([rule], hosts)
    best: Argv | None = None
    for words in spelled(pattern):
        for tail in _tails(rule.pattern):
            if best is not None and len(words) + len(tail) >= len(best):
                break
            if sight.seeing((*words, *tail)):
                best = (*words, *tail)
                break
    return best


def _tails(pattern: PrefixPattern) -> list[Argv]:
    """What may be put behind some words to make them mean ``pattern``, shortest first."""
    found: dict[Argv, None] = {(): None}
    for words in spelled(pattern, 16):
        behind = words[1:]
        for tail in _selections(behind):
            for each in (tail, *_together(tail), *_implied(pattern.first, behind, tail)):
                found[each] = None
                found[(_SOME_VALUE, *each)] = None  # an option in front may want a value
        found[words] = None  # for what runs the words behind it
        found[(_SOME_VALUE, *words)] = None
        found[(join(words),)] = None
    return sorted(found, key=len)


def _selections(words: Argv) -> Iterator[Argv]:
    if len(words) > _MOST_PARTS:
        yield from [words[at:] for at in range(len(words))]
        return
    for length in range(1, len(words) + 1):
        yield from combinations(words, length)


def _together(words: Argv) -> Iterator[Argv]:
    """``words`` with one word fewer: an option with its value in one, or two options of a letter."""
    for at in range(len(words) - 1):
        one, other = words[at : at + 2]
        if one[:1] == "-" and one != "--":
            letters = len(one) == 2 and len(other) == 2 and other[0] == "-"
            joined = one + ("=" + other if one[:2] == "--" else other[1:] if letters else other)
            yield (*words[:at], joined, *words[at + 2 :])


def _implied(program: str, words: Argv, tail: Argv) -> Iterator[Argv]:
    """``tail`` with operands in place of options that they mean: behind ``--`` there may be no options."""
    grammar = grammar_of(base_name(program))
    if grammar is not None and tail[-1][:1] == "-":
        for prefix in grammar.implying(words, tail[-1]):
            yield (*tail[:-1], prefix + _SOME_VALUE)


def means_no_other(pattern: PrefixPattern) -> bool:
    """Whether whoever sees the words of ``pattern`` sees everything that means it: they have one reading only."""
    grammar = grammar_of(base_name(pattern.first))
    return grammar is not None and all(is_read_plainly(grammar, words[1:]) for words in spelled(pattern))
