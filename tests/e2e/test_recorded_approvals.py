"""Every recorded approval through ``check --jsonl``: the whole program, from its command line to its answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.recorded_approvals import allows_login_shell, files_of, newest, single
from tests.support.running import run_captured

pytestmark = pytest.mark.slow

_KINDS = {"ran": "skip", "approval": "needs_approval", "rejected": "forbidden"}
_DECISIONS = {"ran": "allow", "approval": "prompt", "rejected": "forbidden"}
_COPIED = ("approval_policy", "sandbox_mode", "sandbox_permissions", "justification", "prefix_rule", "login", "shell")


def _request(case: dict[str, Any]) -> dict[str, Any]:
    files = files_of(case)
    rules = [files[name] for name in sorted(files)] + case.get("project_rules", [])
    copied = {name: case[name] for name in _COPIED if name in case}
    return {"id": case["id"], "script": case["script"], "rules": rules, **copied}


CASES = {
    "0.169": ("codex-0.169", single()),
    "0.171": ("codex-0.171", tuple([case for case in newest() if allows_login_shell(case)])),
    "0.171, no login shell": ("codex-0.171", tuple([case for case in newest() if not allows_login_shell(case)])),
}


@pytest.mark.parametrize(("profile", "cases"), CASES.values(), ids=CASES)
def test_every_recorded_case_through_the_stream(
    tmp_path: Path, profile: str, cases: tuple[dict[str, Any], ...]
) -> None:
    if not all(map(allows_login_shell, cases)):
        (tmp_path / ".codex").mkdir()
        (tmp_path / ".codex/config.toml").write_text("allow_login_shell = false\n")
    done = run_captured(
        [sys.executable, "-m", "execpolicy", "check", "--jsonl", "--profile", profile],
        input="".join([json.dumps(_request(case)) + "\n" for case in cases]),
        check=True,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [case["id"] for case in cases]
    different = []
    for case, answer in zip(cases, answers, strict=True):
        expect = case["expect"]
        requirement = answer.get("requirement", answer)
        got = [requirement.get(name) for name in ("kind", "reason", "proposed_execpolicy_amendment")]
        reason = expect["rejection"] if expect["outcome"] == "rejected" else expect["reason"]
        if "requirement" in answer and answer["decision"] != _DECISIONS[expect["outcome"]]:
            different.append((case["id"], answer))
        if got != [_KINDS[expect["outcome"]], reason, expect["proposed_amendment"]]:
            different.append((case["id"], answer))
    assert different == []
