"""Every recorded amendment of Codex 0.169.0 is written byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from execpolicy.amend.append import append_lines
from execpolicy.errors import InvalidRuleError
from execpolicy.lang.compile import compile_source
from execpolicy.lang.render import render, render_prefix_rule
from execpolicy.source import Source

DATA = Path(__file__).parents[2] / "data" / "peer" / "codex_approvals.jsonl"
CASES = [
    case
    for case in map(json.loads, DATA.read_text(encoding="utf-8").split("\n")[:-1])
    if "rules_after" in case["expect"]
]
BY_ID = {case["id"]: case for case in CASES}
ACCEPTED = [case for case in CASES if case.get("decision") != "decline"]
UNCHANGED = [case for case in CASES if case.get("decision") == "decline"]


def files_before(case: dict[str, Any]) -> dict[str, str]:
    """The rule files before the command was run: given with the case, or left by the step before it."""
    rules = case.get("rules")
    if isinstance(rules, dict):
        return {f"{name}.rules": text for name, text in rules.items()}
    if rules:
        return {"default.rules": rules[0]}
    group, number = case["id"].rsplit("/", 1)
    previous = BY_ID.get(f"{group}/{int(number) - 1}")
    return dict(previous["expect"]["rules_after"]) if previous else {}


def tokens_of(case: dict[str, Any]) -> list[str]:
    """What the client answered that should be saved."""
    decision = case["decision"]
    if decision == "acceptWithProposed":
        return list(case["expect"]["proposed_amendment"])
    return list(decision["acceptWithExecpolicyAmendment"]["execpolicy_amendment"])


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_bytes().decode() for path in folder.glob("*.rules")}


def written(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    return str(folder / "default.rules")


def test_there_are_cases_of_both_kinds() -> None:
    assert (len(ACCEPTED), len(UNCHANGED)) == (16, 17)


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case["id"])
def test_what_was_accepted_is_written_the_same(case: dict[str, Any], tmp_path: Path) -> None:
    path = written(tmp_path, files_before(case))
    tokens = tokens_of(case)
    if tokens:
        append_lines(path, (render_prefix_rule(tokens),))
    else:
        with pytest.raises(InvalidRuleError, match="prefix rule requires at least one token"):
            render_prefix_rule(tokens)
    assert contents(tmp_path) == case["expect"]["rules_after"]


@pytest.mark.parametrize("case", UNCHANGED, ids=lambda case: case["id"])
def test_what_codex_left_behind_is_what_saving_its_rules_would_write(case: dict[str, Any], tmp_path: Path) -> None:
    after = case["expect"]["rules_after"]
    given = files_before(case) if case.get("rules") else {}
    path = written(tmp_path, given)
    text = after.get("default.rules", "")
    for statement in compile_source(Source("default.rules", text)).statements:
        line = render(statement)  # type: ignore[arg-type]  # only rules of Codex are recorded
        if line not in given.get("default.rules", ""):
            append_lines(path, (line,))
    assert contents(tmp_path) == after
