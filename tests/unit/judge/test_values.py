"""Variables, the home folder and `cd` in everyday scripts, and attacks beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.each import each
from tests.support.judging import decision, rulebook

ROWS = [json.loads(line) for line in Path("tests/data/values.jsonl").read_text().splitlines()]
RULES = """
write_rule(paths = ["./build/**", "~/out/**"])
prefix_rule(pattern = ["pytest"])
prefix_rule(pattern = ["go"])
prefix_rule(pattern = ["npm", "test"])
prefix_rule(pattern = ["./gradlew", "test"])
prefix_rule(pattern = ["/home/u/bin/tool"])
prefix_rule(pattern = ["~/bin/evil"], decision = "forbidden")
"""


@each("script,expected", [(row["script"], row["decision"]) for row in ROWS])
def test_values_in_scripts(script: str, expected: str) -> None:
    assert decision(script, RULES) == expected


def test_a_variable_of_the_environment_reaches_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decision("ART=x; ls") == "allow"
    monkeypatch.setenv("ART", "y")
    assert decision("ART=z; ls") == "prompt"


FOUND = [
    ("sort *.txt", "allow"),
    ('for f in *.txt; do sort "$f"; done', "allow"),
    ("for f in docs/*; do sed -n 1p $f; done", "allow"),
    ("for f in blank/*; do sed -n 1p $f; done", "prompt"),
    ('for f in blank/*; do sed -n 1p "$f"; done', "allow"),
    ("for f in */*; do sed -n 1p $f; done", "prompt"),
    ("for f in none/*; do sed -n 1p $f; done", "prompt"),
    ("cd dash && sort *", "prompt"),
    ('cd dash; for f in *; do sort "$f"; done', "prompt"),
    ("echo > build/x; sort *.txt", "prompt"),
    ("npm test; sort *.txt", "prompt"),
    ("touch ./-o; sort *.txt", "prompt"),
    ("sort -o*.txt", "prompt"),
]


def test_what_a_pattern_finds_is_no_option_where_no_name_is_one(tmp_path: Path) -> None:
    for name in ("a.txt", "docs/a.md", "blank/a b.md", "dash/-o"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    place = Situation(str(tmp_path), home="/home/u")
    found = {script: check(script, rulebook(RULES), situation=place).decision.word for script, _ in FOUND}
    assert found == dict(FOUND)
