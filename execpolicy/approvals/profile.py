"""The differences between approval systems as data, presets, and the profile ``default`` with execpolicy's judge.

The code does not branch on the name of a system.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from execpolicy.amend.preview import why_not_savable
from execpolicy.approvals.requirement import AskForApproval, AskKind, ExecRequest
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy
from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch, PrefixMatch
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import UsageError
from execpolicy.judge.command_verdict import CommandVerdict, EffectMatch
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.permissions.judged import is_not_understood
from execpolicy.validators import Checked, every, function, member, shown

Leaning: TypeAlias = Literal["safe", "unknown", "dangerous"]
"""The heuristics' opinion of a command that no rule settles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessedCommand:
    """One command that the request would run.

    Attributes:
        argv: its words; a word that is only known at run time is kept as written.
        matches: the rules that matched it.
        fallback: its decision if no rule settles it; ``None`` if a rule does.
        opinion: the opinion that ``fallback`` is derived from.
        granted: an allow rule covers it and no obstacle prevents that.
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
    """The assessment of a request.

    Attributes:
        commands: in source order; empty if no command is visible.
        decision: the strictest of the commands' decisions, or stricter because of a written file.
        shown: the argv that reasons name.
        covers: true if every command would be allowed with an allow rule for the given prefix.
        settles: true if that rule would settle at least one command that no rule settles now.
        prompt_note: the reason for a prompt by a rule that names no command (a write rule).
        refusal: the reason that it is forbidden, if no rule for a command gives one.
        reason: the reason for the decision, in one line; ``None`` uses Codex's wording.
        grave: a part is dangerous, or may hide something, so no rule is offered for any part of it.
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
        """True if there is an allow rule and allow rules cover every command."""
        return self.decision is Decision.ALLOW and self.matched and all(command.granted for command in self.commands)

    @property
    def open(self) -> bool:
        """True if only the approval policy settles some command."""
        return any(command.opinion not in (None, "safe") for command in self.commands)

    def rule_matches(self, decision: Decision) -> list[PrefixMatch]:
        """The rule matches with ``decision``, in order."""
        return [match for command in self.commands for match in command.matches if match.decision is decision]

    @property
    def matched(self) -> bool:
        """True if any rule matched any command."""
        return any(command.matches for command in self.commands)

    def first_fallback(self, decision: Decision) -> AssessedCommand | None:
        """The first command that no rule settles and whose fallback is ``decision``."""
        return next((command for command in self.commands if command.fallback is decision), None)


class Assessor(Protocol):
    """Parses a request and applies rules to it. The type of ``rules`` differs: a policy for Codex, a rulebook here."""

    def __call__(self, request: ExecRequest, rules: object, fallback: Callable[[Leaning], Decision], /) -> Assessment:
        """Assess ``request``. A command that no rule settles gets ``fallback`` of its opinion."""


@dataclass(frozen=True, slots=True)
class ApprovalPreset(Checked):
    """An approval policy and a sandbox that are used together.

    Attributes:
        label, description: texts for a person who chooses a preset.
    """

    label: str
    description: str
    approval: AskForApproval
    sandbox: SandboxPolicy


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
        "reads, writes and connects anywhere, and asks no one",
        AskForApproval.NEVER,
        SandboxPolicy.DANGER_FULL_ACCESS,
    ),
}
"""The presets by name."""


class Cell(NamedTuple):
    """The decision for a command that no rule settles, by its confinement.

    Attributes:
        confined: it would run in a read-only or workspace-write sandbox.
        escalated: that sandbox is configured, and the call asks to leave it.
        unconfined: full access, or a sandbox of another program.
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
class Profile(
    Checked, assessor=function, aliases=_by_kind, fallback=_by_kind, escalation=_kinds, retry_without_sandbox=_kinds
):
    """The properties in which approval systems differ.

    Attributes:
        assessor: parses a request and applies rules.
        aliases: approval policies that behave as another one.
        fallback: for each approval policy, the decisions of each opinion.
        escalation: the approval policies under which a call may ask to leave the sandbox at all.
        granular_escalation: under ``granular``, a call may ask if ``sandbox_approval`` is set; if false, never.
        granular_refusal: the refusal if ``granular`` lacks ``sandbox_approval`` and only heuristics prompt; ``None``
            asks anyway, without offering a prefix.
        justification_needs_permissions: a justification without ``sandbox_permissions`` is an invalid call.
        refuses_proposal: returns the reason not to offer a whole command for saving, or ``None``.
        remembered_as: returns the words that identify a command in a session approval; ``None`` uses the exact argv.
        rejection: returns the agent's message for a command that was not run, from the reason.
        argv_of: returns the argv that runs a script, from ``(script, shell, login)``; the last two are ``None`` if the
            call does not set them.
        retry_without_sandbox: the approval policies under which a run that the sandbox denied is retried outside it.
        asks_before_retry: ask even if the first run was approved; if false, that approval covers both runs and the
            question says so.
        takes_any_amendment: an answer may save a prefix that was not offered, or is too broad.
        judges_input: input to an open command is judged; if false, it prompts unless a sandbox confines the command.
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

    def effective(self, policy: AskForApproval) -> AskForApproval:
        """The approval policy that ``policy`` behaves as."""
        return self.aliases.get(policy.kind, policy)

    def may_escalate(self, policy: AskForApproval) -> bool:
        """True if a call may ask to leave the sandbox."""
        if policy.granular is not None:
            return self.granular_escalation and policy.granular.sandbox_approval
        return policy.kind in self.escalation

    def may_retry(self, policy: AskForApproval) -> bool:
        """True if a run that the sandbox denied may be retried outside it."""
        if policy.granular is not None:
            return policy.granular.sandbox_approval
        return policy.kind in self.retry_without_sandbox


def assess_with_judge(request: ExecRequest, rules: object, fallback: Callable[[Leaning], Decision]) -> Assessment:
    """Assess ``request`` under a :class:`Rulebook`.

    Raises:
        UsageError: ``rules`` is not a :class:`Rulebook`.
    """
    if not isinstance(rules, Rulebook):
        raise UsageError(f"rules must be a rulebook, not {type(rules).__name__}")
    script = read_command(request.command)
    situation = Situation(request.cwd, home=request.home)

    def answer(word: Leaning) -> Decision:
        decision = fallback(word)
        return max(decision, Decision.PROMPT) if rules.fail_closed else decision

    def amended(prefix: tuple[str, ...]) -> Verdict:
        return judge_script(script, _narrowed(rules, verdict, prefix), situation, fallback=answer)

    verdict = judge_script(script, rules, situation, fallback=answer)
    open_commands = _open_commands(verdict)
    notes = [
        match.rule.justification or f"{match.doing} `{match.path}`"
        for match in verdict.matches
        if isinstance(match, EffectMatch) and match.decision is Decision.PROMPT
    ]
    return Assessment(
        commands=tuple([_assess(command) for command in verdict.commands]),
        decision=verdict.decision,
        shown=request.command,
        covers=lambda prefix: amended(prefix).decision is Decision.ALLOW,
        settles=lambda prefix: _open_commands(amended(prefix)) < open_commands,
        prompt_note=notes[0] if notes else None,
        reason=verdict.reason,
        grave=verdict.dangerous or is_not_understood(verdict),
    )


def _narrowed(rules: Rulebook, verdict: Verdict, prefix: tuple[str, ...]) -> Rulebook:
    """The rules for programs named by the words of ``verdict``, plus an allow rule for ``prefix``.

    Building a whole rulebook for one more rule takes milliseconds if there are many rules.
    """
    words = {prefix[0]}
    waiting = list(verdict.commands)
    while waiting:
        command = waiting.pop()
        waiting += command.inner
        words.update(command.argv)
    programs = dict.fromkeys([name for word in sorted(words) for name in (word, word[word.rfind("/") + 1 :])])
    found = {id(rule): rule for program in programs for rule in rules.policy.rules_for(program)}
    kept = [*found.values(), PrefixRule(PrefixPattern.of(prefix))]
    policy = Policy(kept, rules.policy.network_rules, rules.policy.host_executables.values())
    return Rulebook.of_parts(policy, rules.heuristics, rules.writes, rules.reads, rules.restricting)


def _assess(command: CommandVerdict) -> AssessedCommand:
    answers = [match.decision for match in command.matches if isinstance(match, HeuristicsMatch)]
    leaf = _undecided(command)
    opinion = leaf.opinion
    return AssessedCommand(
        argv=leaf.argv,
        matches=tuple([match for match in command.matches if isinstance(match, PrefixMatch)]),
        fallback=max(answers, default=None),
        opinion=None if opinion is None or not answers else opinion.verdict,
        granted=_granted(command),
        proposable=bool(leaf.argv) and None not in leaf.command.argv() and leaf.command.body is None,
    )


def _undecided(command: CommandVerdict) -> CommandVerdict:
    """The command that a rule would have to name: in a transparent wrapper, the first nested one not yet granted."""
    while command.source == "wrapper" and command.inner:
        command = next((inner for inner in command.inner if not _granted(inner)), command.inner[0])
    return command


def _granted(command: CommandVerdict) -> bool:
    if command.source == "wrapper":
        return bool(command.inner) and all(_granted(inner) for inner in command.inner)
    return command.granted or command.source == "nothing-to-run"


def _open_commands(verdict: Verdict) -> int:
    return sum(not _granted(command) for command in verdict.commands)


DEFAULT = Profile(
    name="default",
    assessor=assess_with_judge,
    aliases={},
    fallback={
        AskKind.NEVER: {"safe": ALLOWED, "unknown": ALLOWED, "dangerous": REFUSED},
        AskKind.ON_FAILURE: {"safe": ALLOWED, "unknown": ALLOWED, "dangerous": ASKED},
        AskKind.ON_REQUEST: {"safe": SANDBOXED, "unknown": SANDBOXED, "dangerous": ASKED},
        AskKind.GRANULAR: {"safe": SANDBOXED, "unknown": SANDBOXED, "dangerous": ASKED},
        AskKind.UNLESS_TRUSTED: {"safe": ALLOWED, "unknown": ASKED, "dangerous": ASKED},
    },
    escalation=frozenset({AskKind.ON_REQUEST}),
    granular_escalation=False,
    granular_refusal="approval required by policy, but AskForApproval::Granular.sandbox_approval is false",
    justification_needs_permissions=False,
    refuses_proposal=why_not_savable,
    remembered_as=None,
    rejection=str,
    argv_of=lambda script, shell, login: (
        "bash" if shell is None else shell,
        "-c" if login is False else "-lc",
        script,
    ),
    retry_without_sandbox=frozenset({AskKind.ON_FAILURE, AskKind.UNLESS_TRUSTED}),
    asks_before_retry=True,
    takes_any_amendment=False,
    judges_input=True,
)
"""The written specification: a safe list, ``on-failure`` as a separate policy, escalation under on-request only."""
