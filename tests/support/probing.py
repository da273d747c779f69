"""What the probes of ``tests/data/probes.jsonl`` may say beside ``ep``: short forms of what the pages show."""

from __future__ import annotations

import asyncio
from typing import Any

import execpolicy as ep
from execpolicy import approvals, permissions, protocol

CWD = "/srv/project"
RULES = """
prefix_rule(pattern=["make"], decision="allow")
prefix_rule(pattern=["git", "push"], decision="prompt", justification="the team looks at it first")
prefix_rule(pattern=["deploy"], decision="forbidden", justification="only the release team deploys")
"""


def book(text: str = RULES) -> ep.Rulebook:
    """The built-in layer and ``text``."""
    built_in = ep.load_layers(ep.LayerOptions.of_process({}, cwd="/", system_folder=None, files=()))
    return ep.Rulebook([*built_in.statements, *ep.compile_source(ep.Source("my.rules", text)).statements])


BOOK = book()


def rules(section: Any) -> permissions.Ruleset:
    """A section as a ruleset."""
    return permissions.ruleset_from_config(section, home="/home/me")


def perm(section: Any, permission: str, pattern: str) -> str:
    """What the section says: allow, ask or deny."""
    return permissions.evaluate(permission, pattern, rules(section)).action.value


def off(section: Any, *tools: str) -> list[str]:
    """Which of the tools need not be offered."""
    return sorted(permissions.disabled(list(tools), rules(section)))


def tool(section: Any, name: str, **args: Any) -> str:
    """What an arbiter with these permission rules says about a call: allow, ask or deny."""
    decider = protocol.PolicyDecider(protocol.RulebookShellJudge(lambda: BOOK), cwd=CWD, ruleset=rules(section))
    asked = protocol.ToolRequest(id="t", ts=0, tool=name, args=args, requires_policy=True)
    return permissions.Action.of(decider.decide(asked).decision).value


def mode(word: str, name: str, /, approve: Any = None, **params: Any) -> list[Any]:
    """``[approved, step]`` of a call in a mode."""
    judge = permissions.RulebookJudge(lambda: BOOK, ep.Situation(CWD))
    approver = permissions.ModeApprover(judge=judge, mode=word, on_tool_approve=approve)
    found = approver.approve_sync(permissions.ToolUse(name=name, params=params, call_id="1"))
    return [found.approved, found.step]


def gate(command: str, **options: Any) -> str | None:
    """The name of the rule of the gate that blocks the command."""
    found = permissions.PatternGate(reader=permissions.ShellCommandReader(), **options).tool_call_sync(
        "bash", {"command": command}
    )
    return None if found is None else found.rule


def need(policy: str, sandbox: str, command: str, **more: Any) -> str:
    """What must happen before a command runs."""
    request = approvals.ExecRequest(
        command=tuple(command.split()), approval_policy=policy, sandbox_policy=sandbox, cwd=CWD, **more
    )  # type: ignore[arg-type]  # words stand for what they spell
    return type(approvals.decide_exec_command(request, BOOK, profile=approvals.profile_named("default"))).__name__


def wire(*calls: Any, default: str = "deny", section: Any = None) -> list[str]:
    """What an arbiter says to calls ``(id, tool, args)`` and results ``(id, ok)``, and whether it ends the session."""
    said: list[str] = []
    arbiter = protocol.Arbiter(
        protocol.PolicyDecider(protocol.RulebookShellJudge(lambda: BOOK), cwd=CWD, ruleset=rules(section or {})),
        send=lambda message: said.append(f"{message.id} {message.decision}"),  # type: ignore[union-attr]  # only decisions are sent
        abort=lambda code, reason: said.append(f"abort {code}"),
        options=protocol.ArbiterOptions(default_action=default),
    )
    for call in calls:
        if len(call) == 2:
            arbiter.receive(protocol.ToolResult(id=call[0], ts=0, ok=call[1]))
        else:
            arbiter.receive(protocol.ToolRequest(id=call[0], ts=0, tool=call[1], args=call[2], requires_policy=True))
    return said


def cached(*rounds: list[str], answer: Any = "approved_for_session") -> int:
    """How often somebody is asked about rounds of keys."""
    store, asked = approvals.ApprovalStore(), []

    async def fetch() -> Any:
        asked.append(1)
        return answer

    async def work() -> None:
        for keys in rounds:
            await approvals.with_cached_approval(store, approvals.patch_keys(keys), fetch)

    asyncio.run(work())
    return len(asked)


def refused(make: Any) -> bool:
    """Whether a wrong value is an error of ours."""
    try:
        make()
    except ep.ExecPolicyError:
        return True
    return False
