"""The index of rules by meaning leaves out no rule that a command line means, and most of the others."""

import json
import random

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.matches import SURELY
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.meaning.command_line import CommandLine
from execpolicy.programs.meaning.rules_by_meaning import RulesByMeaning
from execpolicy.shell.words import Word
from execpolicy.source import Span
from tests.support.command_shapes import RECORDED
from tests.support.each import slow_ones

PROGRAMS = ("git", "rm", "tar", "curl", "chmod", "sed", "cp", "find", "rsync", "ssh", "make", "grep", "mv", "ln")
UNKNOWN = "nobody-knows-it"


def said(program: str, words: list[str]) -> CommandLine:
    return CommandLine(program, [Word(word, Span(0, 1)) for word in words])


def half_known(word: str) -> Word:
    return Word(None, Span(0, 1), prefix=word[:2], kind="variable")


def forbidden(*patterns: PrefixPattern) -> list[PrefixRule]:
    return [PrefixRule(pattern, Decision.FORBIDDEN) for pattern in patterns]


@pytest.mark.parametrize("program", slow_ones([*PROGRAMS, UNKNOWN], set(PROGRAMS) - {"git", "tar"}))
def test_no_rule_that_is_meant_is_left_out(program: str) -> None:
    chance = random.Random(f"4 {program}")
    source = program if program in PROGRAMS else "git"
    lines = [json.loads(row)[0].split() for row in (RECORDED / f"{source}.jsonl").read_text().splitlines()]
    words = sorted({word for line in lines for word in line})
    patterns = []
    for _ in range(150):
        line = chance.choice(lines)
        kept = [word for word in line if chance.random() < 0.5][:4] or line[:1]
        rest = [(word,) if chance.random() < 0.8 else (word, chance.choice(words)) for word in kept]
        patterns.append(PrefixPattern(program, tuple(rest)))
    rules = forbidden(*[pattern for pattern in patterns if len(pattern) > 1])
    index = RulesByMeaning(program, [(rule, rule.pattern) for rule in rules])
    for line in chance.sample(lines, 40):
        given = [half_known(word) if chance.random() < 0.1 else Word(word, Span(0, 1)) for word in line]
        command = CommandLine(program, given, is_fed=chance.random() < 0.2)
        meant = [rule for rule in rules if command.means(rule.pattern).certainty]
        found = [id(rule) for rule, _ in index.concerning(command)]
        assert index.may_concern(command.texts) or not found
        assert [rule for rule in meant if id(rule) not in found] == [], line
        assert found == [id(rule) for rule in rules if id(rule) in found]


@pytest.mark.parametrize("program", [*PROGRAMS, "scp"])
def test_what_an_option_says_by_another_is_not_left_out(program: str) -> None:
    grammar = grammar_of(program)
    assert grammar is not None
    tried = 0
    for line in grammar.lines_to(()):
        for given, others in line.stands_for.items():
            option, _, key = given.partition("=")
            value = f"{key}=v1" if key and "=" not in key and option in line.keyed else key or "v1"
            texts = [option, value, "status"] if line.options.kinds.get(option) else [option, "status"]
            keys = [other.partition(":")[0].partition("=") for other in others]
            tokens = [*[name for name, _, _ in keys], *[f"{key}=v1" for _, _, key in keys if key], "v1"]
            shared = [PrefixPattern.of([program, "status", token, "z"]) for token in tokens]
            rules = forbidden(*[PrefixPattern.of([program, "status", token]) for token in tokens], *shared)
            command = said(program, texts)
            meant = [rule for rule in rules if command.means(rule.pattern).certainty]
            tried += bool(meant)
            found = [
                id(rule) for rule in RulesByMeaning(program, [(rule, rule.pattern) for rule in rules]).about(texts)
            ]
            assert [str(rule) for rule in meant if id(rule) not in found] == [], texts
    assert tried == sum(len(line.stands_for) for line in grammar.lines_to(()))


@pytest.mark.parametrize("many", slow_ones([500, 10_000], [10_000]))
def test_of_many_rules_few_are_compared(many: int) -> None:
    shapes = {
        "git": [["push", "--opt{0:05}"], ["sub{0}", "--force"], ["push", "remote{0}", "--force"], ["--opt{0:05}"]],
        "rm": [["-rf", "/x{0}"]],
        UNKNOWN: [["sub", "--opt{0:05}"]],
    }
    for program, patterns in shapes.items():
        for words in patterns:
            rules = forbidden(
                *[PrefixPattern.of([program, *[word.format(at) for word in words]]) for at in range(many)]
            )
            index = RulesByMeaning(program, [(rule, rule.pattern) for rule in rules])
            for line in (["status"], ["push", "origin", "main", "--tags"], ["-rf", "/y"], ["sub", "-v", "z"]):
                assert len(list(index.about(line))) <= 1, (program, words, line)
            line = [*[word.format(77) for word in words], "more"]
            command = said(program, line)
            assert list(index.about(line)) == [rules[77]] * (command.means(rules[77].pattern).certainty == SURELY)
