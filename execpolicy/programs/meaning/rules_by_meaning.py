"""The restricting rules of one program, found by what a command line says: most need not be compared with it."""

from __future__ import annotations

from functools import lru_cache

from execpolicy.core.decision import Decision
from execpolicy.core.matches import NOT, POSSIBLY, SURELY
from execpolicy.core.pattern import PrefixPattern
from execpolicy.programs import spellings
from execpolicy.programs.breadth import innermost
from execpolicy.programs.catalog import record_of, runners
from execpolicy.programs.meaning.command_grammar import grammar_of, key_and_rest, says_option
from execpolicy.programs.meaning.command_line import CommandLine
from execpolicy.programs.meaning.command_readings import (
    SOME,
    command_readings,
    loose_reading,
    negated,
    token_readings,
    unknown_settings,
)
from execpolicy.programs.meaning.operand_kinds import OPEN, known_as, names_of
from execpolicy.programs.names import base_name
from execpolicy.programs.options import option_table
from execpolicy.shell.words import Word
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from execpolicy.core.pattern import Alternatives, PrefixPattern
    from execpolicy.core.policy import Policy
    from execpolicy.core.rules import PrefixRule
    from execpolicy.programs.meaning.command_grammar import CommandGrammar
    from execpolicy.programs.meaning.command_line import PatternMatch
    from execpolicy.programs.meaning.operand_kinds import Said

    _Path: TypeAlias = tuple[str, ...]
    MeantRule: TypeAlias = tuple[PrefixRule, PrefixPattern]
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command

_FILES = frozenset(("path", "pathspec", "script", "word"))
"""The kinds of operands that may be files."""
_ANY_LINE = frozenset([""])
"""Part of every command line."""
_MOST_TEXTS = 2_000
"""Words of commands that are remembered for each sub-command, with what they say."""


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
    """The rules stricter than allow that are about a program, or a file, of this base name.

    Args:
        restricting: the programs that such rules name, see :func:`by_base_name`.
        behind: what :func:`rules_behind` gives.
    """
    runs_files = may_run_files(program)
    found: list[MeantRule] = []
    firsts = [first for name in names_of_program(program) for first in restricting.get(name, ())]
    for first in dict.fromkeys(firsts):
        changed = first != program and "/" not in first
        for rule in policy.rules_for(first):
            if rule.decision is Decision.ALLOW or (runs_files and not rule.exact and names_file(rule.pattern)):
                continue  # it is about the file
            patterns = as_patterns(rule.pattern) if changed else [rule.pattern]
            found += [(rule, each) for each in patterns if base_name(each.first) == program]
    return [*found, *behind.get(program, ())]


def rules_behind(policy: Policy, restricting: Iterable[str]) -> dict[str, list[MeantRule]]:
    """The rules that name a program or a file behind what runs it, by the base name of that: ``bash ./deploy.sh``."""
    found: dict[str, list[MeantRule]] = {}
    for first in restricting:
        if base_name(first).rstrip("0123456789.") in runners():
            for rule in policy.rules_for(first):
                for pattern in () if rule.exact or rule.decision is Decision.ALLOW else patterns_behind(rule.pattern):
                    found.setdefault(base_name(pattern.first), []).append((rule, pattern))
    return found


class RulesByMeaning:
    """Rules of one program, each under something that every command line says that means it.

    Args:
        program: the base name.
        rules: each with the pattern of the program under the name by which it is known.
        are_all: no other rule can match a command that begins with ``program``.
    """

    __slots__ = ("_by_first", "_by_path", "_grammar", "_program", "are_all", "rules")

    def __init__(self, program: str, rules: Sequence[MeantRule], *, are_all: bool = False) -> None:
        self.are_all = are_all
        self._program = program
        self._grammar = grammar_of(program)
        self.rules = rules
        self._by_first: dict[str, dict[int, MeantRule]] = {}
        for at, rule in enumerate(rules):
            for token in rule[1].rest[0] if rule[1].rest else ("",):
                first = "" if self._grammar is None or says_option(token, self._grammar) else token
                self._by_first.setdefault(first, {})[at] = rule
        self._by_path: dict[_Path, _RulesOfPath] = {}  # filled for each sub-command when it is met

    def meant_by(
        self, words: Sequence[Word], *, is_fed: bool = False, settings: Callable[[], str | None] = unknown_settings
    ) -> list[tuple[MeantRule, PatternMatch]]:
        """The rules that the words behind the program mean at least possibly, in order."""
        line = CommandLine(self._program, words, is_fed=is_fed, settings=settings)
        found = [(rule, line.means(rule[1])) for rule in self.concerning(line) if not rule[0].exact]
        return [(rule, each) for rule, each in found if each.certainty]

    def about(self, texts: Sequence[str]) -> list[PrefixRule]:
        """The rules that the texts behind the program may mean."""
        line = CommandLine(self._program, [Word(text, Span(0, 0)) for text in texts])
        return [rule for rule, _ in self.concerning(line)]

    def concerning(self, line: CommandLine) -> Sequence[MeantRule]:
        """The rules that a command line may mean, in order; of any other it is known that it does not."""
        path, is_plain = self._grammar.sub_commands(line.texts) if self._grammar is not None else ((), True)
        of_path = self._of_path(path)
        if is_plain or not of_path.rules:
            found = of_path.concerning(line.texts)
        else:
            found = {}
            for reading in line.readings():
                said = [
                    *line.texts,
                    *[part for each in reading.given for part in (each.name, each.value) if part is not None],
                ]
                found |= self._of_path(reading.path).concerning(said)
        return [found[at] for at in sorted(found)]

    def may_concern(self, texts: Sequence[Said]) -> bool:
        """False if it is quickly seen that a command line with the words ``texts`` is no rule's."""
        if not self.rules:
            return False
        path, is_plain = self._grammar.sub_commands(texts) if self._grammar is not None else ((), True)
        of_path = self._of_path(path)
        return bool(of_path.concerning(texts) if is_plain else of_path.rules)

    def may_name_files(self, texts: Sequence[Said]) -> bool:
        """True if an operand of a command line with the words ``texts`` may be the file that a rule names."""
        path = self._grammar.sub_commands(texts)[0] if self._grammar is not None else ()
        return self._of_path(path).names_files

    def _of_path(self, path: _Path) -> _RulesOfPath:
        """The rules whose second word is no option may be one of the sub-command; all where there is none."""
        found = self._by_path.get(path)
        if found is None:
            grammar, rules = self._grammar, dict(enumerate(self.rules))
            paths = [path] if grammar is None else grammar.other_names(path)
            if grammar is not None and () not in paths:
                names = [name for each in paths for name in grammar.names_of(each[0])]
                rules = {at: rule for name in ("", *names) for at, rule in self._by_first.get(name, {}).items()}
            found = self._by_path[path] = _RulesOfPath(grammar, paths, rules)
        return found


class _RulesOfPath:
    """The rules that a command line with some sub-commands may mean: what its words must say for each position.

    Args:
        grammar: of the program.
        paths: the sub-commands, under all their names.
        rules: those that name no other sub-command, by their place among all.
    """

    __slots__ = (
        "_always",
        "_by_text",
        "_grammar",
        "_has_kinds",
        "_index",
        "_keys",
        "_kinds",
        "_paths",
        "names_files",
        "rules",
    )

    def __init__(self, grammar: CommandGrammar | None, paths: Sequence[_Path], rules: dict[int, MeantRule]) -> None:
        self._grammar, self.rules = grammar, rules
        self._paths = list(dict.fromkeys([path[:length] for path in paths for length in range(len(path), -1, -1)]))
        lines = [line for path in self._paths if grammar is not None and (line := grammar.line(path)) is not None]
        kinds = [kind.rstrip("?") for line in lines for kind in (*line.fixed, line.rest or "word")]
        self._has_kinds = any(line.kinds for line in lines)
        operands = [token for _, pattern in rules.values() for tokens in pattern.rest for token in tokens]
        self.names_files = not _FILES.isdisjoint(kinds or _FILES) and any(
            not says_option(token, grammar) and all(token not in path for path in paths) for token in operands
        )
        self._kinds = tuple(dict.fromkeys(["word", *kinds]))
        self._index: dict[str, list[tuple[int, list[frozenset[str]]]]] = {}
        known: dict[Alternatives, frozenset[str]] = {}
        many: dict[str, int] = {}
        for _, pattern in rules.values():
            for tokens in pattern.rest:
                if tokens not in known:
                    known[tokens] = self._needed(tokens)
                for key in known[tokens]:
                    many[key] = many.get(key, 0) + 1
        for at, (_, pattern) in rules.items():
            parts = [known[tokens] for tokens in pattern.rest if known[tokens]]
            rarest = min(parts, key=lambda part: sum([many[key] for key in part if key != OPEN]), default=_ANY_LINE)
            for key in rarest:
                self._index.setdefault(key, []).append((at, parts))
        self._keys = frozenset(many)
        always = [*sum(paths, ()), *[name for line in lines for name in line.operands]]
        always += [
            name for path in paths if grammar is not None for _, others, _ in grammar.same_as(path) for name in others
        ]
        self._always = _ANY_LINE | self._keys.intersection(always)
        self._by_text: dict[Said, frozenset[str] | None] = {}

    def concerning(self, texts: Sequence[Said]) -> dict[int, MeantRule]:
        """The rules that a command line with the words ``texts`` may mean."""
        said = self._always
        for text in texts if self.rules else ():
            try:
                found = self._by_text[text]
            except KeyError:
                found = self._learn(text)
            if found is None:
                return self.rules
            if found:
                said = said | found
        able = [each for key in self._index.keys() & said for each in self._index[key]]
        return {at: self.rules[at] for at, parts in able if not any(map(said.isdisjoint, parts))}

    def _learn(self, said: Said) -> frozenset[str] | None:
        """Everything that a word says and that some rule needs; it is remembered for a text."""
        every = self._said_by(said)
        found = None if every is None else self._keys.intersection(every)
        if isinstance(said, str):
            if len(self._by_text) >= _MOST_TEXTS:
                self._by_text.clear()
            self._by_text[said] = found
        return found

    def _said_by(self, said: Said) -> set[str] | None:
        """Everything that a word may say, wherever it is, by all its names; ``None`` if it may say anything."""
        grammar, found = self._grammar, self._as_operand(said)
        start = said if isinstance(said, str) else said.prefix + "*"
        is_option = says_option(start, grammar) or (grammar is not None and grammar.bundles)
        if not isinstance(said, str):
            is_any = said.may_start_with_dash() or said.may_be_any or (grammar is not None and grammar.settings)
            if (is_any or is_option) and said is not SOME:
                return None
        if grammar is None:
            return found | self._loosely_said(said) if is_option and isinstance(said, str) else found
        for path in self._paths:
            line = grammar.line(path)
            for prefix, option in line.implied if line is not None else ():
                found.update([grammar.same_option(path, option)] if start.startswith(prefix) else ())
            for reading in token_readings(grammar, path, start) if is_option else ():
                for name, value in [(str(each.name), each.value) for each in reading.given if each.is_option]:
                    if grammar.names_options_elsewhere(path, name):
                        return None
                    found.update([name, *grammar.said_by_value(path, name)])
                    found.update([negated(name)] if grammar.nopt else ())
                    found.update([OPEN] if line is not None and name in line.every | line.some else ())
                    found |= self._as_operand(value) if value is not None else set()
        return found

    def _loosely_said(self, text: str) -> set[str]:
        """Everything that an option may say to a program without a grammar."""
        (given,) = loose_reading([text]).given
        name = str(given.name)
        found = {name, name.lstrip("-").partition("=")[0], *[f"-{letter}" for letter in name[1:]]}
        for value in (given.value, name[2:].removeprefix("="), name.partition("=")[2]):  # `-eprod`, `-env=prod`
            found |= self._as_operand(value or "")
        return found

    def _as_operand(self, said: Said) -> set[str]:
        """Everything that a word says as an operand of any kind, or as a value."""
        if not isinstance(said, str):
            return {OPEN}
        found = {said, key_and_rest(said)[0]}
        for kind in self._kinds:
            found.update(known_as(kind, said))
        if self._has_kinds and "/" in said:
            found |= self._as_operand(said.partition("/")[2])
        return found

    def _needed(self, tokens: Alternatives) -> frozenset[str]:
        """Of what a command line must say one, so that one of ``tokens`` is met; empty: nothing."""
        grammar, found = self._grammar, set[str]()
        for token in tokens:
            if token == "--":
                return frozenset()
            if grammar is not None and (says_option(token, grammar) or grammar.bundles):
                for path in self._paths:
                    for reading in token_readings(grammar, path, token):
                        found.update([str(each.name) for each in reading.given if each.is_option][:1])
            elif grammar is None and says_option(token, grammar):
                name = token.partition("=")[0]
                found.update([name, name.lstrip("-"), *[name[:end] for end in range(3, len(name))]])
            found.update([token, key_and_rest(token)[0], *[names_of(kind, token)[0] for kind in self._kinds]])
            if grammar is not None:
                found.update([child for path in self._paths for child in grammar.child(path, token, sure=True)])
            if not says_option(token, grammar):
                found.add(OPEN)
        return frozenset(found)


_DIGITS = "0123456789."
_READERS = frozenset(["cat"])


@lru_cache(maxsize=1024)
def program_of(name: str) -> tuple[str, ...]:
    """The words by which the program of this base name is known: ``("docker", "compose")`` for ``docker-compose``."""
    at = name.find("@", 1)
    name = name[:at] if at > 0 else name  # `npx npm@10`
    plain = name.rstrip(_DIGITS)
    record = record_of(name) or record_of(plain)
    if record is None:
        return (name,)
    if record.means and name == record.names[0]:
        return tuple(record.means.split())
    return (record.names[0],) if record.same and {name, plain} & {record.names[0], *record.same.split()} else (name,)


def names_of_program(name: str) -> list[str]:
    """The base names that :func:`program_of` turns into ``name``."""
    record = record_of(name)
    return [name, *record.same.split()] if record is not None and name == record.names[0] else [name]


def has_one_name(program: str) -> bool:
    """True if every rule about a command that begins with ``program`` is about a program of this name."""
    return spellings.keeps_its_name(program) and program_of(program) == (program,) and not may_run_files(program)


def may_run_files(name: str) -> bool:
    """True if the program of this base name may run a file that its operands or its input name."""
    grammar = grammar_of(program_of(name)[0])
    return grammar is not None and grammar.runs_files


def file_run(words: Sequence[Word]) -> int | None:
    """The index of the word that names the file which an interpreter runs; ``None`` if it is none, or runs no file."""
    name = words[0].literal
    if name is None:
        return None
    first = program_of(base_name(name))[0]
    grammar, record = grammar_of(first), record_of(first)
    if grammar is None or record is None or not grammar.runs_files:
        return None
    texts = [word if word.literal is None else word.literal for word in words[1:]]
    for reading in command_readings(grammar, texts):
        line = grammar.line(reading.path)
        if line is None or line.fixed[:1] != ["script"]:
            continue
        code = _code_options(record)
        options = [each for each in reading.given if each.is_option]
        operands = [each for each in reading.given if not each.is_option][len(reading.path) :]
        if any(
            each.name in line.last or not code.isdisjoint(grammar.names_of_option((), str(each.name)))
            for each in options
        ):
            continue
        if operands:
            text = words[operands[0].at + 1].written
            is_file = text not in ("-", "") and ("/" in text or "." in text or not grammar.has_subcommands())
            return operands[0].at + 1 if is_file else None
    return None


def _code_options(record: Program) -> set[str]:
    """The options whose value is program text."""
    return {name for name, kind in option_table(record.options).kinds.items() if kind == "!"}


def as_file(word: Word) -> Word:
    """The word that names a file as a program of that path."""
    return Word("./" + word.literal, word.span) if word.literal is not None and "/" not in word.literal else word


def runs_of_files(command: Command, view: Sequence[Word], facts: Facts) -> Iterator[tuple[Word, ...]]:
    """The files that ``command``, spelled as ``view``, hands to an interpreter, each with the words behind it."""
    name = view[0].literal
    if name is None or not may_run_files(base_name(name)):
        return
    at = file_run(view)
    if at is not None:
        yield (as_file(view[at]), *view[at + 1 :])
        return
    grammar = grammar_of(program_of(base_name(name))[0])
    line = grammar.line(()) if grammar is not None else None
    if line is None or line.fixed[:1] != ["script"] or any(word.prefix[:1] != "-" for word in view[1:]):
        return
    redirect = command.input_redirect
    if redirect is not None and redirect.operator == "<":
        yield (as_file(redirect.target),)
    for index in command.piped_from:
        words = facts.script.commands[index].words
        if words and words[0].literal in _READERS:
            yield from [(as_file(word),) for word in words[1:] if word.prefix[:1] != "-"]


def as_patterns(pattern: PrefixPattern) -> list[PrefixPattern]:
    """The pattern with its program under the one name by which it is known."""
    first, *more = program_of(pattern.first)
    rest = (*[(each,) for each in more], *pattern.rest)
    return [PrefixPattern(first, rest, canonical_matching=pattern.canonical_matching)]


def names_file(pattern: PrefixPattern) -> bool:
    """True if the pattern names a file that its program runs."""
    return file_run([Word(tokens[0], Span(0, 0)) for tokens in pattern.positions()]) is not None


def patterns_behind(pattern: PrefixPattern) -> list[PrefixPattern]:
    """The pattern with the file or module that an interpreter runs, or the program that a runner runs, as program."""
    words = [Word(tokens[0], Span(0, 0)) for tokens in pattern.positions()]
    at = file_run(words)
    if at is not None:
        firsts = [as_file(Word(each, Span(0, 0))).literal or "" for each in pattern.rest[at - 1]]
    elif module := spellings.module_run(words):
        at = len(words) - len(module)
        firsts = [each.removeprefix("-m") for each in pattern.rest[at - 1]]
    elif is_runner(pattern.first):
        inner, start = innermost([tokens[0] for tokens in pattern.positions()])
        at = len(start)
        firsts = [program_of(each)[0] for each in pattern.positions()[at]] if start and inner else []
    else:
        return []
    return [PrefixPattern(first, pattern.rest[at or 0 :]) for first in firsts]


def is_runner(program: str) -> bool:
    """True if the program runs other programs of the project, which a rule behind it is about: ``npx``."""
    record = record_of(base_name(program))
    return record is not None and record.runner


def same_file(path: str, wanted: Sequence[str], word: Word, places: Sequence[str]) -> int:
    """How surely the program ``word`` is the file that a rule names as ``path``.

    Args:
        wanted: the absolute paths of that file.
        places: those of the program; empty if the folder is not known.
    """
    text = word.literal
    if text is None:
        return POSSIBLY if word.suffix.startswith("/") and f"/{path.removeprefix('./')}".endswith(word.suffix) else NOT
    if "/" not in text:
        return SURELY if path[:1] == "/" and path.rpartition("/")[0].endswith("/bin") else POSSIBLY
    if not places:
        return POSSIBLY if base_name(text) == base_name(path) else NOT
    return NOT if set(wanted).isdisjoint(places) else SURELY
