"""What somebody would type to get past a rule that forbids, with everything else of the program allowed.

``tests/data/meaning/attacked.txt`` names behind ``==`` what is forbidden, then what is allowed; each line below is a
command that means it. In front of a command stands ``?`` where it may say so in words that are not looked at, which is
asked about, and ``!`` where it does not mean it.
"""

import shlex

import pytest

from execpolicy.core.rules import PrefixRule
from execpolicy.judge.check import check
from tests.support.command_shapes import RECORDED
from tests.support.judging import PLACE, builtin

LINES = (RECORDED / "attacked.txt").read_text().splitlines()
STARTS = [at for at, line in enumerate(LINES) if line.startswith("== ")]
SECTIONS = {LINES[start][3:]: LINES[start + 1 : end] for start, end in zip(STARTS, [*STARTS[1:], None], strict=True)}


@pytest.mark.parametrize("rules", SECTIONS)
def test_nobody_gets_past(rules: str) -> None:
    forbidden, *allowed = [shlex.split(pattern) for pattern in rules.split(" ;; ")]
    book = builtin().with_statements(PrefixRule(forbidden, "forbidden"), *[PrefixRule(words) for words in allowed])
    wrong = []
    for line in SECTIONS[rules]:
        expected, command = (line[0], line[2:]) if line[:2] in ("? ", "! ") else ("", line)
        found = check(command.replace("\\n", "\n"), book, shell="bash", situation=PLACE).decision.word
        if (found != "prompt") if expected == "?" else (found == "forbidden") == (expected == "!"):
            wrong.append(f"{found}: {line}")
    assert wrong == []


def test_there_are_many_tries() -> None:
    assert sum(len(commands) for commands in SECTIONS.values()) > 1_000
