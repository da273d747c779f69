"""The shortest command that a restricting rule sees behind other words, against all that the judge says."""

import random
from itertools import product

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.lint.sight import shortest_restricted
from tests.support.each import slow_ones
from tests.support.judging import PLACE

WORDS = {
    "git push --force": ["push", "-f", "--force", "-u", "+x", "--", "origin", "pull", "-o"],
    "git push origin --force": ["push", "-f", "--force", "-u", "+x", "--", "origin", "pull", "-o"],
    "git branch -D": ["branch", "-D", "-d", "--force", "x", "--", "-q"],
    "rm -rf": ["-r", "-f", "-rf", "--", "x", "-v"],
    "npm publish": ["publish", "pub", "run", "--tag", "x"],
    "curl -X POST": ["-X", "POST", "-XPOST", "--request", "x", "-d"],
    "nobody sub --danger": ["sub", "--danger", "-v", "x", "--"],
}


def forbidden(pattern: str) -> PrefixRule:
    return PrefixRule(PrefixPattern.of(pattern.split()), Decision.FORBIDDEN)


@pytest.mark.parametrize("pattern", slow_ones(WORDS, ["git branch -D", "git push origin --force"]))
def test_no_shorter_command_is_seen(pattern: str) -> None:
    rule = forbidden(pattern)
    book = Rulebook([rule])
    program = pattern.split()[0]
    chance = random.Random(1)
    lines = [words for length in range(3) for words in product(WORDS[pattern], repeat=length)]
    for line in chance.sample(lines, min(25, len(lines))):
        prefix = (program, *line)
        longer = [(*prefix, *more) for length in range(3) for more in product(WORDS[pattern], repeat=length)]
        seen = next((argv for argv in longer if check(argv, book, situation=PLACE).decision.word == "forbidden"), None)
        found = shortest_restricted(PrefixPattern.of(prefix), rule)
        if found is not None:
            assert check(found, book, situation=PLACE).decision is Decision.FORBIDDEN
        assert seen is None or (found is not None and len(found) <= len(seen)), (prefix, seen, found)


@pytest.mark.parametrize(
    ("prefix", "pattern", "found"),
    [
        ("git push", "git push --force", "git push --force"),
        ("git push origin -uf", "git push --force", "git push origin -uf"),
        ("git push --", "git push --force", "git push -- +x"),
        ("git push -o", "git push --force", "git push -o x --force"),
        ("git pull", "git push --force", None),
        ("sudo", "rm -rf", "sudo rm -rf"),
        ("sudo -n rm", "rm -rf", "sudo -n rm -rf"),
        ("ls", "rm -rf", None),
    ],
)
def test_the_shortest(prefix: str, pattern: str, found: str | None) -> None:
    words = shortest_restricted(PrefixPattern.of(prefix.split()), forbidden(pattern))
    assert (None if words is None else " ".join(words)) == found
