"""Rows of the documents that are tried here, through names of ``execpolicy`` alone (the rest: ``docs/evidence``)."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import execpolicy as ep
from execpolicy import approvals, permissions, protocol

PREFIX = approvals.ExecPolicyAmendment(("cargo", "build"))


def builtin(*statements: Any) -> ep.Rulebook:
    options = ep.LayerOptions.of_process({}, cwd="/", system_folder=None, files=())
    return ep.Rulebook([*ep.load_layers(options).statements, *statements])


@pytest.mark.parametrize(
    ("decision", "written"),
    [
        (approvals.Approved(), "approved"),
        (approvals.ApprovedForSession(), "approved_for_session"),
        (
            approvals.ApprovedExecpolicyAmendment(proposed_execpolicy_amendment=PREFIX),
            {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": ["cargo", "build"]}},
        ),
        (approvals.Denied(), "denied"),
        (approvals.Abort(), "abort"),
    ],
)
def test_an_answer_is_written_as_the_source_writes_it(decision: approvals.ReviewDecision, written: object) -> None:
    assert isinstance(decision, approvals.ReviewDecision)
    assert approvals.decision_to_json(decision) == written
    assert approvals.decision_from_json(json.loads(json.dumps(written))) == decision


def test_the_event_about_a_command_has_the_fields_of_the_source() -> None:
    event = approvals.ExecApprovalRequestEvent(
        approval_id="c1",
        call_id="c1",
        turn_id="t1",
        command=("cat", "a"),
        cwd="/srv",
        reason="why",
        proposed_execpolicy_amendment=PREFIX,
        parsed_cmd=approvals.parse_command(("cat", "a")),
    )
    body = event.to_json()
    assert {name: body[name] for name in ("call_id", "turn_id", "command", "cwd", "reason")} == {
        "call_id": "c1",
        "turn_id": "t1",
        "command": ["cat", "a"],
        "cwd": "/srv",
        "reason": "why",
    }
    assert body["proposed_execpolicy_amendment"] == ["cargo", "build"]
    assert [parsed["type"] for parsed in body["parsed_cmd"]] == ["read"]
    assert (
        "reason"
        not in approvals.ExecApprovalRequestEvent(
            approval_id="c1", call_id="c1", turn_id="t1", command=("x",), cwd="/"
        ).to_json()
    )


def test_every_requirement_says_what_it_proposes() -> None:
    for requirement, proposed in [
        (approvals.Skip(proposed_execpolicy_amendment=PREFIX), PREFIX),
        (approvals.NeedsApproval(proposed_execpolicy_amendment=PREFIX), PREFIX),
        (approvals.Skip(), None),
        (approvals.Forbidden(reason="no"), None),
    ]:
        assert isinstance(requirement, approvals.ExecApprovalRequirement)
        assert requirement.proposed_execpolicy_amendment == proposed


def test_a_tool_use_is_written_as_the_source_writes_it() -> None:
    use = permissions.ToolUse(name="bash", params={"command": "ls"}, call_id="123")
    assert use.to_json() == {"name": "bash", "params": {"command": "ls"}, "callId": "123"}


def test_a_callback_with_conditions_of_its_own() -> None:
    def on_tool_approve(use: permissions.ToolUse) -> object:
        command = use.params.get("command", "")
        if "> /dev" in command:
            return {"approved": False, "denyReason": "dangerous"}
        return {"approved": command.startswith("git")}

    judge = permissions.RulebookJudge(builtin, ep.Situation("/srv"))
    approver = permissions.ModeApprover(judge=judge, on_tool_approve=on_tool_approve)
    for command, approved, reason in [
        ("git commit", True, None),
        ("cat x > /dev/sda", False, "dangerous"),
        ("make", False, "denied by the user"),
    ]:
        done = approver.approve_sync(permissions.ToolUse(name="bash", params={"command": command}))
        assert (done.approved, done.deny_reason, done.step) == (approved, reason, 6)


RULES = """
prefix_rule(pattern=["rm"], decision="forbidden")
prefix_rule(pattern=["cargo", "build"], decision="allow")
prefix_rule(pattern=["git"], decision="prompt", justification="requires review")
"""


def test_the_rules_of_the_source_are_read() -> None:
    rules = ep.compile_source(ep.Source("a.rules", RULES)).policy().rules
    assert [(str(rule.pattern), rule.decision.word, rule.justification) for rule in rules] == [
        ("rm", "forbidden", None),
        ("cargo build", "allow", None),
        ("git", "prompt", "requires review"),
    ]


@pytest.mark.parametrize(
    ("script", "decision"),
    [
        ("cargo build", "allow"),
        ("cargo build && cargo build -q", "allow"),
        ("cargo build && git push", "prompt"),
        ("cargo build | git x; rm y", "forbidden"),
    ],
)
def test_a_script_is_judged_by_its_strictest_command(script: str, decision: str) -> None:
    book = ep.Rulebook(ep.compile_source(ep.Source("a.rules", RULES)).statements)
    assert ep.check(["bash", "-lc", script], book).decision == ep.Decision(decision)
    parts = script.replace("&&", ";").replace("|", ";").split(";")
    assert ep.check_multiple(parts, book)[0] == ep.Decision(decision)


@pytest.mark.parametrize(
    ("command", "safe", "dangerous"),
    [
        (["ls", "-la"], True, False),
        ("cat a | head", True, False),
        (["echo", "hello"], True, False),
        (["make"], False, False),
        (["rm", "-rf", "/"], False, True),
        ("ls; env rm -rf x", False, True),
        ("ls > out.txt", False, False),
        ("ls > /etc/passwd", False, True),
        ("echo 'unclosed", False, False),
        ("", False, False),
    ],
)
def test_the_two_questions_of_the_heuristics(command: Any, safe: bool, dangerous: bool) -> None:
    for book in (builtin(), builtin(ep.PrefixRule(["ls"], "forbidden"), ep.PrefixRule(["rm"], "allow"))):
        assert ep.is_known_safe_command(command, book) is safe
        assert ep.command_might_be_dangerous(command, book) is dangerous


def test_a_block_is_written_as_the_source_writes_it() -> None:
    assert permissions.Blocked("Blocked by user", "rm").to_json() == {"block": True, "reason": "Blocked by user"}


def test_a_permission_request_is_written_as_the_source_writes_it() -> None:
    request = permissions.PermissionRequest(
        id="per_1",
        session_id="s",
        permission="bash",
        patterns=("ls",),
        always=("ls *",),
        metadata={"a": 1},
        tool=permissions.ToolCall("m", "c"),
    )
    assert request.to_json() == {
        "id": "per_1",
        "sessionID": "s",
        "permission": "bash",
        "patterns": ["ls"],
        "metadata": {"a": 1},
        "always": ["ls *"],
        "tool": {"messageID": "m", "callID": "c"},
    }


def test_permission_events_are_written_as_the_source_writes_them() -> None:
    request = permissions.PermissionRequest(session_id="s", permission="bash", patterns=("ls",))
    assert permissions.Asked(request).to_json() == {"type": "permission.asked", "properties": request.to_json()}
    assert permissions.Replied("s", "per_1", permissions.Reply.ONCE).to_json() == {
        "type": "permission.replied",
        "properties": {"sessionID": "s", "requestID": "per_1", "reply": "once"},
    }


def test_the_defaults_of_an_agent() -> None:
    def said(permission: str, *rulesets: permissions.Ruleset) -> str:
        return permissions.evaluate(permission, "x", permissions.AGENT_DEFAULTS, *rulesets).action.value

    assert [said(name) for name in ("bash", "edit", "doom_loop", "external_directory")] == [
        "allow",
        "allow",
        "ask",
        "ask",
    ]
    assert said("doom_loop", permissions.ruleset_from_config({"doom_loop": "deny"}, home=None)) == "deny"


def test_three_refusals_tell_an_agent_how_to_go_on() -> None:
    kinds = (permissions.RejectedError(), permissions.CorrectedError("use make"), permissions.DeniedError([]))
    assert all(isinstance(refusal, permissions.PermissionRefused) for refusal in kinds)
    assert len({type(refusal) for refusal in kinds}) == 3
    assert "use make" in str(kinds[1])


def test_a_decision_has_the_fields_of_the_source() -> None:
    sent: list[Any] = []
    arbiter = protocol.Arbiter(
        protocol.PolicyDecider(
            protocol.RulebookShellJudge(builtin),
            cwd="/srv",
            ruleset=permissions.ruleset_from_config({"fs.read": {"*": "deny", "a*": "allow"}}, home=None),
        ),
        send=sent.append,
        abort=lambda code, reason: None,
        options=protocol.ArbiterOptions(expires_in_ms=500),
    )
    for id, path in (("t-001", "a.md"), ("t-002", "b.md")):
        arbiter.receive(protocol.ToolRequest(id=id, ts=0, tool="fs.read", args={"path": path}, requires_policy=True))
    allowed, denied = sent
    assert (allowed.id, allowed.decision, allowed.rule_id) == ("t-001", "allow", "permission:fs.read:a*")
    assert (allowed.constraints, allowed.expires_in_ms) == ({"paths": ["/srv/a.md"]}, 500)
    assert (denied.id, denied.decision, denied.expires_in_ms, denied.constraints) == ("t-002", "deny", None, None)


@pytest.mark.parametrize("looked_at", [True, False])
def test_events_on_standard_error_can_be_left_alone(looked_at: bool, tmp_path: Path) -> None:
    event = json.dumps({"v": 1, "type": "tool.progress", "ts": 0, "id": "1", "message": "here"})
    audit = permissions.MemoryAudit()

    def arbiter(send: Any, abort: Any) -> protocol.Arbiter:
        decider = protocol.PolicyDecider(protocol.RulebookShellJudge(ep.Rulebook), cwd="/")
        return protocol.Arbiter(decider, send=send, abort=abort, audit=audit)

    out, err = (os.open(tmp_path / name, os.O_WRONLY | os.O_CREAT) for name in ("out", "err"))
    program = f"import sys; print({event!r}, file=sys.stderr); print('done')"
    options = protocol.SessionOptions(stderr_events=looked_at)
    session = protocol.RunnerSession([sys.executable, "-c", program], arbiter, options=options, stdout=out, stderr=err)
    assert asyncio.run(session.run()).status == 0
    for descriptor in (out, err):
        os.close(descriptor)
    assert [entry["event"] for entry in audit.entries] == (["progress"] if looked_at else [])
    assert (tmp_path / "out").read_text("utf-8") == "done\n"
    assert (tmp_path / "err").read_text("utf-8") == ("" if looked_at else event + "\n")
