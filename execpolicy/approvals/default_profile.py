"""The profile ``default``: the written specification, with requests assessed by execpolicy's judge."""

from __future__ import annotations

from collections.abc import Callable

from execpolicy.amend.preview import why_not_savable
from execpolicy.approvals.ask import AskKind
from execpolicy.approvals.profile import (
    ALLOWED,
    ASKED,
    REFUSED,
    SANDBOXED,
    AssessedCommand,
    Assessment,
    Leaning,
    Profile,
)
from execpolicy.approvals.requirement import ExecRequest
from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch, PrefixMatch
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import UsageError
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import CommandVerdict, EffectMatch, Verdict
from execpolicy.permissions.judged import is_dangerous, is_not_understood


def assess_with_judge(request: ExecRequest, rules: object, fallback: Callable[[Leaning], Decision]) -> Assessment:
    """Assess ``request`` under a :class:`Rulebook`.

    Raises:
        UsageError: ``rules`` is not a :class:`Rulebook`.
    """
    if not isinstance(rules, Rulebook):
        raise UsageError(f"rules must be a rulebook, not {type(rules).__name__}")
    script = read_command(request.command)
    situation = Situation(request.cwd, home=request.home)

    def answer(word: str) -> Decision:
        decision = fallback(Leaning(word))
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
        grave=is_dangerous(verdict) or is_not_understood(verdict),
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
        opinion=None if opinion is None or not answers else Leaning(opinion.verdict),
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


_SAFE, _UNKNOWN, _DANGEROUS = Leaning.SAFE, Leaning.UNKNOWN, Leaning.DANGEROUS


DEFAULT = Profile(
    name="default",
    assessor=assess_with_judge,
    aliases={},
    fallback={
        AskKind.NEVER: {_SAFE: ALLOWED, _UNKNOWN: ALLOWED, _DANGEROUS: REFUSED},
        AskKind.ON_FAILURE: {_SAFE: ALLOWED, _UNKNOWN: ALLOWED, _DANGEROUS: ASKED},
        AskKind.ON_REQUEST: {_SAFE: SANDBOXED, _UNKNOWN: SANDBOXED, _DANGEROUS: ASKED},
        AskKind.GRANULAR: {_SAFE: SANDBOXED, _UNKNOWN: SANDBOXED, _DANGEROUS: ASKED},
        AskKind.UNLESS_TRUSTED: {_SAFE: ALLOWED, _UNKNOWN: ASKED, _DANGEROUS: ASKED},
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
