"""Which program a command runs, under one name: other names of the same program, and files behind interpreters."""

from __future__ import annotations

from functools import lru_cache

from execpolicy.core.matches import NOT, POSSIBLY, SURELY
from execpolicy.core.pattern import PrefixPattern
from execpolicy.flow.look_ups import stdin_redirect
from execpolicy.programs.breadth import innermost
from execpolicy.programs.catalog import record_of
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.meaning.command_readings import command_readings
from execpolicy.programs.names import base_name
from execpolicy.programs.options import option_table
from execpolicy.shell.words import Word
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command

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


@lru_cache(maxsize=1024)
def may_run_files(name: str) -> bool:
    """True if the program of this base name may run a file that its operands or its input name."""
    record = record_of(program_of(name)[0])
    return record is not None and "script" in record.grammar


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
    redirect = stdin_redirect(command)
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
    """The pattern with the file that an interpreter runs, or the program that a runner runs, as program."""
    words = [Word(tokens[0], Span(0, 0)) for tokens in pattern.positions()]
    at = file_run(words)
    if at is not None:
        firsts = [as_file(Word(each, Span(0, 0))).literal or "" for each in pattern.rest[at - 1]]
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
