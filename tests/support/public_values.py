"""One good value of every public class, made of names of ``execpolicy`` alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import execpolicy as ep
from execpolicy import approvals, permissions, protocol

RULES = 'prefix_rule(pattern=["build"], decision="allow")\n'


def source() -> ep.Source:
    return ep.Source("my.rules", RULES)


def rulebook() -> ep.Rulebook:
    return ep.Rulebook(ep.compile_source(source()).statements)


def options() -> ep.LayerOptions:
    return ep.LayerOptions(cwd="/srv/p", texts=[source()])


def snapshot() -> ep.Snapshot:
    return ep.PolicyManager(options()).current()


def verdict() -> ep.Verdict:
    return ep.check("build x", rulebook(), situation=ep.Situation("/srv/p"))


def explanation() -> ep.Explanation:
    return ep.explain("build x", rulebook(), situation=ep.Situation("/srv/p"))


def amendment() -> approvals.ExecPolicyAmendment:
    return approvals.ExecPolicyAmendment(["build"])  # type: ignore[arg-type]  # a list will do


def request() -> permissions.PermissionRequest:
    return permissions.PermissionRequest(session_id="s", permission="bash", patterns="make")  # type: ignore[arg-type]  # and so will a text


class NoSandbox:
    """A sandbox for tests: everything stays as it is."""

    @contextmanager
    def confine(self, command: Any, **given: Any) -> Iterator[Any]:
        yield command

    def denied(self, output: object) -> bool:
        return False


def session() -> approvals.ApprovalSession:
    return approvals.ApprovalSession(emit=lambda event: None)


def shell_tool() -> approvals.ShellTool:
    return approvals.ShellTool(
        session=session(), sandbox=NoSandbox(), profile=approvals.profile_named("default"), rules=rulebook
    )


@cache
def loop() -> approvals.BlockingLoop:
    """One for all tests: each has a thread of its own."""
    return approvals.BlockingLoop()


def turn() -> approvals.Turn:
    return session().begin_turn("turn 1")


def decider() -> protocol.PolicyDecider:
    return protocol.PolicyDecider(protocol.RulebookShellJudge(rulebook), cwd="/srv/p")


def exec_request() -> approvals.ExecRequest:
    return approvals.ExecRequest(command=("build",), approval_policy="untrusted", cwd="/srv/p")  # type: ignore[arg-type]  # what a caller without types passes


def nothing(*given: object) -> None:
    del given


def arbiter(send: Any = nothing, abort: Any = nothing) -> protocol.Arbiter:
    return protocol.Arbiter(decider(), send=send, abort=abort)


ENVELOPE: dict[str, Any] = {"id": "1", "ts": 0}
IDS: dict[str, Any] = {"approval_id": "1", "call_id": "1", "turn_id": "1"}

GIVEN: dict[str, Callable[[], dict[str, Any]]] = {
    "ApprovalPreset": lambda: {
        "label": "x",
        "description": "y",
        "approval": approvals.AskForApproval.NEVER,
        "sandbox": approvals.SandboxPolicy.READ_ONLY,
    },
    "NetworkTarget": lambda: {"host": "example.test", "protocol": "https", "port": 443},
    "NetworkDecisionEvent": lambda: {
        "call_id": "1",
        "turn_id": "1",
        "to": approvals.NetworkTarget(**GIVEN["NetworkTarget"]()),
        "allowed": True,
        "by": "policy",
    },
    "PatchBeginEvent": lambda: {"call_id": "1", "turn_id": "1", "paths": ("/a",)},
    "PatchEndEvent": lambda: {"call_id": "1", "turn_id": "1", "success": True},
    "ToolRouter": lambda: {"tool": approvals.ShellTool(**GIVEN["ShellTool"]())},
    "BrokenEvent": lambda: {"error": protocol.MessageError(**GIVEN["MessageError"]())},
    "MessageError": lambda: {"problem": protocol.ParseProblem.NOT_JSON, "message": "no JSON"},
    "MissedEvents": lambda: {"count": 1},
    "OutputLine": lambda: {"stream": "stdout", "line": b"x"},
    "SessionEvents": dict,
    "ToldEvent": lambda: {"message": protocol.PolicyPing(**GIVEN["PolicyPing"]())},
    "ToolEvent": lambda: {"message": protocol.ToolRequest(**GIVEN["ToolRequest"]())},
    "Abort": dict,
    "ApplyPatchApprovalRequestEvent": lambda: {**IDS, "changes": {"/a": approvals.FileChange(kind="add", content="x")}},
    "Approval": lambda: {"approved": True, "params": {}, "step": 1},
    "ApprovalContext": lambda: {"params": {}, "approval_mode": "yolo"},
    "ApprovalKey": lambda: {"text": "{}"},
    "ApprovalResolvedEvent": lambda: {"approval_id": "1", "turn_id": "1", "decision": approvals.Denied()},
    "ApprovalSession": lambda: {"emit": nothing},
    "ApprovalStore": dict,
    "Approved": dict,
    "ApprovedExecpolicyAmendment": lambda: {"proposed_execpolicy_amendment": amendment()},
    "ApprovedForSession": dict,
    "Arbiter": lambda: {"decider": decider(), "send": nothing, "abort": nothing},
    "ArbiterOptions": lambda: {"default_action": "deny"},
    "AskForApproval": lambda: {"kind": "untrusted"},
    "Asked": lambda: {"request": request()},
    "Attempt": lambda: {"sandbox": "read-only"},
    "AuditLog": lambda: {"path": "/tmp/audit.jsonl"},
    "Blocked": lambda: {"reason": "no"},
    "BlockingLoop": dict,
    "BlockingShell": lambda: {"loop": loop(), "session": session(), "tool": shell_tool()},
    "BubblewrapSandbox": lambda: {"protected": ("/srv/p/rules",)},
    "CorrectedError": lambda: {"feedback": "use make"},
    "Decision": lambda: {"given": "prompt"},
    "CommandPermissions": lambda: {
        "ruleset": permissions.ruleset_from_config({"bash": "ask"}, home=None), "cwd": "/srv/p"
    },
    "Denied": lambda: {"rejection": "no"},
    "DeniedError": lambda: {"rules": [permissions.PermissionRule("bash", "*", "deny")]},  # type: ignore[arg-type]  # what a caller without types passes
    "DeveloperMessage": lambda: {"text": "saved"},
    "DoomLoops": lambda: {"threshold": 3},
    "Evaluation": lambda: {"matches": ()},
    "ExecApprovalRequestEvent": lambda: {**IDS, "command": ["build"], "cwd": "/srv/p"},
    "ExecBeginEvent": lambda: {"call_id": "1", "turn_id": "1", "command": ["build"], "cwd": "/", "sandboxed": True},
    "ExecEndEvent": lambda: {"call_id": "1", "turn_id": "1", "exit_code": 0, "seconds": 0.1},
    "ExecPolicyAmendment": lambda: {"prefix": ["build"]},
    "ExecPolicyError": dict,
    "ExecRequest": lambda: {"command": ["build"], "approval_policy": "never", "sandbox_policy": "read-only"},
    "FileChange": lambda: {"kind": "add", "content": "x"},
    "Forbidden": lambda: {"reason": "no"},
    "GateRule": lambda: {"name": "deploy", "command": lambda argv: argv[:1] == ("deploy",)},
    "GranularSettings": lambda: {"sandbox_approval": True, "rules": True, "mcp_elicitations": False},
    "HeuristicsMatch": lambda: {"command": ("build",), "decision": "prompt"},
    "HostExecutable": lambda: {"name": "git", "paths": ["/usr/bin/git"]},
    "HostResolution": lambda: {"cwd": "/srv/p", "home": None},
    "HostSession": lambda: {"arbiter": arbiter},
    "InboxAsker": lambda: {"source": "serve", "cwd": "/srv/p"},
    "InboxReviewer": dict,
    "InvalidRuleError": lambda: {"message": "wrong"},
    "LayerOptions": lambda: {"cwd": "/srv/p", "texts": [source()]},
    "Loop": lambda: {"tool": "bash", "input": {}, "cycle": 1, "repeats": 3},
    "MemoryAudit": dict,
    "MessageBus": dict,
    "ModeApprover": lambda: {"judge": permissions.RulebookJudge(rulebook, ep.Situation("/srv/p")), "mode": "yolo"},
    "NeedsApproval": lambda: {"reason": "why"},
    "NetworkAmendment": lambda: {"host": "a.example", "action": "deny"},
    "NetworkRule": lambda: {"host": "A.example", "protocol": "https", "decision": "forbidden"},
    "Outcome": lambda: {"status": 0, "returncode": 0},
    "ParsedCommand": lambda: {"kind": "read", "cmd": "cat a"},
    "PatchRuntime": lambda: {"session": session()},
    "PatternGate": lambda: {"reader": permissions.ShellCommandReader()},
    "PermissionRefused": dict,
    "PermissionRequest": lambda: {"session_id": "s", "permission": "bash", "patterns": "rm -rf x"},
    "PermissionRule": lambda: {"permission": "bash", "pattern": "*", "action": "deny"},
    "Permissions": dict,
    "Answer": lambda: {"kind": "deny"},
    "ReviewerAsker": lambda: {"reviewer": approvals.TerminalReviewer(), "cwd": "/"},
    "ToolApprovalRequestEvent": lambda: {"tool": "t"},
    "Place": lambda: {"path": "my.rules", "line": 1},
    "Policy": lambda: {"rules": [ep.PrefixRule(["build"])]},
    "PolicyAbort": lambda: {**ENVELOPE, "reason": "over"},
    "PolicyAmender": lambda: {"manager": ep.PolicyManager(options())},
    "PolicyAnswer": lambda: {**ENVELOPE, "answer": "deny"},
    "PolicyDecider": lambda: {"shell": protocol.RulebookShellJudge(rulebook), "cwd": "/srv/p"},
    "PolicyDecision": lambda: {**ENVELOPE, "decision": "deny", "reason": "no"},
    "PolicyKeeper": lambda: {"manager": ep.PolicyManager(options()), "path": "/srv/my.rules", "cwd": "/srv/p"},
    "PolicyManager": lambda: {"options": options()},
    "PolicyPing": lambda: {**ENVELOPE, "capabilities": ["policy.decision.v1"]},
    "PrefixMatch": lambda: {"prefix": ("build",), "rule": ep.PrefixRule(["build"])},
    "PrefixPattern": lambda: {"first": "git", "rest": [["push", "pull"], "x"]},
    "PrefixRule": lambda: {"pattern": ["git", "push"], "decision": "prompt"},
    "Profile": lambda: {
        name: getattr(approvals.profile_named("default"), name) for name in approvals.Profile.__slots__
    },
    "QuestionContext": lambda: {
        "reason": None,
        "proposed_execpolicy_amendment": None,
        "attempt": approvals.Attempt(sandbox="read-only"),
    },
    "Reading": lambda: {"commands": [["build", None]]},
    "RejectedError": dict,
    "Replied": lambda: {"session_id": "s", "request_id": "1", "reply": "once"},
    "RiskAssessment": lambda: {"risk": permissions.Risk.HIGH},
    "RuleStoreError": dict,
    "Rulebook": lambda: {"statements": [ep.PrefixRule(["build"])]},
    "RulebookJudge": lambda: {"rulebook": rulebook, "situation": ep.Situation("/srv/p")},
    "RulebookShellJudge": lambda: {"rulebook": rulebook},
    "Ruling": lambda: {"decision": "forbidden", "reason": "no"},
    "RunOutcome": lambda: {"output": None, "attempt": approvals.Attempt(None), "asked": False},
    "RunnerSession": lambda: {"argv": ["agent"], "arbiter": arbiter},
    "SandboxDeniedError": lambda: {"output": None},
    "SandboxPolicy": lambda: {"mode": "workspace-write", "writable_roots": "/srv/q"},
    "SandboxUnavailableError": lambda: {"reason": "no bwrap"},
    "SessionOptions": dict,
    "SessionTools": dict,
    "ShellCommandReader": dict,
    "ShellEnvironmentPolicy": lambda: {"inherit": "core", "exclude": "*_URL"},
    "ShellRequest": lambda: {"call_id": "1", "turn": turn(), "exec": exec_request(), "timeout": 10.0, "env": {}},
    "ShellRuntime": lambda: {
        "session": session(), "sandbox": NoSandbox(), "profile": approvals.profile_named("default"), "rules": rulebook
    },
    "ShellTool": lambda: {
        "session": session(), "sandbox": NoSandbox(), "profile": approvals.profile_named("default"), "rules": rulebook
    },
    "ShellToolCallParams": lambda: {"command": ["build"]},
    "Situation": lambda: {"cwd": "/srv/p"},
    "Skip": dict,
    "Source": lambda: {"name": "my.rules", "text": RULES},
    "Span": lambda: {"start": 0, "end": 1},
    "TerminalAsker": lambda: {"show": nothing},
    "TerminalReviewer": dict,
    "TimedOut": dict,
    "TimedOutError": lambda: {"seconds": 1.0},
    "Tool": lambda: {"name": "q", "category": "ask"},
    "ToolApprovalResult": lambda: {"approved": False},
    "ToolCall": lambda: {"message_id": "m", "call_id": "c"},
    "ToolOrchestrator": lambda: {"profile": approvals.profile_named("default")},
    "ToolOutput": lambda: {"content": "", "success": True},
    "ToolProgress": lambda: {**ENVELOPE, "message": "x"},
    "ToolRejectedError": lambda: {"reason": "no"},
    "ToolRequest": lambda: {**ENVELOPE, "tool": "bash", "args": {"command": "build"}, "requires_policy": True},
    "ToolResult": lambda: {**ENVELOPE, "ok": True},
    "ToolUse": lambda: {"name": "bash", "params": {"command": "build"}},
    "Turn": lambda: {"turn_id": "1"},
    "TurnAbortedError": lambda: {"turn_id": "1"},
    "TerminalInteractionEvent": lambda: {"call_id": "1", "turn_id": "1", "session_id": 1, "stdin": "ls\n"},
    "TurnAbortedEvent": lambda: {"turn_id": "1"},
    "TurnContext": lambda: {
        "turn": turn(), "cwd": "/srv/p", "approval_policy": "untrusted", "sandbox_policy": "workspace-write"
    },
    "UsageError": dict,
    "WarningEvent": lambda: {"message": "x"},
    "Withdrawn": lambda: {"session_id": "s", "request_id": "1", "why": "timeout"},
    "WriteRule": lambda: {"paths": "./build/**", "decision": "forbidden"},
}  # fmt: skip
"""What each class is made of."""


def rule_file_error() -> ep.RuleFileError:
    try:
        ep.compile_source(ep.Source("my.rules", "prefix_rule(pattern=[])"))
    except ep.RuleFileError as error:
        return error
    raise AssertionError


MADE: dict[str, Callable[[], object]] = {
    "CommandVerdict": lambda: verdict().commands[0],
    "Compiled": lambda: ep.compile_source(source()),
    "Effect": lambda: explanation().effects[0],
    "Explanation": explanation,
    "RuleFileError": rule_file_error,
    "Snapshot": snapshot,
    "Verdict": verdict,
}
"""What is only ever an answer, and the public call that gives it. ``Amendment`` is one that writes a file."""

PORTS = {
    "Amender", "Asker", "Assessor", "AuditSink", "Clock", "CommandJudge", "CommandReader", "CommandRules", "Decider",
    "EventSink", "GateUI", "Keeper", "Reviewer", "Sandbox", "ShellJudge", "ToolRuntime",
}  # fmt: skip
"""What a host brings: protocols, of which any class with these methods is one."""
