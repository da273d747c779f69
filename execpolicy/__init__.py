"""Decide whether a coding agent may run a command.

Every public name is listed here and is imported when it is first used: a check must not pay for what it does not need.
Everything that is not listed may change freely.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.approvals.approval_session import ApprovalSession, Turn
    from execpolicy.approvals.approval_store import (
        ApprovalKey,
        ApprovalStore,
        patch_keys,
        shell_keys,
        unified_exec_keys,
        with_cached_approval,
    )
    from execpolicy.approvals.ask import AskForApproval, AskKind, GranularSettings
    from execpolicy.approvals.blocking import BlockingLoop, BlockingShell
    from execpolicy.approvals.events import (
        ApplyPatchApprovalRequestEvent,
        ApprovalResolvedEvent,
        DeveloperMessage,
        ExecApprovalRequestEvent,
        ExecBeginEvent,
        ExecEndEvent,
        FileChange,
        NetworkTarget,
        PatchBeginEvent,
        PatchEndEvent,
        TurnAbortedEvent,
        WarningEvent,
    )
    from execpolicy.approvals.exec_command import (
        create_exec_approval_requirement_for_command,
        decide_exec_command,
        refuse_call,
    )
    from execpolicy.approvals.exec_request import ExecRequest
    from execpolicy.approvals.orchestrator import (
        Attempt,
        QuestionContext,
        RunOutcome,
        ToolOrchestrator,
        ToolRuntime,
        default_exec_approval_requirement,
    )
    from execpolicy.approvals.outcomes import (
        SandboxDeniedError,
        SandboxUnavailableError,
        ToolRejectedError,
        TurnAbortedError,
    )
    from execpolicy.approvals.parsed_command import ParsedCommand, parse_command
    from execpolicy.approvals.person.terminal_reviewer import TerminalReviewer
    from execpolicy.approvals.presets import PRESETS, ApprovalPreset
    from execpolicy.approvals.profile import Profile
    from execpolicy.approvals.requirement import (
        ExecApprovalRequirement,
        ExecPolicyAmendment,
        Forbidden,
        NeedsApproval,
        Skip,
    )
    from execpolicy.approvals.review import (
        Abort,
        Approved,
        ApprovedExecpolicyAmendment,
        ApprovedForSession,
        Denied,
        NetworkAmendment,
        ReviewDecision,
        TimedOut,
        decision_from_json,
        decision_to_json,
        is_approval,
    )
    from execpolicy.approvals.sandbox.bubblewrap import BubblewrapSandbox, Sandbox
    from execpolicy.approvals.sandbox.sandboxing import SandboxMode, SandboxPermissions, SandboxPolicy
    from execpolicy.approvals.tools.exec_env import ShellEnvironmentPolicy, create_env
    from execpolicy.approvals.tools.patch_runtime import PatchRuntime
    from execpolicy.approvals.tools.shell_arguments import DEFAULT_EXEC_COMMAND_TIMEOUT_MS, ShellToolCallParams
    from execpolicy.approvals.tools.shell_runtime import ShellRequest, ShellRuntime
    from execpolicy.approvals.tools.shell_tool import ShellTool
    from execpolicy.approvals.tools.tool_output import ToolOutput
    from execpolicy.approvals.tools.tool_router import ToolRouter
    from execpolicy.approvals.tools.tool_specs import ShellType, tool_specs
    from execpolicy.approvals.turn_context import TurnContext
    from execpolicy.codex.profiles import profile_named
    from execpolicy.core.decision import Decision
    from execpolicy.core.matches import Evaluation, HeuristicsMatch, PrefixMatch
    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.core.policy import HostResolution, Policy
    from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
    from execpolicy.core.writes import WriteRule
    from execpolicy.errors import ExecPolicyError, InvalidRuleError, RuleFileError, RuleStoreError, UsageError
    from execpolicy.inbox.inbox_asker import InboxAsker
    from execpolicy.inbox.inbox_reviewer import InboxReviewer
    from execpolicy.judge.check import check, check_multiple
    from execpolicy.judge.questions_of_safety import command_might_be_dangerous, is_known_safe_command
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.judge.verdict import CommandVerdict, Verdict
    from execpolicy.lang.compile import Compiled, compile_source, compile_sources
    from execpolicy.layers.layer_options import LayerOptions
    from execpolicy.layers.load import load_layers
    from execpolicy.manager import Amendment, PolicyAmender, PolicyManager, Snapshot
    from execpolicy.permissions.answers import ToolApprovalResult
    from execpolicy.permissions.audit import AuditLog, MemoryAudit
    from execpolicy.permissions.bus import MessageBus
    from execpolicy.permissions.doom_loop import DOOM_LOOP_THRESHOLD, DoomLoops, Loop
    from execpolicy.permissions.gate import Blocked, GateRule, PatternGate
    from execpolicy.permissions.judged import RulebookJudge, ShellCommandReader
    from execpolicy.permissions.modes import Approval, ApprovalCallback, ModeApprover
    from execpolicy.permissions.ports import Reading, Risk, RiskAssessment
    from execpolicy.permissions.refusals import (
        CorrectedError,
        DeniedError,
        PermissionRefused,
        RejectedError,
        TimedOutError,
    )
    from execpolicy.permissions.request import Asked, PermissionRequest, Replied, Reply, ToolCall, Withdrawn
    from execpolicy.permissions.ruleset import (
        AGENT_DEFAULTS,
        Action,
        PermissionRule,
        Ruleset,
        disabled,
        evaluate,
        expand_home,
        layered,
        merge,
        rules_from_json,
        ruleset_from_config,
    )
    from execpolicy.permissions.service import Permissions
    from execpolicy.permissions.shell_patterns import shell_patterns, shell_request
    from execpolicy.permissions.tool_names import EDIT_TOOLS
    from execpolicy.permissions.tool_use import (
        TOOLS,
        ApprovalContext,
        ApprovalMode,
        SessionTools,
        Tool,
        ToolCategory,
        ToolUse,
    )
    from execpolicy.permissions.wildcard import wildcard_match
    from execpolicy.protocol.arbiter import Arbiter
    from execpolicy.protocol.arbiter_options import ArbiterOptions
    from execpolicy.protocol.asking import PersonAnswer
    from execpolicy.protocol.codec import MessageError, ParseProblem
    from execpolicy.protocol.keeping import PolicyKeeper
    from execpolicy.protocol.messages import (
        AbortCode,
        Choice,
        DecisionWord,
        PolicyAbort,
        PolicyAnswer,
        PolicyDecision,
        PolicyPing,
        ToolProgress,
        ToolRequest,
        ToolResult,
    )
    from execpolicy.protocol.policy_decider import PolicyDecider, RulebookShellJudge
    from execpolicy.protocol.rulings import Ruling, Say
    from execpolicy.protocol.serve import HostSession
    from execpolicy.protocol.session import Outcome, RunnerSession, SessionOptions
    from execpolicy.protocol.session_events import (
        BrokenEvent,
        MissedEvents,
        OutputLine,
        SessionEvents,
        ToldEvent,
        ToolEvent,
    )
    from execpolicy.protocol.terminal import TerminalAsker
    from execpolicy.shell.read import read_script
    from execpolicy.source import Place, Source, Span

_HOMES = (
    (
        "approvals.approval_session",
        (
            "ApprovalSession",
            "Turn",
        ),
    ),
    (
        "approvals.approval_store",
        (
            "ApprovalKey",
            "ApprovalStore",
            "patch_keys",
            "shell_keys",
            "unified_exec_keys",
            "with_cached_approval",
        ),
    ),
    (
        "approvals.ask",
        (
            "AskForApproval",
            "AskKind",
            "GranularSettings",
        ),
    ),
    (
        "approvals.blocking",
        (
            "BlockingLoop",
            "BlockingShell",
        ),
    ),
    (
        "approvals.sandbox.bubblewrap",
        (
            "BubblewrapSandbox",
            "Sandbox",
        ),
    ),
    (
        "approvals.events",
        (
            "ApplyPatchApprovalRequestEvent",
            "ApprovalResolvedEvent",
            "DeveloperMessage",
            "ExecApprovalRequestEvent",
            "ExecBeginEvent",
            "ExecEndEvent",
            "FileChange",
            "NetworkTarget",
            "PatchBeginEvent",
            "PatchEndEvent",
            "TurnAbortedEvent",
            "WarningEvent",
        ),
    ),
    (
        "approvals.exec_command",
        (
            "create_exec_approval_requirement_for_command",
            "decide_exec_command",
            "refuse_call",
        ),
    ),
    (
        "approvals.tools.exec_env",
        (
            "ShellEnvironmentPolicy",
            "create_env",
        ),
    ),
    ("approvals.exec_request", ("ExecRequest",)),
    (
        "approvals.orchestrator",
        (
            "Attempt",
            "QuestionContext",
            "RunOutcome",
            "ToolOrchestrator",
            "ToolRuntime",
            "default_exec_approval_requirement",
        ),
    ),
    (
        "approvals.outcomes",
        (
            "SandboxDeniedError",
            "SandboxUnavailableError",
            "ToolRejectedError",
            "TurnAbortedError",
        ),
    ),
    (
        "approvals.parsed_command",
        (
            "ParsedCommand",
            "parse_command",
        ),
    ),
    ("approvals.tools.patch_runtime", ("PatchRuntime",)),
    ("approvals.presets", ("PRESETS", "ApprovalPreset")),
    ("approvals.profile", ("Profile",)),
    (
        "approvals.requirement",
        (
            "ExecApprovalRequirement",
            "ExecPolicyAmendment",
            "Forbidden",
            "NeedsApproval",
            "Skip",
        ),
    ),
    (
        "approvals.review",
        (
            "Abort",
            "Approved",
            "ApprovedExecpolicyAmendment",
            "ApprovedForSession",
            "Denied",
            "NetworkAmendment",
            "ReviewDecision",
            "TimedOut",
            "decision_from_json",
            "decision_to_json",
            "is_approval",
        ),
    ),
    (
        "approvals.sandbox.sandboxing",
        (
            "SandboxMode",
            "SandboxPermissions",
            "SandboxPolicy",
        ),
    ),
    (
        "approvals.tools.shell_arguments",
        (
            "DEFAULT_EXEC_COMMAND_TIMEOUT_MS",
            "ShellToolCallParams",
        ),
    ),
    (
        "approvals.tools.shell_runtime",
        (
            "ShellRequest",
            "ShellRuntime",
        ),
    ),
    ("approvals.tools.shell_tool", ("ShellTool",)),
    ("approvals.person.terminal_reviewer", ("TerminalReviewer",)),
    ("approvals.tools.tool_output", ("ToolOutput",)),
    ("approvals.tools.tool_router", ("ToolRouter",)),
    ("approvals.tools.tool_specs", ("ShellType", "tool_specs")),
    ("approvals.turn_context", ("TurnContext",)),
    ("codex.profiles", ("profile_named",)),
    ("core.decision", ("Decision",)),
    (
        "core.matches",
        (
            "Evaluation",
            "HeuristicsMatch",
            "PrefixMatch",
        ),
    ),
    ("core.pattern", ("PrefixPattern",)),
    (
        "core.policy",
        (
            "HostResolution",
            "Policy",
        ),
    ),
    (
        "core.rules",
        (
            "HostExecutable",
            "NetworkRule",
            "PrefixRule",
        ),
    ),
    ("core.writes", ("WriteRule",)),
    (
        "errors",
        (
            "ExecPolicyError",
            "InvalidRuleError",
            "RuleFileError",
            "RuleStoreError",
            "UsageError",
        ),
    ),
    ("inbox.inbox_asker", ("InboxAsker",)),
    ("inbox.inbox_reviewer", ("InboxReviewer",)),
    (
        "judge.check",
        (
            "check",
            "check_multiple",
        ),
    ),
    (
        "judge.questions_of_safety",
        (
            "command_might_be_dangerous",
            "is_known_safe_command",
        ),
    ),
    ("judge.rulebook", ("Rulebook",)),
    ("judge.situation", ("Situation",)),
    (
        "judge.verdict",
        (
            "CommandVerdict",
            "Verdict",
        ),
    ),
    (
        "lang.compile",
        (
            "Compiled",
            "compile_source",
            "compile_sources",
        ),
    ),
    ("layers.layer_options", ("LayerOptions",)),
    ("layers.load", ("load_layers",)),
    (
        "manager",
        (
            "Amendment",
            "PolicyAmender",
            "PolicyManager",
            "Snapshot",
        ),
    ),
    ("permissions.answers", ("ToolApprovalResult",)),
    (
        "permissions.audit",
        (
            "AuditLog",
            "MemoryAudit",
        ),
    ),
    ("permissions.bus", ("MessageBus",)),
    (
        "permissions.doom_loop",
        (
            "DOOM_LOOP_THRESHOLD",
            "DoomLoops",
            "Loop",
        ),
    ),
    (
        "permissions.gate",
        (
            "Blocked",
            "GateRule",
            "PatternGate",
        ),
    ),
    (
        "permissions.judged",
        (
            "RulebookJudge",
            "ShellCommandReader",
        ),
    ),
    (
        "permissions.modes",
        (
            "Approval",
            "ApprovalCallback",
            "ModeApprover",
        ),
    ),
    (
        "permissions.ports",
        (
            "Reading",
            "Risk",
            "RiskAssessment",
        ),
    ),
    (
        "permissions.refusals",
        (
            "CorrectedError",
            "DeniedError",
            "PermissionRefused",
            "RejectedError",
            "TimedOutError",
        ),
    ),
    (
        "permissions.request",
        (
            "Asked",
            "PermissionRequest",
            "Replied",
            "Reply",
            "ToolCall",
            "Withdrawn",
        ),
    ),
    (
        "permissions.ruleset",
        (
            "AGENT_DEFAULTS",
            "Action",
            "PermissionRule",
            "Ruleset",
            "disabled",
            "evaluate",
            "expand_home",
            "layered",
            "merge",
            "rules_from_json",
            "ruleset_from_config",
        ),
    ),
    ("permissions.service", ("Permissions",)),
    (
        "permissions.shell_patterns",
        (
            "shell_patterns",
            "shell_request",
        ),
    ),
    ("permissions.tool_names", ("EDIT_TOOLS",)),
    (
        "permissions.tool_use",
        (
            "ApprovalContext",
            "ApprovalMode",
            "SessionTools",
            "TOOLS",
            "Tool",
            "ToolCategory",
            "ToolUse",
        ),
    ),
    ("permissions.wildcard", ("wildcard_match",)),
    ("protocol.arbiter", ("Arbiter",)),
    ("protocol.arbiter_options", ("ArbiterOptions",)),
    ("protocol.asking", ("PersonAnswer",)),
    ("protocol.codec", ("MessageError", "ParseProblem")),
    ("protocol.keeping", ("PolicyKeeper",)),
    (
        "protocol.messages",
        (
            "AbortCode",
            "DecisionWord",
            "Choice",
            "PolicyAbort",
            "PolicyAnswer",
            "PolicyDecision",
            "PolicyPing",
            "ToolProgress",
            "ToolRequest",
            "ToolResult",
        ),
    ),
    (
        "protocol.policy_decider",
        (
            "PolicyDecider",
            "RulebookShellJudge",
        ),
    ),
    (
        "protocol.rulings",
        (
            "Ruling",
            "Say",
        ),
    ),
    ("protocol.serve", ("HostSession",)),
    (
        "protocol.session",
        (
            "Outcome",
            "RunnerSession",
            "SessionOptions",
        ),
    ),
    (
        "protocol.session_events",
        ("BrokenEvent", "MissedEvents", "OutputLine", "SessionEvents", "ToldEvent", "ToolEvent"),
    ),
    ("protocol.terminal", ("TerminalAsker",)),
    ("shell.read", ("read_script",)),
    (
        "source",
        (
            "Place",
            "Source",
            "Span",
        ),
    ),
)
"""Modules and the public names in them: a constant, since every check loads this file."""

__all__ = [
    "AGENT_DEFAULTS",
    "DEFAULT_EXEC_COMMAND_TIMEOUT_MS",
    "DOOM_LOOP_THRESHOLD",
    "EDIT_TOOLS",
    "PRESETS",
    "TOOLS",
    "Abort",
    "AbortCode",
    "Action",
    "Amendment",
    "ApplyPatchApprovalRequestEvent",
    "Approval",
    "ApprovalCallback",
    "ApprovalContext",
    "ApprovalKey",
    "ApprovalMode",
    "ApprovalPreset",
    "ApprovalResolvedEvent",
    "ApprovalSession",
    "ApprovalStore",
    "Approved",
    "ApprovedExecpolicyAmendment",
    "ApprovedForSession",
    "Arbiter",
    "ArbiterOptions",
    "AskForApproval",
    "AskKind",
    "Asked",
    "Attempt",
    "AuditLog",
    "Blocked",
    "BlockingLoop",
    "BlockingShell",
    "BrokenEvent",
    "BubblewrapSandbox",
    "Choice",
    "CommandVerdict",
    "Compiled",
    "CorrectedError",
    "Decision",
    "DecisionWord",
    "Denied",
    "DeniedError",
    "DeveloperMessage",
    "DoomLoops",
    "Evaluation",
    "ExecApprovalRequestEvent",
    "ExecApprovalRequirement",
    "ExecBeginEvent",
    "ExecEndEvent",
    "ExecPolicyAmendment",
    "ExecPolicyError",
    "ExecRequest",
    "FileChange",
    "Forbidden",
    "GateRule",
    "GranularSettings",
    "HeuristicsMatch",
    "HostExecutable",
    "HostResolution",
    "HostSession",
    "InboxAsker",
    "InboxReviewer",
    "InvalidRuleError",
    "LayerOptions",
    "Loop",
    "MemoryAudit",
    "MessageBus",
    "MessageError",
    "MissedEvents",
    "ModeApprover",
    "NeedsApproval",
    "NetworkAmendment",
    "NetworkRule",
    "NetworkTarget",
    "Outcome",
    "OutputLine",
    "ParseProblem",
    "ParsedCommand",
    "PatchBeginEvent",
    "PatchEndEvent",
    "PatchRuntime",
    "PatternGate",
    "PermissionRefused",
    "PermissionRequest",
    "PermissionRule",
    "Permissions",
    "PersonAnswer",
    "Place",
    "Policy",
    "PolicyAbort",
    "PolicyAmender",
    "PolicyAnswer",
    "PolicyDecider",
    "PolicyDecision",
    "PolicyKeeper",
    "PolicyManager",
    "PolicyPing",
    "PrefixMatch",
    "PrefixPattern",
    "PrefixRule",
    "Profile",
    "QuestionContext",
    "Reading",
    "RejectedError",
    "Replied",
    "Reply",
    "ReviewDecision",
    "Risk",
    "RiskAssessment",
    "RuleFileError",
    "RuleStoreError",
    "Rulebook",
    "RulebookJudge",
    "RulebookShellJudge",
    "Ruleset",
    "Ruling",
    "RunOutcome",
    "RunnerSession",
    "Sandbox",
    "SandboxDeniedError",
    "SandboxMode",
    "SandboxPermissions",
    "SandboxPolicy",
    "SandboxUnavailableError",
    "Say",
    "SessionEvents",
    "SessionOptions",
    "SessionTools",
    "ShellCommandReader",
    "ShellEnvironmentPolicy",
    "ShellRequest",
    "ShellRuntime",
    "ShellTool",
    "ShellToolCallParams",
    "ShellType",
    "Situation",
    "Skip",
    "Snapshot",
    "Source",
    "Span",
    "TerminalAsker",
    "TerminalReviewer",
    "TimedOut",
    "TimedOutError",
    "ToldEvent",
    "Tool",
    "ToolApprovalResult",
    "ToolCall",
    "ToolCategory",
    "ToolEvent",
    "ToolOrchestrator",
    "ToolOutput",
    "ToolProgress",
    "ToolRejectedError",
    "ToolRequest",
    "ToolResult",
    "ToolRouter",
    "ToolRuntime",
    "ToolUse",
    "Turn",
    "TurnAbortedError",
    "TurnAbortedEvent",
    "TurnContext",
    "UsageError",
    "Verdict",
    "WarningEvent",
    "Withdrawn",
    "WriteRule",
    "check",
    "check_multiple",
    "command_might_be_dangerous",
    "compile_source",
    "compile_sources",
    "create_env",
    "create_exec_approval_requirement_for_command",
    "decide_exec_command",
    "decision_from_json",
    "decision_to_json",
    "default_exec_approval_requirement",
    "disabled",
    "evaluate",
    "expand_home",
    "is_approval",
    "is_known_safe_command",
    "layered",
    "load_layers",
    "merge",
    "parse_command",
    "patch_keys",
    "profile_named",
    "read_script",
    "refuse_call",
    "rules_from_json",
    "ruleset_from_config",
    "shell_keys",
    "shell_patterns",
    "shell_request",
    "tool_specs",
    "unified_exec_keys",
    "wildcard_match",
    "with_cached_approval",
]


def home_of(name: str) -> str | None:
    """The module that the public ``name`` is in; ``None`` if there is no such name."""
    return next((f"execpolicy.{module}" for module, names in _HOMES if name in names), None)


def __getattr__(name: str) -> object:
    home = home_of(name)
    if home is None:
        raise AttributeError(f"module 'execpolicy' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
