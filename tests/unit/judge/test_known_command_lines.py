"""What rules see of a command line is remembered for all that are alike, and is what they see without memory."""

import json
import random

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.reading import read_command
from execpolicy.judge.restrictions import stricter_matches
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.programs.catalog import facts_of
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.meaning.command_line import CommandLine
from execpolicy.shell.words import Word
from execpolicy.source import Span
from tests.support.command_shapes import RECORDED
from tests.support.each import slow_ones

PROGRAMS = ("git", "npm", "tar", "ssh", "curl", "rm", "find", "make", "psql", "go", "terraform", "sed", "rsync", "pip")
OTHERS = ("zebra", "n17", "a/b.c", "Port", "port 22", "true", "", "@x", "22", "psh", "+x", ":x", "x=y", "HEAD", "v1")
SITUATION = Situation("/project", home="/home/user")


def matches(rulebook: Rulebook, argv: list[str]) -> list[tuple[PrefixRule, tuple[str, ...], bool]]:
    script = read_command(tuple(argv))
    found = stricter_matches(script.commands[0], facts_of(script), rulebook, SITUATION)
    return [(match.rule, match.prefix, match.is_meant) for match in found]


def changed(line: list[str], words: list[str], chance: random.Random) -> list[str]:
    """``line`` with some of its words as others, moved, or given more."""
    made = [chance.choice((word, word, word, *OTHERS, chance.choice(words))) for word in line]
    if chance.random() < 0.3:
        made.insert(chance.randrange(len(made) + 1), chance.choice((*OTHERS, *words)))
    return made


def some_rules(program: str, lines: list[list[str]], words: list[str], chance: random.Random) -> list[PrefixRule]:
    rules = []
    for _ in range(chance.choice((3, 12, 60))):
        kept = [word for word in chance.choice(lines) if chance.random() < 0.5][:4]
        rest = [(word,) if chance.random() < 0.7 else (word, chance.choice((*words, *OTHERS))) for word in kept]
        pattern = PrefixPattern(program, tuple(rest), canonical_matching=chance.random() < 0.003)
        decision = chance.choice((Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN, Decision.FORBIDDEN))
        rules.append(PrefixRule(pattern, decision, exact=decision is not Decision.ALLOW and chance.random() < 0.2))
    return rules


@pytest.mark.parametrize("program", slow_ones([*PROGRAMS, "docker", "kubectl", "nobodyknows"], {*PROGRAMS} - {"npm"}))
def test_what_is_remembered_is_what_is_found(program: str) -> None:
    chance = random.Random(f"8 {program}")
    source = RECORDED / f"{program}.jsonl"
    if not source.exists():
        source = RECORDED / "git.jsonl"
    lines = [json.loads(row)[0].split() for row in source.read_text().splitlines()]
    if program in ("docker", "kubectl"):
        lines += [[*first.split(), *line[1:]] for first in ("image ls", "container rm", "apply -f") for line in lines]
    words = sorted({word for line in chance.sample(lines, min(len(lines), 200)) for word in line})
    seen = 0
    for _ in range(12):
        rules = some_rules(program, lines, words, chance)
        warm = Rulebook(rules)
        sample = chance.sample(lines, 12)
        for argv in [[program, *changed(line, words, chance)] for line in sample for _ in range(6)]:
            found = matches(warm, argv)
            assert found == matches(Rulebook(rules), argv), argv
            seen += len(found)
    assert seen > 50


def test_alike_words_are_alike_and_others_are_not() -> None:
    rules = [PrefixRule(PrefixPattern.of(["git", "push", "-o", "x=Left", "-n17"]), Decision.FORBIDDEN)]
    index = Rulebook(rules).meant_of("git")

    def line(text: str) -> object:
        return index.line([Word(word, Span(0, 1)) for word in text.split()])

    assert line("push zebra b1") == line("push upstream feature/b2")
    for told_apart in ("Left", "17", "7", "left", "+b", ":b", "-b", "--b", "true", "x=Left", "push"):
        assert line(f"push origin {told_apart}") != line("push origin b2"), told_apart
    assert line("psh origin") != line("plsh origin")
    assert line("-C one push") != line("-C two push")
    assert index.line([Word("push", Span(0, 1)), Word(None, Span(0, 1))]) is None


def test_a_match_names_the_words_of_its_own_command() -> None:
    rules = [PrefixRule(PrefixPattern.of(["git", "push", "--force"]), Decision.FORBIDDEN)]
    rulebook = Rulebook(rules)
    for branch in ("+one", "+two"):
        assert matches(rulebook, ["git", "push", "origin", branch])[0][1] == ("git", "push", branch)
    grammar = grammar_of("psql")
    assert grammar is not None
    words = [Word(word, Span(0, 1)) for word in ("data", "user")]
    assert CommandLine("psql", words).means(PrefixPattern.of(["psql", "-U"])) is not None
    by_operand = Rulebook([PrefixRule(PrefixPattern.of(["psql", "-U"]), Decision.FORBIDDEN)])
    for user in ("anna", "berta"):
        assert matches(by_operand, ["psql", "data", user])[0][1] == ("psql", user)
