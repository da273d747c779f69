"""The difference of two sets of rules by meaning, against millions of commands.

What each pattern sees of each command is asked once; two sets are then compared on all commands by that table.
"""

import random
from itertools import product

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import PrefixRule
from execpolicy.insight.diff import policy_diff
from execpolicy.lint.sight import RuleSight
from tests.support.each import share, slow_ones

Words = tuple[str, ...]
LANGUAGES = {
    "git": (
        "push -f --force -uf origin +main -d --mirror -q",
        ["git push", "git push --force", "git push --delete", "git push origin", "git push -f origin", "git push -df"],
    ),
    "git branch": (
        "branch -D -d -f --force -df x -q -m",
        [
            "git branch",
            "git branch -D",
            "git branch --delete",
            "git branch --force",
            "git branch -d x",
            "git branch -m",
        ],
    ),
    "rm": (
        "-r -f -rf -R --force -- x / -v -vrf",
        ["rm", "rm -r", "rm -f", "rm -rf", "rm -rf /", "rm -r x", "rm -- x", "rm -f -- -r"],
    ),
    "npm": ("publish pub install i -g --tag x it", ["npm publish", "npm install", "npm install -g", "npm install x"]),
    "curl": ("-X POST -XPOST --request=POST -o x -sX -so", ["curl -X POST", "curl -o", "curl -o x", "curl -s", "curl"]),
    "docker": (
        "run -it --privileged x -v /:/ -itv",
        ["docker run", "docker run --privileged", "docker run -v /:/", "docker run x"],
    ),
    "terraform": (
        "apply -auto-approve --auto-approve -input=false x",
        ["terraform apply", "terraform apply -auto-approve"],
    ),
    "dd": ("of=x if=y of=y bs=1", ["dd of=", "dd of=x", "dd if=y of=x", "dd if="]),
    "ssh": (
        "-o ProxyCommand=x -oproxycommand=x h -v",
        ["ssh -o ProxyCommand", "ssh h", "ssh -v", "ssh -o ProxyCommand=x"],
    ),
    "nobody": (
        "sub --danger --danger=x x -v y",
        ["nobody sub", "nobody sub --danger", "nobody --danger x", "nobody sub x"],
    ),
}
PAIRS = 50
LONGEST = 4


def commands(words: list[str]) -> list[Words]:
    """All of them, and of the longest a share."""
    shorter = [argv for length in range(LONGEST) for argv in product(words, repeat=length)]
    return [*shorter, *list(product(words, repeat=LONGEST))[:: share(40)]]


def table(patterns: list[PrefixPattern], every: list[Words]) -> list[list[tuple[bool, bool, bool]]]:
    """For each command and pattern whether it starts with it, and whether a rule sees it, by words or by meaning."""
    exact = RuleSight([PrefixRule(pattern, "prompt", exact=True) for pattern in patterns])
    meaning = RuleSight([PrefixRule(pattern, "prompt") for pattern in patterns])
    found = []
    for words in every:
        argv = (patterns[0].first, *words)
        seen = [{id(rule) for rule in sight.seeing(argv)} for sight in (exact, meaning)]
        pairs = zip(exact.rules, meaning.rules, strict=True)
        found.append([(one.pattern.matches_rest(argv), id(one) in seen[0], id(two) in seen[1]) for one, two in pairs])
    return found


def decided(rules: list[tuple[int, PrefixRule]], row: list[tuple[bool, bool, bool]]) -> int:
    """The strictest decision, or -1."""
    worst = -1
    for at, rule in rules:
        starts, exact, by_meaning = row[at]
        if starts if rule.decision is Decision.ALLOW else exact if rule.exact else by_meaning:
            worst = max(worst, rule.decision.strictness)
    return worst


@pytest.mark.parametrize("language", slow_ones(LANGUAGES, ["git", "git branch", "docker", "npm", "rm", "terraform"]))
def test_no_difference_is_missed_and_none_is_shorter(language: str) -> None:
    words, texts = LANGUAGES[language]
    patterns = [PrefixPattern.of(text.split()) for text in texts]
    every = commands(words.split()[:7])
    seen = table(patterns, every)
    chance = random.Random(language)

    def some() -> list[tuple[int, PrefixRule]]:
        chosen = [chance.randrange(len(patterns)) for _ in range(chance.randint(0, 3))]
        return [
            (at, PrefixRule(patterns[at], Decision(decision), exact=decision != "allow" and chance.random() < 0.2))
            for at in chosen
            for decision in [chance.choice(["allow", "prompt", "forbidden"])]
        ]

    differing = 0
    for _ in range(PAIRS):
        before, after = some(), some()
        rules = ([rule for _, rule in before], [rule for _, rule in after])
        shortest = next(
            (argv for argv, row in zip(every, seen, strict=True) if decided(before, row) != decided(after, row)), None
        )
        changes = policy_diff(Policy(rules[0]), Policy(rules[1]))
        if shortest is not None:
            differing += 1
            assert changes != (), (shortest, rules)
            assert len(changes[0].example) <= len(shortest) + 1, (shortest, changes[0].example, rules)
    assert differing > PAIRS // 4
