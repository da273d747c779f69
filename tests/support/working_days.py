"""Histories of working days, made from the commands in ``tests/data/advice/judgements.tsv``, each judged by hand.

A row of that table says what a careful engineer would do when asked about the command: save a rule (and then the
smallest that does: ``=`` for exactly these words, or the words behind which other files of the project may stand), save
none and why, or never be asked, because it only looks.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

TABLE = Path(__file__).parents[1] / "data" / "advice" / "judgements.tsv"
DAYS_OF = {"python": 5, "javascript": 5, "systems": 5, "operations": 5} | dict.fromkeys(
    ("elixir", "dotnet", "flutter", "cloud", "data", "embedded", "monorepo", "rails", "laravel", "swift", "scala")
    + ("haskell", "zig", "deno"),
    2,
)
"""How many days there are of somebody who works in an ecosystem."""
DAYS = [(ecosystem, number) for ecosystem, days in DAYS_OF.items() for number in range(days)]
_WORDS = {
    "file": ["src/login.ts", "src/api/orders.py", "README.md", "lib/user.rb", "k8s/api.yaml", "docs/index.md"],
    "folder": ["src", "app", "lib", "pkg", "internal", "services"],
    "test": ["tests/test_login.py", "tests/unit", "src/login.test.ts", "spec/user_spec.rb", "tests/OrderTest.php"],
    "branch": ["feat/login", "fix/rounding", "chore/bump"],
    "word": ["api", "orders", "lint", "billing", "search", "ruff", "left-pad", "worker"],
    "words": ["feat: login", "fix: rounding of totals", "docs: how to run it", "tests for orders"],
    "verb": ["build", "lint", "typecheck", "check", "docs", "test-unit"],
    "number": ["1", "4", "12", "20"],
}
_HOLE = re.compile(r"\{(\w+)\}")


class Judgement(NamedTuple):
    """What a careful engineer thinks of a command.

    Attributes:
        save: ``yes``, ``no``, or ``free`` if nobody should be asked about it.
        rule: for ``yes``: ``=``, or the words of the smallest rule that is worth having; for ``no``: why.
        shape: the command, with names in braces for what is different each time.
    """

    ecosystem: str
    save: str
    rule: str
    shape: str


@cache
def judgements() -> tuple[Judgement, ...]:
    """All rows."""
    return tuple(Judgement(*line.split("\t")) for line in TABLE.read_text("utf-8").splitlines())


def working_day(ecosystem: str, number: int) -> Counter[str]:
    """The ``number``-th day of somebody who works in ``ecosystem``: commands, and how often each was run."""
    rng = Random(f"{ecosystem} {number}")
    rows = [row for row in judgements() if row.ecosystem in (ecosystem, "any")]
    habits = rng.sample(rows, len(rows) * 2 // 3)
    day: Counter[str] = Counter()
    for _ in range(80):
        day[_HOLE.sub(lambda hole: rng.choice(_WORDS[hole[1]]), rng.choice(habits).shape)] += 1
    return day


@cache
def _shapes() -> list[tuple[re.Pattern[str], Judgement]]:
    found = []
    for row in judgements():
        parts = _HOLE.split(row.shape)
        pattern = "".join(
            [
                r"[^'\"]+" if part == "words" and at % 2 else r"\S+" if at % 2 else re.escape(part)
                for at, part in enumerate(parts)
            ]
        )
        found.append((re.compile(pattern), row))
    return sorted(found, key=lambda each: each[1].shape.count("{"))


def judgement_of(command: str) -> Judgement | None:
    """What the table says of ``command``: the row with the fewest holes that has its shape."""
    plain = command.replace('"', "'")
    return next((row for pattern, row in _shapes() if pattern.fullmatch(plain)), None)
