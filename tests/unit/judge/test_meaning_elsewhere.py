"""Respellings of what rules say about many programs, and commands that only look like them.

``tests/data/meaning/respelled.txt``, ``half_known.txt`` (a rule may be meant) and ``near_misses.txt``: a rule and a
command, with ``|`` between them. They were written before they were judged. Of the first 375 respellings 353 were right
then, of the first 208 near misses 204; of 165 more respellings and 80 more near misses, for programs of which many had
no record, 116 and 73. Each mistake was a row in a record;
one is still only taken for possible (``dotnet add PROJECT package``).
"""

from __future__ import annotations

from execpolicy.core.matches import PrefixMatch
from execpolicy.judge.command_verdict import CommandVerdict
from tests.support.command_shapes import RECORDED
from tests.support.each import each
from tests.support.judging import verdict


def rows(name: str) -> list[tuple[str, str]]:
    lines = (RECORDED / name).read_text("utf-8").splitlines()
    return [(rule, script) for rule, _, script in [line.partition(" | ") for line in lines]]


def met(commands: tuple[CommandVerdict, ...], *, surely: bool) -> bool:
    """True if the forbidding rule matches one of the commands, or one that they run."""
    for command in commands:
        found = [
            one for one in command.matches if isinstance(one, PrefixMatch) and one.rule.decision.word == "forbidden"
        ]
        if any(not (surely and one.possible) for one in found) or met(command.inner, surely=surely):
            return True
    return False


def rule_for(words: str) -> str:
    return f"prefix_rule(pattern={words.split()!r}, decision='forbidden')\n"


@each(("rule", "script"), rows("respelled.txt"))
def test_another_spelling_means_the_rule(rule: str, script: str) -> None:
    assert met(verdict(script, rule_for(rule)).commands, surely=True)


@each(("rule", "script"), rows("near_misses.txt"))
def test_a_near_miss_does_not(rule: str, script: str) -> None:
    assert not met(verdict(script, rule_for(rule)).commands, surely=False)


@each(("rule", "script"), rows("half_known.txt"))
def test_a_command_that_may_mean_the_rule_asks(rule: str, script: str) -> None:
    commands = verdict(script, rule_for(rule)).commands
    assert met(commands, surely=False)
    assert not met(commands, surely=True)
