"""The points in which systems of approval differ, as data: no branch of the code asks which one is meant.

The usual pairs of approval policy and sandbox under one name. Source: Codex's approval presets.

What rules and heuristics say about a request, command by command: the input of the decision, whoever made it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from execpolicy.approvals.ask import AskForApproval, AskKind
from execpolicy.approvals.requirement import ExecRequest
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy
from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch
from execpolicy.errors import UsageError
from execpolicy.validators import every, flag, function, instance, member, optional, settle, shown, text


class Leaning(StrEnum):
    """What the heuristics think of a command that no rule settles."""

    SAFE = "safe"
    UNKNOWN = "unknown"
    DANGEROUS = "dangerous"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessedCommand:
    """One command that the request would run.

    Attributes:
        argv: its words; one that is only known at run time stands as it was written.
        matches: the rules that matched it.
        fallback: what it gets where no rule settles it; ``None`` if a rule does.
        opinion: what ``fallback`` was made of.
        granted: an allow rule covers it and nothing stands in the way.
        proposable: its words are literal, so that a prefix rule can name it.
    """

    argv: tuple[str, ...]
    matches: tuple[PrefixMatch, ...]
    fallback: Decision | None
    opinion: Leaning | None
    granted: bool
    proposable: bool = True

    @property
    def decision(self) -> Decision:
        """The strictest of the matching rules and the fallback."""
        decisions = [match.decision for match in self.matches]
        if self.fallback is not None:
            decisions.append(self.fallback)
        return max(decisions, default=Decision.PROMPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Everything that is known about a request.

    Attributes:
        commands: in source order; none where nothing could be seen.
        decision: the strictest of the commands' decisions, or stricter for what is not a command (a file written).
        shown: the argv that reasons name.
        covers: whether every command would be allowed if the given prefix were an allow rule.
        settles: whether that rule would settle at least one command that no rule settles now.
        prompt_note: why a question is asked by a rule that names no command (one about a written file).
        refusal: why it is forbidden, where no rule for a command says so.
        reason: why it is not allowed, in one line; ``None`` leaves that to the words of Codex.
        grave: something in it is dangerous, or may hide something: no rule is offered for a part of it.
    """

    commands: tuple[AssessedCommand, ...]
    decision: Decision
    shown: tuple[str, ...]
    covers: Callable[[tuple[str, ...]], bool]
    settles: Callable[[tuple[str, ...]], bool]
    prompt_note: str | None = None
    refusal: str | None = None
    reason: str | None = None
    grave: bool = False

    @property
    def granted(self) -> bool:
        """Every command is covered by an allow rule, and there is one."""
        return self.decision is Decision.ALLOW and self.matched and all(command.granted for command in self.commands)

    def rule_matches(self, decision: Decision) -> list[PrefixMatch]:
        """The rules that matched with ``decision``, in order."""
        return [match for command in self.commands for match in command.matches if match.decision is decision]

    @property
    def matched(self) -> bool:
        """Whether any rule matched any command."""
        return any(command.matches for command in self.commands)

    def first_fallback(self, decision: Decision) -> AssessedCommand | None:
        """The first command that no rule settles and whose fallback is ``decision``."""
        for command in self.commands:
            if command.fallback is decision:
                return command
        return None


class Assessor(Protocol):
    """Reads a request and applies rules to it. ``Rules`` differs: a policy for Codex's own reading, a rulebook here."""

    def __call__(self, request: ExecRequest, rules: object, fallback: Callable[[Leaning], Decision], /) -> Assessment:
        """Assess ``request``; commands that no rule settles get ``fallback`` of their opinion."""
        ...


@dataclass(frozen=True, slots=True)
class ApprovalPreset:
    """A pair that goes together.

    Attributes:
        label, description: for a person who chooses one.
    """

    label: str
    description: str
    approval: AskForApproval
    sandbox: SandboxPolicy

    def __post_init__(self) -> None:
        settle(self, label=text, description=text)
        settle(self, approval=instance(AskForApproval), sandbox=instance(SandboxPolicy))


PRESETS: dict[str, ApprovalPreset] = {
    "read-only": ApprovalPreset(
        "Read only", "reads; asks before it writes or connects", AskForApproval.ON_REQUEST, SandboxPolicy.READ_ONLY
    ),
    "auto": ApprovalPreset(
        "Auto",
        "reads, writes and runs in the workspace; asks before it leaves it or connects",
        AskForApproval.ON_REQUEST,
        SandboxPolicy.WORKSPACE_WRITE,
    ),
    "full-access": ApprovalPreset(
        "Full access",
        "reads, writes and connects anywhere, and asks nobody",
        AskForApproval.NEVER,
        SandboxPolicy.DANGER_FULL_ACCESS,
    ),
}
"""By name."""


class Cell(NamedTuple):
    """What a command that no rule settles gets.

    Attributes:
        confined: it would run in a read-only or workspace-write sandbox.
        escalated: that sandbox is configured, and the call asks to leave it.
        unconfined: full access, or a sandbox that is not ours.
    """

    confined: Decision
    escalated: Decision
    unconfined: Decision


_A, _P, _F = Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN
ALLOWED, ASKED, REFUSED = Cell(_A, _A, _A), Cell(_P, _P, _P), Cell(_F, _F, _F)
SANDBOXED = Cell(_A, _P, _A)


def _kinds(value: Any, what: str) -> frozenset[AskKind]:
    return frozenset(every(member(AskKind))(value, what))


def _by_kind(value: Any, what: str) -> Any:
    if isinstance(value, Mapping) and all(isinstance(kind, AskKind) for kind in value):
        return value
    raise UsageError(f"{what} must be a mapping by approval policy, not {shown(value)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The differences between the systems that requests are decided for.

    Attributes:
        assessor: how a request is read and matched.
        aliases: approval policies that behave as another one.
        fallback: for each approval policy, what each opinion becomes.
        escalation: the approval policies under which a call may ask to leave the sandbox at all.
        granular_escalation: under ``granular`` it may ask if ``sandbox_approval`` is set (never, where this is false).
        granular_refusal: the answer where ``granular`` lacks ``sandbox_approval`` and only heuristics ask; ``None``
            asks all the same, without offering a prefix.
        justification_needs_permissions: a justification without ``sandbox_permissions`` is a wrong call.
        refuses_proposal: why a whole command is not offered to be saved, or ``None``.
        remembered_as: the words that an approval for the session is remembered by, for a command; ``None`` if by all
            of its own.
        rejection: what the agent is told of a command that was not run, made of the reason.
        argv_of: what runs a script: ``(script, shell, login)``, each of the last two ``None`` where the call is silent.
        retry_without_sandbox: the approval policies under which a run that the sandbox denied is retried outside.
        asks_before_retry: also where the first run was approved; else that yes covers both, which the question says.
        takes_any_amendment: an answer may save a prefix that was not offered, or is too broad.
        judges_input: what is sent to an open command is judged; else it is asked about where nothing confines that.
    """

    name: str
    assessor: Assessor
    aliases: Mapping[AskKind, AskForApproval]
    fallback: Mapping[AskKind, Mapping[Leaning, Cell]]
    escalation: frozenset[AskKind]
    granular_escalation: bool
    granular_refusal: str | None
    justification_needs_permissions: bool
    refuses_proposal: Callable[[tuple[str, ...]], str | None]
    remembered_as: Callable[[tuple[str, ...]], tuple[str, ...]] | None
    rejection: Callable[[str], str]
    argv_of: Callable[[str, str | None, bool | None], tuple[str, ...]]
    retry_without_sandbox: frozenset[AskKind]
    asks_before_retry: bool
    takes_any_amendment: bool
    judges_input: bool

    def __post_init__(self) -> None:
        settle(self, name=text, assessor=function, aliases=_by_kind, fallback=_by_kind, escalation=_kinds)
        settle(self, granular_escalation=flag, granular_refusal=optional(text), justification_needs_permissions=flag)
        settle(self, refuses_proposal=function, remembered_as=optional(function), rejection=function, argv_of=function)
        settle(self, retry_without_sandbox=_kinds, asks_before_retry=flag, takes_any_amendment=flag)
        settle(self, judges_input=flag)

    def effective(self, policy: AskForApproval) -> AskForApproval:
        """The approval policy that ``policy`` behaves as."""
        return self.aliases.get(policy.kind, policy)

    def may_escalate(self, policy: AskForApproval) -> bool:
        """Whether a call may ask to leave the sandbox."""
        if policy.granular is not None:
            return self.granular_escalation and policy.granular.sandbox_approval
        return policy.kind in self.escalation

    def may_retry(self, policy: AskForApproval) -> bool:
        """Whether a run that the sandbox denied may be retried outside it."""
        if policy.granular is not None:
            return policy.granular.sandbox_approval
        return policy.kind in self.retry_without_sandbox
