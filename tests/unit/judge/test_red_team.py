"""Findings of a red team, and the ordinary commands beside them: ``tests/data/red_team.jsonl``.

Each row has ``rules`` (``pack:node`` is the pack of that name), ``script``, maybe ``shell``, and what it ``must`` get.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.resources import rules_folder
from tests.support.judging import PLACE, rulebook

ROWS = [
    json.loads(line) for line in (Path(__file__).parents[2] / "data" / "red_team.jsonl").read_text("utf-8").splitlines()
]
ALL = {"allow", "prompt", "forbidden"}


@cache
def rules_of(*rules: str) -> Rulebook:
    packs = Path(rules_folder()) / "packs"
    texts = [(packs / f"{one[5:]}.rules").read_text("utf-8") if one.startswith("pack:") else one for one in rules]
    return rulebook("\n".join(texts))


@pytest.mark.parametrize("must", sorted({row["must"] for row in ROWS}))
def test_each_gets_what_it_must(must: str) -> None:
    wanted = ALL - {must[4:]} if must.startswith("not-") else {must}
    wrong = {}
    for row in [row for row in ROWS if row["must"] == must]:
        verdict = check(row["script"], rules_of(*row["rules"]), shell=row.get("shell", "bash"), situation=PLACE)
        if verdict.decision.word not in wanted:
            wrong[row["script"]] = verdict.decision.word
    assert wrong == {}
