"""Laws of rules that ask or forbid, over every record: what its forms call the same does not dodge a rule."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

from execpolicy.core.matches import NOT, POSSIBLY, SURELY
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.programs.catalog import record_of
from execpolicy.programs.meaning.command_grammar import CommandGrammar, GrammarLine, grammar_of
from execpolicy.programs.meaning.rules_by_meaning import RulesByMeaning
from execpolicy.programs.options import VALUES
from execpolicy.resources import records_folder
from execpolicy.shell.words import Word
from execpolicy.source import Span

PROGRAMS = [
    path.stem
    for path in sorted(Path(records_folder()).glob("*.txt"))
    if (record := record_of(path.stem)) is not None and record.grammar and path.stem in record.names
]
SPAN = Span(0, 0)
OPERANDS = {
    "caseless": ["flush", "FLUSH"],
    "db": ["prod", "postgresql://me@h/prod", "dbname=prod"],
    "host": ["h", "u@h", "ssh://h"],
    "image": ["alpine", "alpine:3", "docker.io/library/alpine", "alpine@sha256:0"],
    "mode": ["777", "0777", "a+rwx", "ugo=rwx"],
    "owner": ["root", "root:x", "0", "root."],
    "package": ["requests", "Requests", "requests==2", "requests[x]"],
    "path": ["a/b", "./a/b", "a//b", "a/./b"],
    "pathspec": ["a/b", "./a/b", "a//b", ":/a/b"],
    "ref": ["main", "refs/heads/main", "heads/main"],
    "ref-to": ["main", "+main", "x:main", "x:refs/heads/main", "refs/heads/*:refs/heads/*"],
    "unit": ["nginx", "nginx.service", "ngi*"],
    "url": ["http://h/x", "HTTP://H/x", "h/x", "http://h:80/x"],
    "word": ["a/b", "./a/b", "a//b"],
}
"""Words of each kind that are the same; the first is what a rule says."""


class Spelling(NamedTuple):
    """The words of a rule behind its program, and others that a record calls the same."""

    rule: tuple[str, ...]
    words: tuple[str | Word, ...]
    at_least: int = SURELY


def paths(grammar: CommandGrammar, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], GrammarLine]]:
    line = grammar.line(path)
    if line is not None:
        yield path, line
        for child in dict.fromkeys(line.children.values()):
            yield from paths(grammar, (*path, child))


def spellings(grammar: CommandGrammar) -> Iterator[Spelling]:
    for path, line in paths(grammar):
        yield from _of_subcommands(grammar, path)
        for first in dict.fromkeys(line.first_names.values()):
            names = [name for name, other in line.first_names.items() if other == first]
            for name in names if "-" not in names else ():  # `-?` is none
                yield from _of_option(grammar, path, name, names)
        yield from _of_implied(path, line)
        yield from _of_operands(path, line)


def _of_subcommands(grammar: CommandGrammar, path: tuple[str, ...]) -> Iterator[Spelling]:
    """Every name of each sub-command on the way."""
    for at, child in enumerate(path):
        above = grammar.line(path[:at])
        assert above is not None
        for name in [name for name, other in above.children.items() if other == child]:
            yield Spelling(path, (*path[:at], name, *path[at + 1 :]))


def _of_option(grammar: CommandGrammar, path: tuple[str, ...], name: str, names: list[str]) -> Iterator[Spelling]:
    """Every name of an option, every way to give its value, operands around it, and parts that only the run knows."""
    line = grammar.line(path)
    assert line is not None
    kind = line.options.kinds[name]
    if VALUES[kind] > 1:
        return
    value = ("v1",) if VALUES[kind] else ()
    wanted = Spelling((*path, name, *value), (*path, name, *value))
    yield wanted
    for other in names:
        yield wanted._replace(words=(*path, other, *value))
        yield wanted._replace(rule=(*path, name), words=(*path, other, *value))
        if value:
            glued = f"{other}=v1" if len(other) > len("-o") or grammar.nopt else f"{other}v1"
            yield wanted._replace(words=(*path, glued))
            yield wanted._replace(words=(*path, other, _unknown("v")), at_least=POSSIBLY)
            yield wanted._replace(words=(*path, _unknown(glued[:-1])), at_least=POSSIBLY)
        if len(other) > len("--ab"):
            yield wanted._replace(rule=(*path, name), words=(*path, _unknown(other[:-2])), at_least=POSSIBLY)
        yield wanted._replace(rule=(*path, name), words=(*path, _unknown(other[:1])), at_least=POSSIBLY)
        if line.front is None and not line.children:
            yield wanted._replace(words=(*path, "zz", other, *value))
            yield wanted._replace(words=(*path, other, *value, "zz"))


def _of_implied(path: tuple[str, ...], line: GrammarLine) -> Iterator[Spelling]:
    """What an operand or an option says as well as another option."""
    for prefix, option in line.implied:
        yield Spelling((*path, option), (*path, *["zz"] * len(line.fixed), f"{prefix}x"))
    for given, others in line.stands_for.items():
        wanted = [other for other in others if other != given and not {":", "="} & set(other) and other[:1] == "-"]
        if wanted and given in line.options.kinds:
            yield Spelling((*path, *wanted), (*path, given, *["v1"] * VALUES[line.options.kinds[given]]))


def _of_operands(path: tuple[str, ...], line: GrammarLine) -> Iterator[Spelling]:
    """Every way to say an operand of a kind, with others around it if there may be any number."""
    for place, kind in enumerate([*line.fixed, *[line.rest] * (line.rest is not None)]):
        wanted, *others = OPERANDS.get((kind or "").rstrip("?"), ["zz"])
        front = (*path, *["zz"] * place)
        for other in (wanted, *others):
            yield Spelling((*front, wanted), (*front, other))
            if not {"@", ":", "="} & set(other):
                yield Spelling((*front, wanted), (*front, _unknown(other[:1])), POSSIBLY)
            if place == len(line.fixed):
                yield Spelling((*front, wanted), (*front, "yy", other, "yy"))


def _unknown(prefix: str) -> Word:
    return Word(None, SPAN, prefix=prefix, kind="mixed")


@lru_cache(maxsize=16)
def rules_of(program: str, rule: tuple[str, ...]) -> RulesByMeaning:
    pattern = PrefixPattern.of([program, *rule])
    return RulesByMeaning(program, [(PrefixRule(pattern, "forbidden"), pattern)])


def certainty(program: str, spelling: Spelling) -> int:
    words = [Word(word, SPAN) if isinstance(word, str) else word for word in spelling.words]
    found = rules_of(program, spelling.rule).meant_by(words)
    return found[0][1].certainty if found else NOT


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_spelling_of_a_record_dodges_a_rule(program: str) -> None:
    grammar = grammar_of(program)
    assert grammar is not None
    dodging = [each for each in spellings(grammar) if certainty(program, each) < each.at_least]
    assert dodging == []


def test_there_are_many_spellings() -> None:
    found = [each for program in PROGRAMS for each in spellings(grammar_of(program) or CommandGrammar(""))]
    assert len(found) > 10_000
