"""Every answer is the same with all caches and memories on as with all of them off, over both corpora."""

import json
from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.stored import restored, store
from execpolicy.safety import heuristics
from tests.support.judging import PLACE, builtin, rulebook

CORPORA = Path(__file__).parents[1] / "data" / "corpora"
RULES = """
prefix_rule(pattern = ["git", "push"], decision = "forbidden")
prefix_rule(pattern = ["rm"], decision = "prompt")
prefix_rule(pattern = ["make"])
"""


def scripts() -> list[str]:
    found: dict[str, None] = {}
    for path in sorted(CORPORA.glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            found[json.loads(line)["script"]] = None
    return list(found)


@pytest.mark.parametrize("rules", ["", RULES])
def test_answers_with_every_cache_are_those_without(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = scripts()
    assert len(corpus) > 3_000
    plain = Rulebook((*builtin().statements, *rulebook(rules, heuristics=False).statements))
    with monkeypatch.context() as off:
        off.setattr(heuristics, "_FEW", 0)  # no opinion is remembered
        expected = [judge_script(read_command(script), plain, PLACE).to_json() for script in corpus]
    assert not plain.heuristics._known
    cached = restored(store(plain))
    for _ in range(2):  # the second time from memory
        assert [check(script, cached, situation=PLACE).to_json() for script in corpus] == expected
    assert cached.heuristics._known
