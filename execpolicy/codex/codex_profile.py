"""The profile ``codex-0.169`` and those of the versions that answer alike: exactly what the recorded cases show."""

from __future__ import annotations

from execpolicy.approvals.ask import AskForApproval, AskKind
from execpolicy.approvals.assessment import Leaning
from execpolicy.approvals.profile import ALLOWED, ASKED, REFUSED, SANDBOXED, Profile
from execpolicy.codex.assess import assess_as_codex
from execpolicy.codex.segments import codex_commands
from execpolicy.codex.shell_call import shell_argv, shell_script
from execpolicy.lang.rust_debug import debug_str

_SAFE, _UNKNOWN, _DANGEROUS = Leaning.SAFE, Leaning.UNKNOWN, Leaning.DANGEROUS


def codex_rejection(reason: str) -> str:
    """What Codex gives its agent for a command that was not run: Rust's debug format, twice."""
    rejected = f"Rejected({debug_str(reason)})"
    return f"exec_command failed: CreateProcess {{ message: {debug_str(rejected)} }}"


def canonical_command(command: tuple[str, ...]) -> tuple[str, ...]:
    """What Codex remembers approvals by: a script that is one plain command counts as it, whatever quoting and flag."""
    script = shell_script(command)
    if script is None:
        return command
    commands = codex_commands(command)
    if len(commands) == 1 and commands[0] != command:
        return commands[0]
    return ("__codex_shell_script__", command[1], script)


def _shell(script: str, shell: str | None, login: bool | None) -> tuple[str, ...]:
    return shell_argv(script, shell=shell, login=login)


def shell_without_login(script: str, shell: str | None, login: bool | None) -> tuple[str, ...]:
    """What runs a script where Codex's settings say ``allow_login_shell = false``."""
    return shell_argv(script, shell=shell, login=login, allow_login=False)


def _never_refused(prefix: tuple[str, ...]) -> str | None:
    return None


CODEX_0_169 = Profile(
    name="codex-0.169",
    assessor=assess_as_codex,
    aliases={AskKind.ON_FAILURE: AskForApproval.ON_REQUEST},
    fallback={
        AskKind.NEVER: {_SAFE: ALLOWED, _UNKNOWN: ALLOWED, _DANGEROUS: REFUSED},
        AskKind.ON_REQUEST: {_SAFE: SANDBOXED, _UNKNOWN: SANDBOXED, _DANGEROUS: ASKED},
        AskKind.GRANULAR: {_SAFE: SANDBOXED, _UNKNOWN: SANDBOXED, _DANGEROUS: ASKED},
        AskKind.UNLESS_TRUSTED: {_SAFE: ASKED, _UNKNOWN: ASKED, _DANGEROUS: ASKED},
    },
    escalation=frozenset({AskKind.ON_REQUEST, AskKind.UNLESS_TRUSTED}),
    granular_escalation=True,
    granular_refusal=None,
    justification_needs_permissions=True,
    refuses_proposal=_never_refused,
    remembered_as=canonical_command,
    rejection=codex_rejection,
    argv_of=_shell,
    retry_without_sandbox=frozenset({AskKind.UNLESS_TRUSTED}),
    asks_before_retry=False,
    takes_any_amendment=True,
    judges_input=False,
)
