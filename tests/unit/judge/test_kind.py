"""The kind of a prompt: unknown only where nothing objects, and objected by default."""

import json
from pathlib import Path
from typing import Any

import pytest

from execpolicy.core.decision import Decision
from execpolicy.judge.check import check
from execpolicy.judge.command_verdict import Block, CommandVerdict
from execpolicy.judge.rulebook import Rulebook
from execpolicy.safety.opinion import Opinion
from tests.support.each import each
from tests.support.judging import PLACE, builtin, verdict

ROWS = [
    json.loads(line) for line in (Path(__file__).parents[2] / "data" / "kinds.jsonl").read_text("utf-8").splitlines()
]


@each("row", ROWS)
def test_a_prompt_is_unknown_only_where_nothing_objects(row: dict[str, Any]) -> None:
    found = verdict(row["script"], row.get("rules", ""))
    assert (found.decision.word, found.kind) == ("prompt", row["kind"]), found.reason
    body = found.to_json()
    assert body["kind"] == row["kind"]
    assert all(("kind" in each) is (each["decision"] == "prompt") for each in body["commands"])
    assert "objected" in [each.get("kind") for each in body["commands"]] or found.blocks or row["kind"] == "unknown"


@each("script", ["ls", "mytool go"])
def test_no_other_decision_has_a_kind(script: str) -> None:
    found = verdict(script, 'prefix_rule(pattern=["mytool"], decision="forbidden")')
    assert found.kind is None
    assert "kind" not in found.to_json()


def test_a_broken_rule_file_objects_to_everything() -> None:
    broken = Rulebook(builtin().statements, fail_closed=True)
    assert check("mytool x", broken, situation=PLACE).kind == "objected"


def test_what_does_not_say_that_it_is_unknown_objects() -> None:
    assert Opinion("unknown", "a new code", "why").objects
    command = verdict("mytool x").commands[0]
    made = CommandVerdict(command.command, command.argv, Decision.PROMPT, command.matches, "heuristics")
    assert made.kind == "objected"
    for wrong in ({"blocks": (Block("a new code", "why"),)}, {"opinion": Opinion("unknown", "a new code", "why")}):
        with pytest.raises(ValueError, match="no objections"):
            CommandVerdict(
                command.command, command.argv, Decision.PROMPT, command.matches, "heuristics", unknown=True, **wrong
            )
