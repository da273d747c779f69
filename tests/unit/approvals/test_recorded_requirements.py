"""The profiles of Codex: every recorded case gets the recorded outcome, reason, amendment and rejection text."""

from __future__ import annotations

from typing import Any

import pytest

from execpolicy.approvals.exec_command import requirement_json
from execpolicy.codex import VERSIONS
from execpolicy.codex.profiles import CODEX_0_169, profile_named
from execpolicy.errors import UsageError
from tests.support.recorded_approvals import allows_login_shell, newest, policy_for, recorded, request_of, single

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
    assert len(newest()) == 614


@pytest.mark.parametrize("version", VERSIONS)
def test_every_recorded_requirement(version: str) -> None:
    different = []
    refused = [case for case in newest() if case.get("login") and not allows_login_shell(case)]
    assert [case["id"] for case in refused] == ["codex-0.171/probe/l2"]
    for case in (*single(), *[case for case in newest() if case not in refused]):
        profile = profile_named(version, allow_login_shell=allows_login_shell(case))
        got = requirement_json(request_of(case), policy_for(case), profile=profile)
        got.pop("bypass_sandbox")
        if got != _expected(case):
            different.append((case["id"], case["script"], got, _expected(case)))
    assert different == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_login_shell_that_the_settings_refuse(version: str) -> None:
    profile = profile_named(version, allow_login_shell=False)
    assert profile.argv_of("ls", None, None) == profile.argv_of("ls", None, False) == ("/bin/bash", "-c", "ls")
    (case,) = [case for case in newest() if case["expect"].get("rejection", "").startswith("login shell")]
    with pytest.raises(UsageError) as caught:
        profile.argv_of(case["script"], None, case["login"])
    assert str(caught.value) == case["expect"]["rejection"]


def test_only_a_skip_bypasses_the_sandbox() -> None:
    for case in single():
        got = requirement_json(request_of(case), policy_for(case), profile=CODEX_0_169)
        assert got["kind"] == "skip" or not got["bypass_sandbox"]
