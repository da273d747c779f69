"""Approval modes (seed 001: modes, six steps, tool table, callback forms, best practices)."""

import asyncio
from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

import execpolicy as ep
from execpolicy import permissions
from execpolicy.errors import UsageError
from execpolicy.permissions.audit import MemoryAudit
from execpolicy.permissions.modes import TOOL_APPROVAL, Approval, MessageBus, ModeApprover
from execpolicy.permissions.request import Risk, RiskAssessment, Shell
from execpolicy.permissions.tool_use import (
    TOOLS,
    ApprovalContext,
    ApprovalMode,
    SessionTools,
    Tool,
    ToolCategory,
    ToolUse,
)


class TableJudge:
    """Knows a few commands; everything else is ordinary."""

    RISKS: ClassVar = {
        "rm -rf /": RiskAssessment(Risk.HIGH, "forced"),
        "format c:": RiskAssessment(Risk.BANNED, "no formatting here"),
    }

    def assess(self, command: Shell, /) -> RiskAssessment:
        if command == "boom":
            raise RuntimeError("the judge is ill")
        text = command if isinstance(command, str) else " ".join(command)
        return self.RISKS.get(text, RiskAssessment(Risk.ORDINARY))


class StrictJudge:
    """Finds everything high-risk."""

    def assess(self, command: Shell, /) -> RiskAssessment:
        return RiskAssessment(Risk.HIGH, "strict")


def use(tool: str, **params: Any) -> ToolUse:
    return ToolUse(name=tool, params=params, call_id="call-1")


def decide(approver: ModeApprover, call: ToolUse, session_id: str = "s") -> Approval:
    return asyncio.run(approver.approve(call, session_id=session_id))


CATEGORIES = {
    "read": ToolCategory.READ,
    "grep": ToolCategory.READ,
    "glob": ToolCategory.READ,
    "ls": ToolCategory.READ,
    "bash_output": ToolCategory.READ,
    "todo": ToolCategory.READ,
    "task": ToolCategory.READ,
    "skill": ToolCategory.READ,
    "write": ToolCategory.WRITE,
    "edit": ToolCategory.WRITE,
    "bash": ToolCategory.COMMAND,
    "kill_bash": ToolCategory.COMMAND,
    "fetch": ToolCategory.NETWORK,
    "askUserQuestion": ToolCategory.ASK,
}


def test_tool_categories_table() -> None:
    assert {name: tool.category for name, tool in TOOLS.items()} == CATEGORIES


STEPS = {
    ("default", "read"): 2,
    ("autoEdit", "read"): 2,
    ("autoEdit", "write"): 4,
    ("yolo", "read"): 1,
    ("yolo", "write"): 1,
    ("yolo", "command"): 1,
    ("yolo", "network"): 1,
}


@pytest.mark.parametrize("mode", ["default", "autoEdit", "yolo"])
@pytest.mark.parametrize("tool", sorted(CATEGORIES))
def test_three_modes_five_categories(mode: str, tool: str) -> None:
    """Seed 001, "approval modes": what runs unasked, and by which step; all else is asked about (step 6)."""
    asked: list[str] = []

    def approve(call: ToolUse) -> bool:
        asked.append(call.name)
        return True

    approval = decide(ModeApprover(judge=TableJudge(), mode=mode, on_tool_approve=approve), use(tool, command="ls"))
    step = STEPS.get((mode, CATEGORIES[tool].value), 6)
    assert approval == Approval(approved=True, params={"command": "ls"}, step=step, asked=step == 6)
    assert asked == ([tool] if step == 6 else [])


def test_the_seed_contradicts_itself_on_yolo_and_the_safe_reading_holds() -> None:
    """High-risk commands are never approved by a mode, a session list or the tool itself."""
    eager = dict(TOOLS, bash=Tool("bash", ToolCategory.COMMAND, "command", needs_approval=lambda context: False))
    listed = SessionTools()
    listed.add("s", "bash")
    approver = ModeApprover(judge=TableJudge(), mode="yolo", tools=eager, session_tools=listed)
    assert decide(approver, use("bash", command="ls")).step == 1
    for command in ("rm -rf /", ["rm", "-rf", "/"], "boom", 5, None, [], ["ls", 5]):
        approval = decide(approver, use("bash", command=command))
        assert (approval.approved, approval.step, approval.asked) == (False, 6, False), command
        assert approval.deny_reason == "no one can be asked to approve this"
    assert not decide(approver, use("bash")).approved
    asked = ModeApprover(judge=TableJudge(), mode="yolo", on_tool_approve=lambda call: True)
    assert decide(asked, use("bash", command="rm -rf /")) == Approval(
        approved=True, params={"command": "rm -rf /"}, step=6, asked=True
    )


@pytest.mark.parametrize("mode", ["default", "autoEdit", "yolo"])
def test_banned_commands_are_always_denied_and_nobody_is_asked(mode: str) -> None:
    def never(call: ToolUse) -> bool:
        raise AssertionError("asked about a banned command")

    approval = decide(
        ModeApprover(judge=TableJudge(), mode=mode, on_tool_approve=never), use("bash", command="format c:")
    )
    assert (approval.approved, approval.step, approval.deny_reason) == (False, 0, "no formatting here")


def test_step_3_the_tool_itself_says_that_nobody_need_be_asked() -> None:
    seen: list[ApprovalContext] = []

    async def harmless(context: ApprovalContext) -> bool:
        seen.append(context)
        return context.params["url"] != "https://docs.example"

    tools = dict(TOOLS, fetch=Tool("fetch", ToolCategory.NETWORK, needs_approval=harmless))
    approver = ModeApprover(judge=TableJudge(), tools=tools)
    assert decide(approver, use("fetch", url="https://docs.example")).step == 3
    assert decide(approver, use("fetch", url="https://other.example")).step == 6
    assert seen[0] == ApprovalContext({"url": "https://docs.example"}, ApprovalMode.DEFAULT)


@pytest.mark.parametrize("said", [None, 0, "", "false", RuntimeError("x")])
def test_step_3_only_exactly_false_counts(said: object) -> None:
    def needs(context: ApprovalContext) -> Any:
        if isinstance(said, Exception):
            raise said
        return said

    tools = {"fetch": Tool("fetch", ToolCategory.NETWORK, needs_approval=needs)}
    assert not decide(ModeApprover(judge=TableJudge(), tools=tools), use("fetch")).approved


def test_step_5_the_session_list_is_the_session_s_own() -> None:
    listed = SessionTools()
    listed.add("s", "write")
    approver = ModeApprover(judge=TableJudge(), session_tools=listed)
    assert decide(approver, use("write"), "s").step == 5
    assert not decide(approver, use("write"), "t").approved
    assert listed.listed("s") == {"write"}
    listed.remove("s", "write")
    assert not decide(approver, use("write"), "s").approved
    listed.add("s", "write")
    listed.end_session("s")
    assert listed.listed("s") == frozenset()


def test_a_question_to_the_user_is_always_put() -> None:
    listed = SessionTools()
    listed.add("s", "askUserQuestion")
    tools = dict(TOOLS, askUserQuestion=Tool("askUserQuestion", ToolCategory.ASK, needs_approval=lambda context: False))
    approver = ModeApprover(judge=TableJudge(), mode="yolo", tools=tools, session_tools=listed)
    assert decide(approver, use("askUserQuestion")).step == 6


def test_a_tool_that_nobody_described_is_asked_about_even_in_yolo() -> None:
    approver = ModeApprover(judge=TableJudge(), mode="yolo")
    assert not decide(approver, use("launch_missiles")).approved
    approver.session_tools.add("s", "launch_missiles")
    assert decide(approver, use("launch_missiles")).step == 5


ANSWERS: list[tuple[Any, bool, str | None]] = [
    (True, True, None),
    (False, False, "denied by the user"),
    ({"approved": True}, True, None),
    ({"approved": False}, False, "denied by the user"),
    ({"approved": False, "deny_reason": "policy"}, False, "policy"),
    ({"approved": False, "denyReason": "policy"}, False, "policy"),
    ({"approved": False, "deny_reason": 5}, False, "denied by the user"),
    (None, False, "the approver's answer was not understood"),
    ("yes", False, "the approver's answer was not understood"),
    (1, False, "the approver's answer was not understood"),
    ({}, False, "the approver's answer was not understood"),
    ({"approved": "true"}, False, "the approver's answer was not understood"),
    ({"approved": 1}, False, "the approver's answer was not understood"),
    ({"approved": True, "params": "ls"}, False, "the approver's answer was not understood"),
    ({"approved": True, "params": {1: "ls"}}, False, "the approver's answer was not understood"),
    ({"approved": True, "parms": {"command": "ls"}}, False, "the approver's answer was not understood"),
]


@pytest.mark.parametrize(("answer", "approved", "reason"), ANSWERS)
@pytest.mark.parametrize("awaited", [False, True])
def test_callback_forms(answer: Any, approved: bool, reason: str | None, awaited: bool) -> None:
    """Seed 001, "return values". What is not one of them denies."""

    async def later() -> Any:
        return answer

    callback = (lambda call: later()) if awaited else (lambda call: answer)
    approval = decide(ModeApprover(judge=TableJudge(), on_tool_approve=callback), use("write", path="x"))
    assert (approval.approved, approval.deny_reason) == (approved, reason)
    assert (approval.step, approval.asked) == (6, True)


def test_a_failing_or_silent_approver_denies() -> None:
    """Seed 001, best practice 4."""

    async def silent(call: ToolUse) -> bool:
        await asyncio.sleep(60)
        return True

    def broken(call: ToolUse) -> bool:
        raise RuntimeError("no screen")

    failed = decide(ModeApprover(judge=TableJudge(), on_tool_approve=broken), use("write"))
    assert (failed.approved, failed.deny_reason) == (False, "the approval system failed: no screen")
    late = decide(ModeApprover(judge=TableJudge(), on_tool_approve=silent, timeout_s=0.01), use("write"))
    assert (late.approved, late.deny_reason) == (False, "no one answered in time")


def test_edited_parameters_are_what_runs_and_are_judged_again() -> None:
    asked: list[Any] = []

    def approver_for(answers: Mapping[Any, Any]) -> ModeApprover:
        asked.clear()

        def answer(call: ToolUse) -> Any:
            asked.append(call.params["command"])
            return answers[call.params["command"]]

        return ModeApprover(judge=TableJudge(), on_tool_approve=answer)

    harmless = approver_for({"make": {"approved": True, "params": {"command": "make -n"}}})
    assert decide(harmless, use("bash", command="make")).params == {"command": "make -n"}
    assert asked == ["make"]

    risky = {"approved": True, "params": {"command": "rm -rf /"}}
    confirmed = approver_for({"make": risky, "rm -rf /": True})
    assert decide(confirmed, use("bash", command="make")).params == {"command": "rm -rf /"}
    assert asked == ["make", "rm -rf /"]

    refused = decide(approver_for({"make": risky, "rm -rf /": False}), use("bash", command="make"))
    assert not refused.approved

    banned = approver_for({"make": {"approved": True, "params": {"command": "format c:"}}})
    approval = decide(banned, use("bash", command="make"))
    assert (approval.approved, approval.deny_reason, approval.params) == (
        False,
        "no formatting here",
        {"command": "format c:"},
    )

    restless = ModeApprover(
        judge=StrictJudge(),
        on_tool_approve=lambda call: {"approved": True, "params": {"command": [*call.params["command"], "x"]}},
    )
    assert not decide(restless, use("bash", command=["rm"])).approved


def test_nothing_that_an_approver_does_to_its_copy_changes_the_call() -> None:
    mine = {"command": "ls", "nested": ["a"]}

    def sly(call: ToolUse) -> bool:
        assert isinstance(call.params, dict)
        call.params["command"] = "rm -rf /"
        call.params["nested"].append("b")
        return True

    approval = decide(ModeApprover(judge=TableJudge(), on_tool_approve=sly), ToolUse(name="bash", params=mine))
    assert approval.params == {"command": "ls", "nested": ["a"]}
    mine["command"] = "rm -rf /"
    assert approval.params == {"command": "ls", "nested": ["a"]}


def test_the_message_bus_gets_the_session_and_old_handlers_still_work() -> None:
    """Seed 001, "session context through the MessageBus", "backward compatibility"."""
    bus = MessageBus()
    approver = ModeApprover(judge=TableJudge(), bus=bus)
    assert decide(approver, use("bash", command="ls")).deny_reason == "no one can be asked to approve this"
    seen: list[Any] = []

    async def routed(*, tool_use: ToolUse, category: str, session_id: str) -> Any:
        seen.append((tool_use.name, category, session_id))
        return {"approved": True, "params": dict(tool_use.params)}

    bus.register_handler(TOOL_APPROVAL, routed)
    assert decide(approver, use("bash", command="ls"), "session-abc").approved
    assert seen == [("bash", "command", "session-abc")]

    bus.register_handler(TOOL_APPROVAL, lambda tool_use, category: {"approved": category == "command"})
    assert decide(approver, use("bash", command="ls"), "session-abc").approved
    assert not decide(approver, use("write"), "session-abc").approved

    bus.register_handler(TOOL_APPROVAL, lambda **fields: sorted(fields) == ["category", "session_id", "tool_use"])
    assert decide(approver, use("bash", command="ls")).approved

    bus.remove_handler(TOOL_APPROVAL)
    assert not decide(approver, use("bash", command="ls")).approved
    with pytest.raises(UsageError, match="toolApproval"):
        asyncio.run(bus.request(TOOL_APPROVAL))


def test_every_outcome_is_audited_and_secrets_are_not() -> None:
    """Seed 001, best practice 5."""
    audit = MemoryAudit()
    answer = {"approved": True, "params": {"command": "make", "token": "hunter2"}}
    approver = ModeApprover(judge=TableJudge(), audit=audit, on_tool_approve=lambda call: answer)
    decide(approver, use("bash", command="curl -H 'Authorization: Bearer abcdefgh123' x", token="hunter2"), "s1")
    decide(approver, use("bash", command="format c:"), "s2")
    decide(approver, use("read", path="x"), "s3")
    assert "hunter2" not in repr(audit.entries)
    assert "abcdefgh123" not in repr(audit.entries)
    assert [(e["session_id"], e["tool"], e["approved"], e["step"], e["by"]) for e in audit.entries] == [
        ("s1", "bash", True, 6, "user"),
        ("s2", "bash", False, 0, "policy"),
        ("s3", "read", True, 2, "policy"),
    ]
    assert audit.entries[0]["edited"] == {"command": "make", "token": "[redacted]"}
    assert audit.entries[1]["reason"] == "no formatting here"


def test_a_decision_that_cannot_be_written_down_is_no() -> None:
    class Full:
        def write(self, entry: Mapping[str, Any], /) -> None:
            raise OSError("disk full")

    approval = decide(ModeApprover(judge=TableJudge(), audit=Full()), use("read", path="x"))
    assert not approval.approved
    assert approval.deny_reason == "the decision could not be written to the audit log"


def test_many_sessions_at_once_do_not_mix() -> None:
    async def answer(call: ToolUse) -> Any:
        await asyncio.sleep(0)
        return {"approved": call.params["n"] % 3 != 0, "params": {**call.params, "seen": call.params["n"]}}

    async def run() -> list[Approval]:
        approver = ModeApprover(judge=TableJudge(), on_tool_approve=answer)
        return await asyncio.gather(
            *[approver.approve(use("write", n=n), session_id=f"s{n % 50}") for n in range(1_000)]
        )

    for n, approval in enumerate(asyncio.run(run())):
        assert approval.approved is (n % 3 != 0)
        assert approval.params == ({"n": n, "seen": n} if approval.approved else {"n": n})


def test_the_synchronous_door() -> None:
    assert ModeApprover(judge=TableJudge()).approve_sync(use("read")).approved


def test_a_plain_callback_that_holds_up_the_loop_answers_too_late() -> None:
    import time

    def slow(call: ToolUse) -> bool:
        time.sleep(0.1)
        return True

    late = ModeApprover(judge=TableJudge(), on_tool_approve=slow, timeout_s=0.02)
    assert decide(late, use("bash", command="make")).deny_reason == "no one answered in time"
    assert decide(
        ModeApprover(judge=TableJudge(), on_tool_approve=slow, timeout_s=5), use("bash", command="make")
    ).approved


def test_the_mode_may_change_and_only_to_a_mode() -> None:
    approver = permissions.ModeApprover(
        judge=permissions.RulebookJudge(ep.Rulebook, ep.Situation("/")), on_tool_approve=lambda use: False
    )
    use = permissions.ToolUse(name="write", params={"path": "a"})
    assert not approver.approve_sync(use).approved
    approver.mode = "autoEdit"  # type: ignore[assignment]  # a word is its mode
    assert (approver.mode, approver.approve_sync(use).approved) == (permissions.ApprovalMode.AUTO_EDIT, True)
    for wrong in ("autoedit", "yolo ", None, True):
        with pytest.raises(ep.UsageError):
            approver.mode = wrong  # type: ignore[assignment]  # that is what is tried
    assert approver.mode is permissions.ApprovalMode.AUTO_EDIT
