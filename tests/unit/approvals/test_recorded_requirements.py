"""Profile ``codex-0.169``: every recorded case gets the recorded outcome, reason, amendment and rejection text."""

from __future__ import annotations

from typing import Any

from execpolicy.approvals.exec_command import requirement_json
from execpolicy.codex.codex_profile import CODEX_0_169
from tests.support.recorded_approvals import policy_for, recorded, request_of, single

_KINDS = {"ran": "skip", "approval": "needs_approval", "rejected": "forbidden"}


def _expected(case: dict[str, Any]) -> dict[str, Any]:
    expect = case["expect"]
    return {
        "kind": _KINDS[expect["outcome"]],
        "reason": expect["rejection"] if expect["outcome"] == "rejected" else expect["reason"],
        "proposed_execpolicy_amendment": expect["proposed_amendment"],
    }


def test_the_file_is_complete() -> None:
    assert len(recorded()) == 2383


def test_every_recorded_requirement() -> None:
    different = []
    for case in single():
        got = requirement_json(request_of(case), policy_for(case), profile=CODEX_0_169)
        got.pop("bypass_sandbox")
        if got != _expected(case):
            different.append((case["id"], case["script"], got, _expected(case)))
    assert different == []


def test_only_a_skip_bypasses_the_sandbox() -> None:
    for case in single():
        got = requirement_json(request_of(case), policy_for(case), profile=CODEX_0_169)
        assert got["kind"] == "skip" or not got["bypass_sandbox"]
