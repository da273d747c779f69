"""``check --jsonl`` with an approval policy: the requirement, and a decision that agrees with it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.check_command import run_check
from tests.support.schemas import schema_problems
from tests.support.streams import Streams

RULES = ['prefix_rule(pattern=["deploy"], decision="prompt")\nprefix_rule(pattern=["destroy"], decision="forbidden")\n']
SETTINGS = {"sandbox_approval": True, "rules": False, "mcp_elicitations": True}


def ask(*requests: dict[str, Any], profile: str = "default", more: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    streams = Streams()
    stdin = io.TextIOWrapper(io.BytesIO("".join(json.dumps(request) + "\n" for request in requests).encode()))
    assert run_check(["--jsonl", "--profile", profile, *more], stdin, streams.out, streams.err) == 0
    return [json.loads(answer) for answer in streams.stdout().splitlines()]


@pytest.mark.parametrize("profile", ["default", "codex-0.169"])
@pytest.mark.parametrize(
    ("script", "policy", "sandbox", "kind", "decision"),
    [
        ("frobnicate x", "never", "read-only", "skip", "allow"),  # it runs, but in the sandbox
        ("frobnicate x", "on-request", "workspace-write", "skip", "allow"),
        ("frobnicate x", "untrusted", "workspace-write", "needs_approval", "prompt"),
        ("rm -rf x", "on-request", "workspace-write", "needs_approval", "prompt"),
        ("rm -rf x", "never", "workspace-write", "forbidden", "forbidden"),
        ("deploy x", "on-request", "danger-full-access", "needs_approval", "prompt"),
        ("deploy x", "never", "danger-full-access", "forbidden", "forbidden"),
        ("destroy x", "on-request", "danger-full-access", "forbidden", "forbidden"),
    ],
)
def test_decision_agrees_with_requirement(
    profile: str, script: str, policy: str, sandbox: str, kind: str, decision: str
) -> None:
    request = {"script": script, "rules": RULES, "approval_policy": policy, "sandbox_mode": sandbox}
    (answer,) = ask(request, profile=profile)
    assert (answer["requirement"]["kind"], answer["decision"]) == (kind, decision)


@pytest.mark.parametrize("profile", ["default", "codex-0.169"])
@pytest.mark.parametrize(
    ("script", "policy", "kind", "decision"),
    [
        ("frobnicate x", "on-request", "skip", "allow"),
        ("echo a; env frobnicate it", "on-request", "forbidden", "forbidden"),
        ("echo it", "on-request", "needs_approval", "prompt"),
        ("echo it", "never", "forbidden", "forbidden"),
        ("destroy x", "on-request", "forbidden", "forbidden"),
    ],
)
def test_permissions_restrict_the_requirement_too(
    tmp_path: Path, profile: str, script: str, policy: str, kind: str, decision: str
) -> None:
    path = tmp_path / "permissions.json"
    path.write_text('{"bash": {"frobnicate it": "deny", "echo *": "ask"}}')
    request = {"script": script, "rules": RULES, "approval_policy": policy, "sandbox_mode": "workspace-write"}
    # three equal questions are no loop of an agent
    for answer in ask(*[request] * 3, profile=profile, more=("--permissions", str(path))):
        assert schema_problems(answer, "check-jsonl") == []
        assert (answer["requirement"]["kind"], answer["decision"]) == (kind, decision)


@pytest.mark.parametrize(("kind", "argv"), [("skip", ["ls"]), ("needs_approval", ["frobnicate"])])
def test_only_the_default_profile_knows_safe_commands(kind: str, argv: list[str]) -> None:
    request = {"argv": argv, "rules": [], "approval_policy": "untrusted"}
    assert ask(request)[0]["requirement"]["kind"] == kind
    assert ask(request, profile="codex-0.169")[0]["requirement"]["kind"] == "needs_approval"


def test_a_refused_question_forbids_and_its_commands_keep_their_own_decision() -> None:
    (answer,) = ask({"argv": ["deploy"], "rules": RULES, "approval_policy": {"granular": SETTINGS}})
    assert answer["decision"] == answer["requirement"]["kind"] == "forbidden"
    assert "Granular.rules is false" in answer["requirement"]["reason"]
    assert [command["decision"] for command in answer["commands"]] == ["prompt"]


def test_without_a_policy_there_is_no_requirement() -> None:
    (answer,) = ask({"id": 7, "argv": ["frobnicate"], "rules": []})
    assert (answer["id"], answer["decision"]) == (7, "prompt")
    assert "requirement" not in answer


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"argv": ["x"], "approval_policy": "sometimes"}, "sometimes"),
        ({"argv": ["x"], "approval_policy": {"granular": {"nope": True}}}, "nope"),
        ({"argv": ["x"], "approval_policy": "never", "sandbox_mode": "cardboard"}, "cardboard"),
        ({"argv": ["x"], "approval_policy": "never", "sandbox_permissions": "all"}, "all"),
        ({"argv": ["x"], "policy": "never"}, "unknown field `policy`"),
        ({"argv": ["x"], "script": "x"}, "exactly one of `argv` and `script`"),
        ({"argv": []}, "at least one word"),
        ({"argv": [1]}, "list of strings"),
    ],
)
def test_a_bad_line_gets_an_error_and_the_stream_goes_on(request_: dict[str, Any], message: str) -> None:
    bad, good = ask({"id": "bad", **request_}, {"id": "good", "argv": ["ls"]})
    assert bad.keys() == {"id", "error"}
    assert message in bad["error"]
    assert (good["id"], good["decision"]) == ("good", "allow")


@pytest.mark.parametrize(
    ("script", "policy", "reason"),
    [
        ("mkdir x && deploy x", "untrusted", "`deploy x` needs approval: a rule covers commands starting with"),
        ("mkdir x && destroy x", "untrusted", "`destroy x` is forbidden: a rule covers commands starting with"),
        ("deploy x", "never", "approval required by policy, but AskForApproval is set to Never"),
        ("frobnicate x", "never", "the approval policy runs it without a question"),
    ],
)
def test_the_reason_is_that_of_the_decision(script: str, policy: str, reason: str) -> None:
    request = {"script": script, "rules": RULES, "approval_policy": policy, "sandbox_mode": "workspace-write"}
    (answer,) = ask(request)
    assert answer["reason"].startswith(reason)
    assert answer["requirement"]["reason"] in (None, answer["reason"])
    (as_codex,) = ask(request, profile="codex-0.169")
    assert "reason" not in as_codex
