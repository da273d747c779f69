"""Profiles of semantics: ``default`` (the written specification with our parser) or a version of Codex (as measured).

The profile ``codex-0.169`` and those of the versions with identical answers: exactly the recorded behaviour.

Requests as Codex reads them: its own splitter, prefix rules only, forced ``rm`` as the only danger.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from execpolicy.approvals.profile import (
    ALLOWED,
    ASKED,
    DEFAULT,
    REFUSED,
    SANDBOXED,
    AssessedCommand,
    Assessment,
    Leaning,
    Profile,
)
from execpolicy.approvals.requirement import AskForApproval, AskKind, ExecRequest
from execpolicy.codex import VERSIONS
from execpolicy.codex.segments import codex_commands, codex_dangerous
from execpolicy.codex.shell_call import is_system_shell, shell_argv, shell_script
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import HostResolution
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.quoting import debug_str
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import UsageError
from execpolicy.validators import flag

_FORCED_RM = "rm -f style commands are not permitted. Use a safer approach"


def assess_as_codex(request: ExecRequest, rules: object, fallback: Callable[[Leaning], Decision]) -> Assessment:
    """Assess ``request`` with the prefix rules of ``rules``: a policy, or a rulebook that has one as ``policy``.

    A shell that is not in ``/bin`` or ``/usr/bin`` may be any program. It counts as a command of its own in front of
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
        # only called if no rule matched, so the new rule is the only one that can
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
    """The policy that ``rules`` is or contains.

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
    opinion: Leaning | None = None if matches else "dangerous" if codex_dangerous(argv) else "unknown"
    return AssessedCommand(
        argv=argv,
        matches=matches,
        fallback=None if opinion is None else fallback(opinion),
        opinion=opinion,
        granted=any(match.decision is Decision.ALLOW for match in matches),
        proposable=proposable,
    )


def codex_rejection(reason: str) -> str:
    """The message of Codex to its agent for a command that was not run, in Rust's debug format, applied twice."""
    rejected = f"Rejected({debug_str(reason)})"
    return f"exec_command failed: CreateProcess {{ message: {debug_str(rejected)} }}"


def canonical_command(command: tuple[str, ...]) -> tuple[str, ...]:
    """The key of Codex's remembered approvals: a script of one plain command equals it, for any quoting and flag."""
    script = shell_script(command)
    if script is None:
        return command
    commands = codex_commands(command)
    if len(commands) == 1 and commands[0] != command:
        return commands[0]
    return ("__codex_shell_script__", command[1], script)


CODEX_0_169 = Profile(
    name="codex-0.169",
    assessor=assess_as_codex,
    aliases={AskKind.ON_FAILURE: AskForApproval.ON_REQUEST},
    fallback={
        AskKind.NEVER: {"safe": ALLOWED, "unknown": ALLOWED, "dangerous": REFUSED},
        AskKind.ON_REQUEST: {"safe": SANDBOXED, "unknown": SANDBOXED, "dangerous": ASKED},
        AskKind.GRANULAR: {"safe": SANDBOXED, "unknown": SANDBOXED, "dangerous": ASKED},
        AskKind.UNLESS_TRUSTED: {"safe": ASKED, "unknown": ASKED, "dangerous": ASKED},
    },
    escalation=frozenset({AskKind.ON_REQUEST, AskKind.UNLESS_TRUSTED}),
    granular_escalation=True,
    granular_refusal=None,
    justification_needs_permissions=True,
    refuses_proposal=lambda prefix: None,
    remembered_as=canonical_command,
    rejection=codex_rejection,
    argv_of=shell_argv,
    retry_without_sandbox=frozenset({AskKind.UNLESS_TRUSTED}),
    asks_before_retry=False,
    takes_any_amendment=True,
    judges_input=False,
)


_OF_VERSIONS = {name: replace(CODEX_0_169, name=name) for name in VERSIONS}
_BY_NAME = {"default": DEFAULT, **_OF_VERSIONS, CODEX_0_169.name: CODEX_0_169}


def profile_named(name: str, *, allow_login_shell: bool = True) -> Profile:
    """The profile of that name.

    Args:
        allow_login_shell: the value in Codex's settings. The profile ``default`` ignores it.

    Raises:
        UsageError: there is none; the message lists the names.
    """
    profile = _BY_NAME.get(name) if isinstance(name, str) else None
    if profile is None:
        raise UsageError(f"unknown profile {name!r}: write one of {', '.join(_BY_NAME)}")
    if flag(allow_login_shell, "`allow_login_shell`") or profile is DEFAULT:
        return profile
    return replace(profile, argv_of=partial(shell_argv, allow_login=False))
