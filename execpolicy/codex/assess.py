"""Requests as Codex reads them: its own splitter, prefix rules only, forced ``rm`` as the only danger."""

from __future__ import annotations

from collections.abc import Callable

from execpolicy.approvals.assessment import AssessedCommand, Assessment, Leaning
from execpolicy.approvals.exec_request import ExecRequest
from execpolicy.codex.segments import codex_commands, codex_dangerous
from execpolicy.codex.shell_call import is_system_shell, shell_script
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import HostResolution
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import UsageError

_FORCED_RM = "rm -f style commands are not permitted. Use a safer approach"


def assess_as_codex(request: ExecRequest, rules: object, fallback: Callable[[Leaning], Decision]) -> Assessment:
    """Assess ``request`` with the prefix rules of ``rules``: a policy, or a rulebook that has one as ``policy``.

    A shell that is not in ``/bin`` or ``/usr/bin`` may be any program: it counts as a command of its own in front of
    the script's, so that rules for the script alone can restrict but not grant.
    """
    policy = policy_of(rules)
    resolution = HostResolution(request.cwd, request.home)
    command = request.command
    seen = codex_commands(command)
    trusted = shell_script(command) is None or seen == (command,) or is_system_shell(command[0])
    if not trusted:
        seen = ((command[0],), *seen)
    commands = tuple([_assess(argv, policy, resolution, fallback, proposable=trusted) for argv in seen])

    def covers(prefix: tuple[str, ...]) -> bool:
        # only asked where no rule matched, so the new rule is the only one that can
        amended = Policy([PrefixRule(PrefixPattern.of(prefix))], (), policy.host_executables.values())
        return all(
            _assess(argv, amended, resolution, fallback, proposable=trusted).decision is Decision.ALLOW for argv in seen
        )

    return Assessment(
        commands=commands,
        decision=max(assessed.decision for assessed in commands),
        shown=command if trusted else command[:1],
        covers=covers,
        settles=lambda prefix: True,
        refusal=_FORCED_RM if any(codex_dangerous(argv) == "forced-rm" for argv in seen) else None,
    )


def policy_of(rules: object) -> Policy:
    """The policy that ``rules`` is or holds.

    Raises:
        UsageError: it is neither.
    """
    policy = rules if isinstance(rules, Policy) else getattr(rules, "policy", None)
    if not isinstance(policy, Policy):
        raise UsageError(f"rules must be a policy or a rulebook that holds one, not {type(rules).__name__}")
    return policy


def _assess(
    argv: tuple[str, ...],
    policy: Policy,
    resolution: HostResolution,
    fallback: Callable[[Leaning], Decision],
    *,
    proposable: bool,
) -> AssessedCommand:
    matches = policy.matches(argv, resolution=resolution)
    opinion = None if matches else Leaning.DANGEROUS if codex_dangerous(argv) else Leaning.UNKNOWN
    return AssessedCommand(
        argv=argv,
        matches=matches,
        fallback=None if opinion is None else fallback(opinion),
        opinion=opinion,
        granted=any(match.decision is Decision.ALLOW for match in matches),
        proposable=proposable,
    )
