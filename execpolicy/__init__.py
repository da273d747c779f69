"""Decide whether a coding agent may run a command.

Every public name is listed here and is imported when it is first used: a check must not pay for what it does not need.
Everything that is not listed may change freely.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.approvals.approval_session import ApprovalSession
    from execpolicy.approvals.approval_store import ApprovalStore, with_cached_approval
    from execpolicy.approvals.ask import AskForApproval
    from execpolicy.approvals.blocking import BlockingShell
    from execpolicy.approvals.events import ApplyPatchApprovalRequestEvent, ExecApprovalRequestEvent
    from execpolicy.approvals.exec_command import decide_exec_command
    from execpolicy.approvals.exec_request import ExecRequest
    from execpolicy.approvals.orchestrator import ToolOrchestrator, default_exec_approval_requirement
    from execpolicy.approvals.requirement import ExecPolicyAmendment, Forbidden, NeedsApproval, Skip
    from execpolicy.approvals.review import Abort, Approved, ApprovedForSession, ApprovedWithAmendment, Denied, TimedOut
    from execpolicy.approvals.sandboxing import SandboxPermissions, SandboxPolicy
    from execpolicy.approvals.shell_tool import ShellTool
    from execpolicy.codex.profiles import profile_named
    from execpolicy.core.decision import Decision
    from execpolicy.core.matches import Evaluation, HeuristicsMatch, PrefixMatch
    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.core.policy import HostResolution, Policy
    from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
    from execpolicy.core.writes import WriteRule
    from execpolicy.errors import ExecPolicyError, InvalidRuleError, RuleFileError, RuleStoreError, UsageError
    from execpolicy.judge.check import check, check_multiple
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.judge.verdict import CommandVerdict, Verdict
    from execpolicy.lang.compile import Compiled, compile_source, compile_sources
    from execpolicy.layers.layer_options import LayerOptions
    from execpolicy.layers.load import load_layers
    from execpolicy.manager import Amendment, PolicyManager, Snapshot
    from execpolicy.permissions.audit import AuditLog
    from execpolicy.permissions.bus import MessageBus
    from execpolicy.permissions.doom_loop import DoomLoops
    from execpolicy.permissions.gate import PatternGate
    from execpolicy.permissions.modes import ModeApprover
    from execpolicy.permissions.refusals import CorrectedError, DeniedError, RejectedError
    from execpolicy.permissions.request import PermissionRequest, Reply, ToolCall
    from execpolicy.permissions.ruleset import PermissionRule, disabled, evaluate, ruleset_from_config
    from execpolicy.permissions.service import Permissions
    from execpolicy.protocol.arbiter import Arbiter
    from execpolicy.protocol.arbiter_options import ArbiterOptions
    from execpolicy.protocol.policy_decider import PolicyDecider
    from execpolicy.protocol.serve import HostSession
    from execpolicy.protocol.session import RunnerSession, SessionOptions
    from execpolicy.shell.read import read_script
    from execpolicy.source import Place, Source, Span

_HOMES = {
    "Abort": "approvals.review",
    "Amendment": "manager",
    "ApplyPatchApprovalRequestEvent": "approvals.events",
    "ApprovalSession": "approvals.approval_session",
    "ApprovalStore": "approvals.approval_store",
    "Approved": "approvals.review",
    "ApprovedForSession": "approvals.review",
    "ApprovedWithAmendment": "approvals.review",
    "Arbiter": "protocol.arbiter",
    "ArbiterOptions": "protocol.arbiter_options",
    "AskForApproval": "approvals.ask",
    "AuditLog": "permissions.audit",
    "BlockingShell": "approvals.blocking",
    "CommandVerdict": "judge.verdict",
    "Compiled": "lang.compile",
    "CorrectedError": "permissions.refusals",
    "Decision": "core.decision",
    "Denied": "approvals.review",
    "DeniedError": "permissions.refusals",
    "DoomLoops": "permissions.doom_loop",
    "Evaluation": "core.matches",
    "ExecApprovalRequestEvent": "approvals.events",
    "ExecPolicyAmendment": "approvals.requirement",
    "ExecPolicyError": "errors",
    "ExecRequest": "approvals.exec_request",
    "Forbidden": "approvals.requirement",
    "HeuristicsMatch": "core.matches",
    "HostExecutable": "core.rules",
    "HostResolution": "core.policy",
    "HostSession": "protocol.serve",
    "InvalidRuleError": "errors",
    "LayerOptions": "layers.layer_options",
    "MessageBus": "permissions.bus",
    "ModeApprover": "permissions.modes",
    "NeedsApproval": "approvals.requirement",
    "NetworkRule": "core.rules",
    "PatternGate": "permissions.gate",
    "PermissionRequest": "permissions.request",
    "PermissionRule": "permissions.ruleset",
    "Permissions": "permissions.service",
    "Place": "source",
    "Policy": "core.policy",
    "PolicyDecider": "protocol.policy_decider",
    "PolicyManager": "manager",
    "PrefixMatch": "core.matches",
    "PrefixPattern": "core.pattern",
    "PrefixRule": "core.rules",
    "RejectedError": "permissions.refusals",
    "Reply": "permissions.request",
    "RuleFileError": "errors",
    "RuleStoreError": "errors",
    "Rulebook": "judge.rulebook",
    "RunnerSession": "protocol.session",
    "SandboxPermissions": "approvals.sandboxing",
    "SandboxPolicy": "approvals.sandboxing",
    "SessionOptions": "protocol.session",
    "ShellTool": "approvals.shell_tool",
    "Situation": "judge.situation",
    "Skip": "approvals.requirement",
    "Snapshot": "manager",
    "Source": "source",
    "Span": "source",
    "TimedOut": "approvals.review",
    "ToolCall": "permissions.request",
    "ToolOrchestrator": "approvals.orchestrator",
    "UsageError": "errors",
    "Verdict": "judge.verdict",
    "WriteRule": "core.writes",
    "check": "judge.check",
    "check_multiple": "judge.check",
    "compile_source": "lang.compile",
    "compile_sources": "lang.compile",
    "decide_exec_command": "approvals.exec_command",
    "default_exec_approval_requirement": "approvals.orchestrator",
    "disabled": "permissions.ruleset",
    "evaluate": "permissions.ruleset",
    "load_layers": "layers.load",
    "profile_named": "codex.profiles",
    "read_script": "shell.read",
    "ruleset_from_config": "permissions.ruleset",
    "with_cached_approval": "approvals.approval_store",
}

__all__ = [
    "Abort",
    "Amendment",
    "ApplyPatchApprovalRequestEvent",
    "ApprovalSession",
    "ApprovalStore",
    "Approved",
    "ApprovedForSession",
    "ApprovedWithAmendment",
    "Arbiter",
    "ArbiterOptions",
    "AskForApproval",
    "AuditLog",
    "BlockingShell",
    "CommandVerdict",
    "Compiled",
    "CorrectedError",
    "Decision",
    "Denied",
    "DeniedError",
    "DoomLoops",
    "Evaluation",
    "ExecApprovalRequestEvent",
    "ExecPolicyAmendment",
    "ExecPolicyError",
    "ExecRequest",
    "Forbidden",
    "HeuristicsMatch",
    "HostExecutable",
    "HostResolution",
    "HostSession",
    "InvalidRuleError",
    "LayerOptions",
    "MessageBus",
    "ModeApprover",
    "NeedsApproval",
    "NetworkRule",
    "PatternGate",
    "PermissionRequest",
    "PermissionRule",
    "Permissions",
    "Place",
    "Policy",
    "PolicyDecider",
    "PolicyManager",
    "PrefixMatch",
    "PrefixPattern",
    "PrefixRule",
    "RejectedError",
    "Reply",
    "RuleFileError",
    "RuleStoreError",
    "Rulebook",
    "RunnerSession",
    "SandboxPermissions",
    "SandboxPolicy",
    "SessionOptions",
    "ShellTool",
    "Situation",
    "Skip",
    "Snapshot",
    "Source",
    "Span",
    "TimedOut",
    "ToolCall",
    "ToolOrchestrator",
    "UsageError",
    "Verdict",
    "WriteRule",
    "check",
    "check_multiple",
    "compile_source",
    "compile_sources",
    "decide_exec_command",
    "default_exec_approval_requirement",
    "disabled",
    "evaluate",
    "load_layers",
    "profile_named",
    "read_script",
    "ruleset_from_config",
    "with_cached_approval",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'execpolicy' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"execpolicy.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
