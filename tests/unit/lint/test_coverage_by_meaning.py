"""What decides nothing, against trying every short command: what goes changes no decision, what stays decides one."""

import json
import random
from functools import cache
from itertools import product

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.lint.coverage import idle_alternatives, idle_rules
from execpolicy.lint.lint_run import load_project
from execpolicy.lint.shortest_spellings import telling_commands
from execpolicy.lint.sight import RuleSight, deciding_command
from execpolicy.source import Source
from tests.support.command_shapes import RECORDED
from tests.support.each import share, slow_ones
from tests.support.judging import PLACE

WORDS = {
    "git": ("push", "-f", "--force", "-u", "+x", "x", "--"),
    "rm": ("-r", "-f", "-rf", "--recursive", "--force", "x", "--"),
    "sudo": ("rm", "-r", "-f", "-rf", "x"),
    "deploy": ("prod", "--force", "-f", "--to", "x"),
}
"""Programs, and the words that commands and patterns are made of."""
PATTERNS = {
    "git": ["", "push", "push -f", "push --force", "push -u", "push -u --force", "push -f -u", "push x", "push x -f"],
    "rm": ["", "-r", "-f", "-rf", "-r -f", "--recursive --force", "--force -r", "-rf x", "-- x"],
    "sudo": ["", "rm", "rm -r", "rm -rf", "rm -f -r", "rm x"],
    "deploy": ["", "prod", "prod --force", "--force", "prod -f", "prod --force x", "--to x"],
}
PROGRAMS = {"git": ("git",), "rm": ("rm",), "sudo": ("sudo", "rm"), "deploy": ("deploy",)}
"""Rules for which programs are mixed where commands of a program are tried."""


@cache
def commands(program: str) -> list[tuple[str, ...]]:
    return [(program, *rest) for length in range(4) for rest in product(WORDS[program], repeat=length)]


@cache
def seen(text: str, how: str, program: str) -> frozenset[tuple[str, ...]]:
    """The commands that a rule decides about when it is alone."""
    words = tuple(text.split())
    if how == "by meaning":
        sight = RuleSight([PrefixRule(PrefixPattern.of(words), Decision.PROMPT)])
        return frozenset([argv for argv in commands(program) if sight.seeing(argv)])
    exact = PrefixRule(PrefixPattern.of(words), Decision.PROMPT, exact=True)
    if how == "exact":
        sight = RuleSight([exact])
        return frozenset([argv for argv in commands(program) if sight.seeing(argv)])
    return frozenset([argv for argv in commands(program) if argv[: len(words)] == words])


def decisions(rules: list[tuple[str, str, bool]], program: str) -> dict[tuple[str, ...], str]:
    """The strictest decision of the rules about each command; a rule is words, a decision, whether it is exact."""
    found: dict[tuple[str, ...], str] = {}
    for wanted in ("allow", "prompt", "forbidden"):
        for text, decision, exact in rules:
            if decision == wanted:
                how = "written" if decision == "allow" else "exact" if exact else "by meaning"
                found.update(dict.fromkeys(seen(text, how, program), decision))
    return found


def drawn(chance: random.Random, program: str) -> list[tuple[str, str, bool]]:
    rules: list[tuple[str, str, bool]] = []
    for _ in range(chance.randint(2, 5)):
        about = chance.choice(PROGRAMS[program])
        decision = chance.choice(["allow", "prompt", "prompt", "forbidden"])
        exact = decision != "allow" and chance.random() < 0.2
        rules.append((f"{about} {chance.choice(PATTERNS[about])}".strip(), decision, exact))
    return rules


def text_of(rules: list[tuple[str, str, bool]]) -> str:
    lines = []
    for words, decision, exact in rules:
        pattern = ", ".join(f'"{word}"' for word in words.split())
        more = ', spelling="exact"' if exact else ""
        lines.append(f'prefix_rule(pattern=[{pattern}], decision="{decision}"{more})\n')
    return "".join(lines)


@pytest.mark.parametrize("program", slow_ones(WORDS, ["git", "rm", "sudo"]))
def test_what_goes_changes_nothing_and_what_stays_decides(program: str) -> None:
    chance = random.Random(program)
    gone = by_meaning = 0
    for _ in range(250 // share(3)):
        rules = drawn(chance, program)
        project = load_project([(None, Source("t", text_of(rules)))])
        idle = idle_rules(project)
        kept = [rule for at, rule in enumerate(rules) if at not in idle]
        gone += len(idle)
        by_meaning += sum(each.by_meaning for each in idle.values())
        before = decisions(rules, program)
        assert decisions(kept, program) == before, (rules, idle)
        sight = RuleSight(project.policy.rules)
        for entry in project.entries:
            alone = deciding_command(entry.rule, project.policy.rules, sight)
            if entry.index in idle and idle[entry.index].kind != "contradiction":
                assert alone is None or any(exact for _, _, exact in rules), (rules, entry.rule)
            others = rules[: entry.index] + rules[entry.index + 1 :]
            if alone is not None and alone in set(commands(program)):
                assert decisions(others, program).get(alone) != before[alone], (rules, entry.rule, alone)
        if program == "sudo" or any(exact for _, _, exact in kept):
            continue  # what such rules leave to others are longer commands than are tried here
        for at, rule in enumerate(kept):
            if rule[0].split()[0] == program:
                assert decisions(kept[:at] + kept[at + 1 :], program) != before, (rules, rule)
    assert gone > 100 // share(3)
    assert by_meaning > 10 // share(3)


def test_an_alternative_that_another_spelling_covers_is_found() -> None:
    text = (
        'prefix_rule(pattern=["rm", "-rf"], decision="forbidden")\n'
        'prefix_rule(pattern=["rm", ["-fr", "-v"]], decision="prompt")\n'
    )
    found = idle_alternatives(load_project([(None, Source("t", text))]))
    assert [(each.token, each.by_meaning) for each in found] == [("-fr", True)]


@pytest.mark.parametrize("program", slow_ones(["git", "rm", "cp", "tar", "curl"], ["cp", "tar", "curl"]))
def test_whoever_sees_what_tells_sees_what_was_really_typed(program: str) -> None:
    """The claim of :mod:`execpolicy.lint.shortest_spellings`, on recorded command lines of the real program."""
    chance = random.Random(program)
    lines = [json.loads(row)[0].split() for row in (RECORDED / f"{program}.jsonl").read_text().splitlines()]
    lines = [words for words in lines if words]
    patterns = list(dict.fromkeys((program, *words[:3]) for words in chance.sample(lines, 50)))
    rules = [PrefixRule(PrefixPattern.of(pattern), Decision.FORBIDDEN) for pattern in patterns]
    sight = RuleSight(rules)
    told: dict[int, frozenset[int]] = {}
    for at, rule in enumerate(rules):
        each = [sight.seeing(words) for words in telling_commands(rule.pattern, by_meaning=True)]
        common = [frozenset(map(id, seeing)) for seeing in each if any(rule is one for one in seeing)]
        told[at] = frozenset.intersection(*common)
    tried = 0
    for words in chance.sample(lines, 80):
        seeing = {id(rule) for rule in sight.seeing((program, *words))}
        for at, rule in enumerate(rules):
            if id(rule) in seeing:
                tried += 1
                assert told[at] <= seeing, (str(rule.pattern), words)
    assert tried > 20


def test_the_sight_is_the_judges() -> None:
    for program in WORDS:
        for text in PATTERNS[program]:
            rule = PrefixRule(PrefixPattern.of([program, *text.split()]), Decision.FORBIDDEN)
            book, found = Rulebook([rule]), seen(f"{program} {text}".strip(), "by meaning", program)
            for argv in random.Random(text).sample(commands(program), 12):
                decided = check(argv, book, situation=PLACE).decision is Decision.FORBIDDEN
                assert decided == (argv in found), (text, argv)
