"""Matches rules that ask or forbid with words as written, and finds the shortest command that one matches.

There is one answer to both, and it is the judge's: other spellings, what the words mean, and what they run themselves.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from itertools import combinations, islice, product

from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join
from execpolicy.core.rules import PrefixRule
from execpolicy.core.trie import TooManyAlternativesError
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.restrictions import stricter_matches
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lint.shortest_spellings import shortest, telling_commands
from execpolicy.programs.catalog import facts_of, runners
from execpolicy.programs.names import base_name
from execpolicy.programs.unwrap import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.core.rules import HostExecutable

    Argv = tuple[str, ...]

_MOST_SPELLINGS = 64
_MOST_PARTS = 6
"""Of so many words behind the program every selection is tried, of more only the last ones."""
_SOME_VALUE = "x"
_SPELLED_OTHERWISE = ("py", "pip", "ld")
"""Programs that begin so may have another name, or run what is behind them."""
_NOWHERE = Situation("/nowhere")


class RuleSight:
    """Which restricting rules of a set surely see an argv.

    Args:
        rules: those that allow are left out.
        hosts: which paths may stand for programs.
    """

    def __init__(self, rules: Iterable[PrefixRule], hosts: Iterable[HostExecutable] = ()) -> None:
        self.rules = tuple([rule for rule in rules if rule.decision is not Decision.ALLOW])
        self._order = {id(rule): at for at, rule in enumerate(self.rules)}
        self._book = Rulebook((*self.rules, *hosts))
        self._strictest: dict[str, Decision] = {}  # by program
        for rule in self.rules:
            program = rule.pattern.first
            self._strictest[program] = max(rule.decision, self._strictest.get(program, rule.decision))
        self._alone: dict[str, tuple[PrefixRule, ...] | None] = {}  # filled as programs are met
        self._other_spellings = any(
            rule.pattern.canonical_matching or not rule.pattern.first.isascii() for rule in self.rules
        )

    def seeing(self, argv: Argv) -> list[PrefixRule]:
        """The rules that see ``argv``, or something that it runs, each once."""
        named = self._may_name(argv[0])
        if not self.rules or not (named or base_name(argv[0]) in runners()):
            return []
        found: dict[int, PrefixRule] = {}
        for match in self._matches(argv, named):
            rule = getattr(match, "rule", None)
            if isinstance(rule, PrefixRule) and not getattr(match, "possible", False):
                found[id(rule)] = rule
        return [found[each] for each in sorted(found, key=self._order.__getitem__)]

    def nothing_stricter(self, argv: Argv, decision: Decision) -> bool:
        """True if surely no rule that is stricter than ``decision`` sees ``argv``, found quickly."""
        if decision is Decision.FORBIDDEN:
            return True
        program = argv[0]
        if self._strictest.get(program, decision) <= decision:
            return self.about_alone(program) is not None
        able = self.candidates(argv)
        return able is not None and all(rule.decision <= decision for rule in able)

    def candidates(self, argv: Argv) -> Iterable[PrefixRule] | None:
        """Rules among which are all that see ``argv``, found quickly; ``None``: any may be."""
        program = argv[0]
        of_program = self.about_alone(program)
        if of_program is None:
            return None
        if len(argv) == 1:
            return self._book.policy.rules_for(program)
        return (*of_program, *self._book.meant_of(program).about(argv[1:]))

    def about_alone(self, program: str) -> tuple[PrefixRule, ...] | None:
        """The rules about ``program`` whatever is behind it; ``None``: those of other programs may see it too."""
        if program not in self._alone:
            self._alone[program] = self._find_alone(program)
        return self._alone[program]

    def _find_alone(self, program: str) -> tuple[PrefixRule, ...] | None:
        alone = program.isascii() and program.isalnum() and program == program.lower()
        if self._other_spellings or not alone or program.startswith(_SPELLED_OTHERWISE):
            return None
        if program in runners() or program.rstrip("0123456789") in runners():
            return None
        return tuple([rule for rule in self._book.policy.rules_for(program) if len(rule.pattern) == 1])

    def _matches(self, argv: Argv, named: bool) -> Sequence[object]:
        """Returns what the judge finds; where a command runs nothing else, that is what restricts it."""
        alone = _runs_nothing_else(argv)
        if alone and not named:
            return ()
        script = read_command(argv)
        if alone:
            return stricter_matches(script.commands[0], facts_of(script), self._book, _NOWHERE)
        verdict = judge_script(script, self._book, _NOWHERE)
        return [match for command in verdict.commands for match in command.matches]

    def _may_name(self, program: str) -> bool:
        """True if a rule may be about a program: quickly, and rather yes than no."""
        names = self._book.restricting
        name = base_name(program)
        if self._other_spellings or program in names or name in names:
            return True
        return not (name.isalpha() and name.islower())


@lru_cache(maxsize=8192)
def _runs_nothing_else(argv: Argv) -> bool:
    """True if ``argv`` is one command that is no script and runs no other."""
    script = read_command(argv)
    commands = script.commands
    return len(commands) == 1 and commands[0].plain_argv == argv and not unwrap(commands[0], facts_of(script))


def deciding_command(rule: PrefixRule, rules: Sequence[PrefixRule], sight: RuleSight) -> tuple[str, ...] | None:
    """A shortest command that ``rule`` decides and no other of ``rules`` as strict does.

    Args:
        rules: those in force, ``rule`` among them.
        sight: what those of them see that ask or forbid.

    Returns:
        ``None``: there is none; or there are too many spellings to tell.
    """
    by_meaning = rule.decision is not Decision.ALLOW and not rule.exact
    others = [other for other in rules if other is not rule and other.decision >= rule.decision]
    allowing = [other for other in others if other.decision is Decision.ALLOW]

    def decides(words: tuple[str, ...]) -> bool:
        seeing = sight.seeing(words)
        if by_meaning and all(each is not rule for each in seeing):
            return False
        if any(each is not rule and each.decision >= rule.decision for each in seeing):
            return False
        return not any(other.matched_prefix(words) for other in allowing)

    by_place = any(other.exact and other.pattern.first == rule.pattern.first for other in others)
    return shortest(telling_commands(rule.pattern, by_meaning=by_meaning, by_place=by_place), decides)


def spelled(pattern: PrefixPattern, most: int = _MOST_SPELLINGS) -> list[Argv]:
    """The argvs that are as long as ``pattern`` and match it byte for byte, at most ``most``."""
    return list(islice(product(*pattern.positions()), most))


def shortest_restricted(pattern: PrefixPattern, rule: PrefixRule, hosts: Iterable[HostExecutable] = ()) -> Argv | None:
    """A shortest command that starts with ``pattern``, as an allow rule sees it, and that ``rule`` restricts.

    ``None``: there is none; or it takes another form than the words of ``rule`` behind those of ``pattern``, which may
    only be where ``pattern`` makes its program run something.
    """
    sight = RuleSight([rule], hosts)
    tails = _tails(rule)
    return shortest(
        ((*words, *tail) for words in spelled(pattern) for tail in tails), lambda argv: bool(sight.seeing(argv))
    )


def _tails(rule: PrefixRule) -> list[Argv]:
    """Returns what may be put behind some words to make them mean what ``rule`` is about, shortest first."""
    found: dict[Argv, None] = {(): None}
    with suppress(TooManyAlternativesError):  # what was told until then is tried
        for words in telling_commands(rule.pattern, by_meaning=not rule.exact):
            for tail in (*_selections(words[1:]), words, (join(words),)):  # what runs others takes all of them
                found[tail] = None
                found[(_SOME_VALUE, *tail)] = None  # an option in front may want a value
    return sorted(found, key=len)


def _selections(words: Argv) -> Iterator[Argv]:
    if len(words) > _MOST_PARTS:
        yield from [words[at:] for at in range(len(words))]
        return
    for length in range(1, len(words) + 1):
        yield from combinations(words, length)
