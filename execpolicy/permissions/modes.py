"""Approval modes: the six steps from a tool call to an approval, and a message bus for requests inside a host.

Sources: seed 001, "approval modes", "approval flow", "session context through the MessageBus" and "backward
compatibility". The seed contradicts itself: step 1 approves everything in ``yolo``, yet high-risk commands are
excluded, and banned ones are always denied. This module takes the safe reading:

- A high-risk command always goes to step 6.
- A banned command is denied before step 1.
- A question to the user is always asked (step 6), in every mode and for every tool and session list.

The message bus carries requests by name, for approvals of agents that run as a sub-task of another agent.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias

from execpolicy.errors import UsageError
from execpolicy.permissions.audit import AuditSink
from execpolicy.permissions.request import CommandJudge, Risk, RiskAssessment, is_command
from execpolicy.permissions.service import APPROVER_FAILED, NOBODY_TO_ASK, ToolApprovalResult, read_answer
from execpolicy.permissions.tool_use import (
    TOOLS,
    ApprovalContext,
    ApprovalMode,
    SessionTools,
    Tool,
    ToolCategory,
    ToolUse,
)
from execpolicy.validators import Checked, function, instance, mapping, optional, port, seconds, text

Handler: TypeAlias = Callable[..., Any]

TOOL_APPROVAL = "toolApproval"


class MessageBus:
    """One handler for each name; a handler may be a plain function or a coroutine function."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    def register_handler(self, name: str, handler: Handler) -> None:
        """Registers ``handler`` for requests called ``name`` and replaces the previous handler.

        A handler takes the payload's fields as keyword arguments (``tool_use``, ``category``, ``session_id``). It
        receives only the fields that it has parameters for, so handlers older than ``session_id`` still work; one with
        ``**fields`` gets all.
        """
        self._handlers[text(name, "a handler's name")] = function(handler, "a handler")

    def remove_handler(self, name: str) -> None:
        """Removes the handler for requests called ``name``."""
        self._handlers.pop(name, None)

    def handles(self, name: str) -> bool:
        """True if there is a handler for requests called ``name``."""
        return name in self._handlers

    async def request(self, name: str, **payload: Any) -> Any:
        """The handler's answer.

        Raises:
            UsageError: there is no handler for requests called ``name``.
        """
        handler = self._handlers.get(name)
        if handler is None:
            raise UsageError(f"no handler is registered for `{name}`")
        result = handler(**_accepted(handler, payload))
        return await result if inspect.isawaitable(result) else result


def _accepted(handler: Handler, payload: dict[str, Any]) -> dict[str, Any]:
    """The part of ``payload`` that ``handler`` has parameters for."""
    try:
        parameters = inspect.signature(handler).parameters.values()
    except (TypeError, ValueError):  # a builtin without a signature
        return payload
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return payload
    named = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    return {name: value for name, value in payload.items() if name in named}


ApprovalCallback: TypeAlias = Callable[[ToolUse], Any]
"""A function that takes a copy of the call and returns (or awaits) a bool or ``{approved, params?, deny_reason?}``."""

_ASKING = 6
"""The number of the last step."""
EDIT_ROUNDS = 3
"""The maximum number of times that an approver may change the parameters of one call into a high-risk call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval(Checked):
    """The outcome for one tool call.

    Attributes:
        params: the parameters to run the tool with, exactly as given here; the approver may have changed them.
        deny_reason: the reason for a refusal; set exactly if the call is not approved.
        step: the number of the step that decided (1 to 6); 0 for a banned command.
        asked: true if an approver was asked.
    """

    approved: bool
    params: Mapping[str, Any]
    deny_reason: str | None = None
    step: int
    asked: bool = False

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        if self.approved is (self.deny_reason is not None):
            raise UsageError("Approval: `deny_reason` is set exactly when it was not approved")
        if self.step > _ASKING:
            raise UsageError(f"Approval: there is no step {self.step}")


class ModeApprover:
    """Decides about tool calls of one engine, for any number of sessions at once.

    Args:
        judge: reads shell commands and assesses their risk.
        tools: the category of each tool.
        session_tools: the tools that each session runs without asking.
        on_tool_approve: asked in step 6; takes precedence over ``bus``.
        bus: asked in step 6 through its ``toolApproval`` handler.
        audit: receives every outcome. If it cannot store the outcome, the call is denied.
        timeout_s: the time limit of step 6 in seconds; ``None`` for no limit.
    """

    def __init__(
        self,
        *,
        judge: CommandJudge,
        mode: ApprovalMode | str = ApprovalMode.DEFAULT,
        tools: Mapping[str, Tool] = TOOLS,
        session_tools: SessionTools | None = None,
        on_tool_approve: ApprovalCallback | None = None,
        bus: MessageBus | None = None,
        audit: AuditSink | None = None,
        timeout_s: float | None = None,
    ) -> None:
        self._mode = ApprovalMode(mode)
        self.session_tools = session_tools if session_tools is not None else SessionTools()
        optional(instance(SessionTools))(session_tools, "ModeApprover: `session_tools`")
        optional(function)(on_tool_approve, "ModeApprover: `on_tool_approve`")
        optional(instance(MessageBus))(bus, "ModeApprover: `bus`")
        optional(seconds)(timeout_s, "ModeApprover: `timeout_s`")
        for tool in mapping(tools, "ModeApprover: `tools`").values():
            instance(Tool)(tool, "ModeApprover: `tools`")
        self._judge = port("assess")(judge, "ModeApprover: `judge`")
        self._tools = tools
        self._on_tool_approve = on_tool_approve
        self._bus = bus
        self._audit = optional(port("write"))(audit, "ModeApprover: `audit`")
        self._timeout_s = timeout_s

    @property
    def mode(self) -> ApprovalMode:
        """The level of trust in the session. It may be set to a mode or its word, and applies from the next call."""
        return self._mode

    @mode.setter
    def mode(self, mode: ApprovalMode | str) -> None:
        self._mode = ApprovalMode(mode)

    async def approve(self, use: ToolUse, *, session_id: str = "") -> Approval:
        """Decides if the call may run, and with which parameters. Errors of judge, tool or approver are not raised."""
        started = time.monotonic()
        instance(ToolUse)(use, "what is to be approved")
        use = _own_copy(use)
        approval = await self._decide(use, session_id)
        if self._audit is not None:
            tool = self._tool(use.name)
            entry = {
                "session_id": session_id,
                "tool": use.name,
                "call_id": use.call_id,
                "category": tool.category and tool.category.value,
                "mode": self.mode.value,
                "params": use.params,
                "approved": approval.approved,
                "step": approval.step,
                "by": "user" if approval.asked else "policy",
                "reason": approval.deny_reason,
                "edited": approval.params if approval.approved and approval.params != use.params else None,
                "duration_ms": round((time.monotonic() - started) * 1000, 3),
            }
            try:
                self._audit.write(entry)
            except Exception:
                return _denied(use, "the decision could not be written to the audit log", approval.step)
        return approval

    def approve_sync(self, use: ToolUse, *, session_id: str = "") -> Approval:
        """Runs :meth:`approve` for callers without an event loop."""
        return asyncio.run(self.approve(use, session_id=session_id))

    async def _decide(self, use: ToolUse, session_id: str) -> Approval:
        tool = self._tool(use.name)
        assessed = self._assess(tool, use.params)
        if assessed.risk is Risk.BANNED:
            return _denied(use, assessed.reason or "this command is forbidden", 0)
        if assessed.risk is Risk.ORDINARY and tool.category is not ToolCategory.ASK:
            step = await self._step_that_approves(tool, use, session_id)
            if step is not None:
                return Approval(approved=True, params=use.params, step=step)
        return await self._ask(tool, use, session_id)

    async def _step_that_approves(self, tool: Tool, use: ToolUse, session_id: str) -> int | None:
        """The step from 1 to 5 that approves an ordinary call without asking; ``None`` if there is none."""
        if self.mode is ApprovalMode.YOLO and tool.category is not None:
            return 1
        if tool.category is ToolCategory.READ:
            return 2
        if await self._tool_says_no_need(tool, use):
            return 3
        if tool.category is ToolCategory.WRITE and self.mode is ApprovalMode.AUTO_EDIT:
            return 4
        if self.session_tools.holds(session_id, tool.name):
            return 5
        return None

    async def _tool_says_no_need(self, tool: Tool, use: ToolUse) -> bool:
        if tool.needs_approval is None:
            return False
        try:
            said = tool.needs_approval(ApprovalContext(deepcopy(use.params), self.mode))
            return (await said if inspect.isawaitable(said) else said) is False
        except Exception:  # a tool that fails to answer needs approval
            return False

    async def _ask(self, tool: Tool, use: ToolUse, session_id: str) -> Approval:
        """Asks the approver (step 6).

        Edited parameters are judged again: a banned call is denied, and a high-risk one goes back to the approver.
        """
        for _ in range(EDIT_ROUNDS):
            answer = await self._answer(tool, use, session_id)
            if not answer.approved:
                return _denied(use, answer.deny_reason, _ASKING, asked=answer.deny_reason != NOBODY_TO_ASK)
            if answer.params is None or answer.params == use.params:
                return Approval(approved=True, params=use.params, step=_ASKING, asked=True)
            use = _own_copy(ToolUse(name=use.name, params=answer.params, call_id=use.call_id))
            assessed = self._assess(tool, use.params)
            if assessed.risk is Risk.BANNED:
                return _denied(use, assessed.reason or "this command is forbidden", _ASKING, asked=True)
            if assessed.risk is Risk.ORDINARY:
                return Approval(approved=True, params=use.params, step=_ASKING, asked=True)
        return _denied(use, "the approver kept changing the call into a high-risk one", _ASKING, asked=True)

    async def _answer(self, tool: Tool, use: ToolUse, session_id: str) -> ToolApprovalResult:
        """The approver's answer within the time limit."""
        started = time.monotonic()
        shown = _own_copy(use)  # changes that the approver makes to its copy have no effect here
        try:
            async with asyncio.timeout(self._timeout_s):
                if self._on_tool_approve is not None:
                    given = self._on_tool_approve(shown)
                    given = await given if inspect.isawaitable(given) else given
                elif self._bus is not None and self._bus.handles(TOOL_APPROVAL):
                    category = tool.category and tool.category.value
                    fields = {"tool_use": shown, "category": category, "session_id": session_id}
                    given = await self._bus.request(TOOL_APPROVAL, **fields)
                else:
                    return ToolApprovalResult(approved=False, deny_reason=NOBODY_TO_ASK)
            # a plain callback blocks the event loop and thereby the timeout
            if self._timeout_s is not None and time.monotonic() - started >= self._timeout_s:
                return ToolApprovalResult(approved=False, deny_reason=_TOO_LATE)
            return read_answer(given)
        except TimeoutError:
            return ToolApprovalResult(approved=False, deny_reason=_TOO_LATE)
        except Exception as error:
            reason = f"{APPROVER_FAILED}: {error}" if str(error) else APPROVER_FAILED
            return ToolApprovalResult(approved=False, deny_reason=reason)

    def _tool(self, name: str) -> Tool:
        return self._tools.get(name) or Tool(name, None)

    def _assess(self, tool: Tool, params: Mapping[str, Any]) -> RiskAssessment:
        if tool.command_param is None:
            return RiskAssessment(Risk.ORDINARY)
        command = params.get(tool.command_param)
        if not is_command(command):
            return RiskAssessment(Risk.HIGH, f"`{tool.command_param}` is not a command")
        try:
            assessed: RiskAssessment = instance(RiskAssessment)(self._judge.assess(command), "an assessment")
            return assessed
        except Exception as error:  # a command that cannot be judged is not ordinary
            return RiskAssessment(Risk.HIGH, f"the command could not be judged: {error}")


_TOO_LATE = "no one answered in time"


def _own_copy(use: ToolUse) -> ToolUse:
    return ToolUse(name=use.name, params=deepcopy(dict(use.params)), call_id=use.call_id)


def _denied(use: ToolUse, reason: str | None, step: int, *, asked: bool = False) -> Approval:
    return Approval(approved=False, params=use.params, deny_reason=reason or APPROVER_FAILED, step=step, asked=asked)
