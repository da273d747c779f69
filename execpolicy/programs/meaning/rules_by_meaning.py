"""The restricting rules of one program, found by what a command line says: most need not be compared with it."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.programs.catalog import runners
from execpolicy.programs.meaning import program_identity
from execpolicy.programs.meaning.command_grammar import grammar_of, key_and_rest, says_option
from execpolicy.programs.meaning.command_line import CommandLine
from execpolicy.programs.meaning.command_readings import SOME, token_readings, unknown_settings
from execpolicy.programs.meaning.operand_kinds import is_open, names_of
from execpolicy.programs.names import base_name
from execpolicy.shell.words import Word
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from execpolicy.core.pattern import Alternatives, PrefixPattern
    from execpolicy.core.policy import Policy
    from execpolicy.core.rules import PrefixRule
    from execpolicy.programs.meaning.command_line import PatternMatch
    from execpolicy.programs.meaning.command_readings import CommandReading

    _Path: TypeAlias = tuple[str, ...]
    MeantRule: TypeAlias = tuple[PrefixRule, PrefixPattern]

_OPERAND = "\0operand"
"""Any operand."""
_FEW = 2
"""So many rules are compared one by one."""


def by_base_name(programs: Iterable[str]) -> dict[str, list[str]]:
    """The programs that rules name by their base names, those with a version behind it without that, too."""
    found: dict[str, list[str]] = {}
    for program in programs:
        base = base_name(program)
        for name in {base, base.rstrip("0123456789.")}:
            found.setdefault(name, []).append(program)
    return found


def rules_about(
    program: str, policy: Policy, restricting: Mapping[str, list[str]], behind: Mapping[str, Sequence[MeantRule]]
) -> list[MeantRule]:
    """The rules stricter than allow that match by meaning and are about a program, or a file, of this base name.

    Args:
        restricting: the programs that such rules name, see :func:`by_base_name`.
        behind: what :func:`rules_behind` gives.
    """
    runs_files = program_identity.may_run_files(program)
    found: list[MeantRule] = []
    firsts = [first for name in program_identity.names_of_program(program) for first in restricting.get(name, ())]
    for first in dict.fromkeys(firsts):
        changed = first != program and "/" not in first
        for rule in _by_meaning(policy, first):
            if runs_files and program_identity.names_file(rule.pattern):
                continue  # it is about the file
            patterns = program_identity.as_patterns(rule.pattern) if changed else [rule.pattern]
            found += [(rule, each) for each in patterns if base_name(each.first) == program]
    return [*found, *behind.get(program, ())]


def rules_behind(policy: Policy, restricting: Iterable[str]) -> dict[str, list[MeantRule]]:
    """The rules that name a program or a file behind what runs it, by the base name of that: ``bash ./deploy.sh``."""
    found: dict[str, list[MeantRule]] = {}
    for first in restricting:
        if base_name(first).rstrip("0123456789.") in runners():
            for rule in _by_meaning(policy, first):
                for pattern in program_identity.patterns_behind(rule.pattern):
                    found.setdefault(base_name(pattern.first), []).append((rule, pattern))
    return found


def _by_meaning(policy: Policy, first: str) -> list[PrefixRule]:
    return [rule for rule in policy.rules_for(first) if rule.decision is not Decision.ALLOW and not rule.exact]


class RulesByMeaning:
    """Rules of one program, each under something that every command line says that means it.

    Args:
        program: the base name.
        rules: each with the pattern of the program under the name by which it is known.
    """

    __slots__ = ("_by_first", "_by_path", "_grammar", "_order", "_program", "rules")

    def __init__(self, program: str, rules: Sequence[MeantRule]) -> None:
        self._program = program
        self._grammar = grammar_of(program)
        self.rules = rules
        self._order = {id(rule): at for at, rule in enumerate(rules)}
        self._by_first: dict[str, list[MeantRule]] = {}
        for rule in rules:
            for token in rule[1].rest[0] if rule[1].rest else ("",):
                first = "" if self._grammar is None or says_option(token, self._grammar) else token
                self._by_first.setdefault(first, []).append(rule)
        self._by_path: dict[_Path, dict[str, list[MeantRule]]] = {}  # filled for each sub-command when it is met

    def meant_by(
        self, words: Sequence[Word], *, is_fed: bool = False, settings: Callable[[], str | None] = unknown_settings
    ) -> list[tuple[MeantRule, PatternMatch]]:
        """The rules that the words behind the program mean at least possibly, in order."""
        line = CommandLine(self._program, words, is_fed=is_fed, settings=settings)
        found = [(rule, line.means(rule[1])) for rule in self.concerning(line)]
        return [(rule, each) for rule, each in found if each.certainty]

    def about(self, texts: Sequence[str]) -> list[PrefixRule]:
        """The rules that the texts behind the program may mean."""
        line = CommandLine(self._program, [Word(text, Span(0, 0)) for text in texts])
        return [rule for rule, _ in self.concerning(line)]

    def concerning(self, line: CommandLine) -> Iterable[MeantRule]:
        """The rules that a command line may mean, in order; of any other it is known that it does not."""
        if len(self.rules) <= _FEW:
            return self.rules
        found: dict[int, MeantRule] = {}
        for reading in line.readings():
            keys = self._keys(reading, line)
            if keys is None:
                return self.rules
            index = self._by_path.get(reading.path)
            if index is None:
                index = self._by_path[reading.path] = self._index(reading.path)
            for key in keys:
                for rule in index.get(key, ()):
                    found[self._order[id(rule)]] = rule
        return [rule for _, rule in sorted(found.items())]

    def _keys(self, reading: CommandReading, line: CommandLine) -> set[str] | None:
        """Everything that a reading says, by all its names; ``None`` if it may say anything."""
        grammar, found = self._grammar, {""}
        kinds = self._kinds(reading.path)
        for each in reading.given:
            if each.is_option:
                if not isinstance(each.name, str) or (each.value is not None and not isinstance(each.value, str)):
                    return None
                if grammar is not None and grammar.names_options_elsewhere(reading.path, each.name):
                    return None
                found.add(each.name)
                if grammar is None:
                    found.update([each.name.lstrip("-").partition("=")[0], *[f"-{letter}" for letter in each.name[1:]]])
                if each.value is not None:
                    found.update((each.value, key_and_rest(each.value)[0], *names_of("word", each.value)))
                continue
            if not isinstance(each.name, str) and each.name is not SOME and each.name.may_start_with_dash():
                return None
            if any(is_open(kind, each.name) for kind in kinds):
                found.add(_OPERAND)
            if isinstance(each.name, str):
                found.update([name for kind in kinds for name in names_of(kind, each.name)])
        return found

    def _kinds(self, path: _Path) -> set[str]:
        """The kinds of operands behind the sub-commands ``path``."""
        line = self._grammar.line(path) if self._grammar is not None else None
        if line is None:
            return {"text", "word"}
        return {"text", "word", *[kind.rstrip("?") for kind in line.fixed], *filter(None, [line.rest])}

    def _index(self, path: _Path) -> dict[str, list[MeantRule]]:
        """The rules that a command line with these sub-commands may mean, under that part which fewest others need."""
        needs: list[tuple[MeantRule, list[tuple[str, ...]]]] = []
        known: dict[Alternatives, tuple[str, ...]] = {}
        many: dict[str, int] = {}
        for rule in self._behind(path):
            parts: list[tuple[str, ...]] = []
            for tokens in rule[1].rest:
                needed = known.get(tokens)
                if needed is None:
                    needed = known[tokens] = self._needed(path, tokens)
                parts.append(needed)
                many[needed[0]] = many.get(needed[0], 0) + 1
            needs.append((rule, parts or [("",)]))
        found: dict[str, list[MeantRule]] = {}
        for rule, parts in needs:
            for each in min(parts, key=lambda part: (part[0] in ("", *path), many.get(part[0], 0))):
                found.setdefault(each, []).append(rule)
        return found

    def _behind(self, path: _Path) -> Iterable[MeantRule]:
        """The rules whose second word is no option may be one of the sub-command; all where there is none."""
        if not path or self._grammar is None:
            return self.rules
        names = [*self._grammar.names_of(path[0]), ""]
        return {id(rule): rule for name in names for rule in self._by_first.get(name, ())}.values()

    def _needed(self, path: _Path, tokens: Alternatives) -> tuple[str, ...]:
        """Of what a command line must say one, so that one of ``tokens`` is met; ``""``: nothing."""
        grammar, kinds = self._grammar, self._kinds(path)
        found: dict[str, None] = {}
        for token in tokens:
            if token == "--":
                return ("",)
            if grammar is not None and (says_option(token, grammar) or grammar.bundles):
                for reading in token_readings(grammar, path, token):
                    found.update(dict.fromkeys([str(each.name) for each in reading.given if each.is_option][:1]))
            elif grammar is None and says_option(token, grammar):
                name = token.partition("=")[0]
                found.update(dict.fromkeys([name, name.lstrip("-"), *[name[:end] for end in range(3, len(name))]]))
            found.update(dict.fromkeys([token, key_and_rest(token)[0], *[names_of(kind, token)[0] for kind in kinds]]))
            for length in range(len(path) if grammar is not None else 0):
                found.update(
                    dict.fromkeys(grammar.child(path[:length], token, sure=True) if grammar is not None else ())
                )
            if not says_option(token, grammar):
                found[_OPERAND] = None
        return tuple(found)
