"""Profile ``default``: what is asked, run and refused (specification of approvals, section 2)."""

from __future__ import annotations

from typing import Any

import pytest

from execpolicy.approvals.exec_command import (
    create_exec_approval_requirement_for_command,
    refuse_call,
    requirement_json,
)
from execpolicy.approvals.profile import DEFAULT
from execpolicy.approvals.requirement import (
    AskForApproval,
    ExecPolicyAmendment,
    ExecRequest,
    Forbidden,
    NeedsApproval,
    Skip,
)
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions, SandboxPolicy
from execpolicy.codex import PROFILES
from execpolicy.codex.profiles import CODEX_0_169, profile_named
from execpolicy.errors import UsageError
from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.rulebooks import rulebook_of

_ESCALATED = SandboxPermissions.REQUIRE_ESCALATED


def _policy(word: str) -> AskForApproval:
    if word.startswith("granular"):
        sandbox, rules = word[-2] == "1", word[-1] == "1"
        return AskForApproval.parse(
            {"granular": {"sandbox_approval": sandbox, "rules": rules, "mcp_elicitations": False}}
        )
    return AskForApproval.parse(word)


def _request(script: str, policy: str = "untrusted", sandbox: str = "read-only", **more: Any) -> ExecRequest:
    return ExecRequest(
        command=("bash", "-lc", script),
        approval_policy=_policy(policy),
        sandbox_policy=SandboxPolicy.parse(sandbox),
        cwd="/srv",
        home="/home/me",
        **more,
    )


def _kind(request: ExecRequest, rules: str = "") -> str:
    return requirement_json(request, rulebook_of(rules), profile=DEFAULT)["kind"]


@pytest.mark.parametrize(("opinion", "script"), [("safe", "ls -la"), ("unknown", "npm test"), ("dangerous", "rm -f x")])
@pytest.mark.parametrize(
    ("policy", "sandbox", "safe", "unknown", "dangerous"),
    [
        ("never", "read-only", "skip", "skip", "forbidden"),
        ("never", "danger-full-access", "skip", "skip", "forbidden"),
        ("on-failure", "workspace-write", "skip", "skip", "needs_approval"),
        ("on-failure", "danger-full-access", "skip", "skip", "needs_approval"),
        ("on-request", "read-only", "skip", "skip", "needs_approval"),
        ("on-request", "danger-full-access", "skip", "skip", "needs_approval"),
        ("on-request", "external", "skip", "skip", "needs_approval"),
        ("untrusted", "read-only", "skip", "needs_approval", "needs_approval"),
        ("untrusted", "danger-full-access", "skip", "needs_approval", "needs_approval"),
        ("granular11", "read-only", "skip", "skip", "needs_approval"),
        ("granular01", "read-only", "skip", "skip", "forbidden"),
    ],
)
def test_what_no_rule_settles(
    opinion: str, script: str, policy: str, sandbox: str, safe: str, unknown: str, dangerous: str
) -> None:
    expected = {"safe": safe, "unknown": unknown, "dangerous": dangerous}[opinion]
    assert _kind(_request(script, policy, sandbox)) == expected


def test_escalation_is_asked_about_under_on_request_only() -> None:
    request = _request("npm test", "on-request", sandbox_permissions=_ESCALATED)
    assert refuse_call(request, profile=DEFAULT) is None
    assert _kind(request) == "needs_approval"
    assert _kind(_request("npm test", "on-request", "danger-full-access", sandbox_permissions=_ESCALATED)) == "skip"


@pytest.mark.parametrize(
    ("policy", "name"), [("never", "Never"), ("on-failure", "OnFailure"), ("untrusted", "UnlessTrusted")]
)
def test_escalation_is_refused_under_any_other_policy(policy: str, name: str) -> None:
    """Specification of the shell tool, section 3.2."""
    for rules in ("", 'prefix_rule(pattern=["npm"])'):
        got = requirement_json(
            _request("npm test", policy, sandbox_permissions=_ESCALATED), rulebook_of(rules), profile=DEFAULT
        )
        assert got["kind"] == "forbidden"
        assert got["reason"] == (
            f"approval policy is {name}; reject command — you cannot ask for escalated permissions "
            f"if the approval policy is {name}"
        )


_RULES = """
prefix_rule(pattern=["npm", "test"])
prefix_rule(pattern=["git", "push"], decision="prompt", justification="it leaves this machine")
prefix_rule(pattern=["make"], decision="prompt")
prefix_rule(pattern=["curl"], decision="forbidden", justification="no downloads")
prefix_rule(pattern=["curl", "-X"], decision="forbidden")
"""


@pytest.mark.parametrize(
    ("script", "policy", "expected"),
    [
        ("npm test", "untrusted", Skip(bypass_sandbox=True)),
        ("npm test && npm test", "never", Skip(bypass_sandbox=True)),
        ("timeout 5 npm test", "untrusted", Skip(bypass_sandbox=True)),
        ("npm test && ls", "untrusted", Skip()),
        ("git push", "never", Forbidden(reason="approval required by policy, but AskForApproval is set to Never")),
        (
            "git push",
            "granular10",
            Forbidden(reason="approval required by policy rule, but AskForApproval::Granular.rules is false"),
        ),
        (
            "git push",
            "granular01",
            NeedsApproval(reason="`git push` needs approval: it leaves this machine (test.rules:13)"),
        ),
        (
            "npm test && git -C x push",
            "on-request",
            NeedsApproval(
                reason="`git -C x push` needs approval: it means `git push`: it leaves this machine (test.rules:13)"
            ),
        ),
        (
            "make x",
            "on-request",
            NeedsApproval(
                reason="`make x` needs approval: a rule covers commands starting with `make` (test.rules:14)"
            ),
        ),
        ("ls; curl x", "untrusted", Forbidden(reason="`curl x` is forbidden: no downloads (test.rules:15)")),
        ("curl -X x", "untrusted", Forbidden(reason="`curl -X x` is forbidden: no downloads (test.rules:15)")),
        ("rm -f x", "never", Forbidden(reason="`rm -f x` is forbidden: removes files without asking")),
        (
            "rm -f x",
            "granular01",
            Forbidden(reason="approval required by policy, but AskForApproval::Granular.sandbox_approval is false"),
        ),
    ],
)
def test_rules_and_their_reasons(script: str, policy: str, expected: object) -> None:
    got = create_exec_approval_requirement_for_command(_request(script, policy), rulebook_of(_RULES), profile=DEFAULT)
    assert got == expected


@pytest.mark.parametrize(
    "script",
    [
        "npm test > ~/.bashrc",
        "PATH=. npm test",
        "npm() { evil; }; npm test",
        "npm test $(evil)",
        "npm test &&& x",
        "npm test <(evil)",
    ],
)
def test_what_is_not_proven_bypasses_no_sandbox(script: str) -> None:
    got = create_exec_approval_requirement_for_command(_request(script, "never"), rulebook_of(_RULES), profile=DEFAULT)
    assert not (isinstance(got, Skip) and got.bypass_sandbox)
    assert _kind(_request(script, "untrusted"), _RULES) != "skip"


@pytest.mark.parametrize(
    ("script", "prefix_rule", "rules", "proposed"),
    [
        ("npm run build", (), "", ("npm", "run", "build")),
        ("timeout 5 npm run build", (), "", ("npm", "run", "build")),
        ("ls && npm ci && npm run x", (), "", ("npm", "ci")),
        ("npm run build", ("npm",), "", ("npm",)),
        ("npm run build", ("npm", "run"), "", ("npm", "run", "build")),  # too broad to be saved
        ("npm ci --x=1", ("npm\n",), "", ("npm", "ci", "--x=1")),
        ("npm ci && cargo x", ("npm",), "", ("npm", "ci")),  # would not allow the rest
        ("npm ci && cargo x", ("npm",), 'prefix_rule(pattern=["cargo"])', ("npm", "ci")),  # a rule matched
        ("npm ci && make", ("npm",), 'prefix_rule(pattern=["make"], decision="prompt")', None),
        ("python3", (), "", None),  # too broad
        ("foo $X", (), "", None),  # not known before it runs
        ("foo > out", (), "", None),  # a rule would not help
        ("curl -H 'Authorization: Bearer abcdefghijklmnop0123456789' x", (), "", None),  # a secret
        ("foo 'a\nb'", (), "", None),  # two lines
        ("foo <<E\nx\nE", (), "", None),
        ("(", (), "", None),
        ("", (), "", None),
    ],
)
def test_what_is_offered_to_be_saved(
    script: str, prefix_rule: tuple[str, ...], rules: str, proposed: tuple[str, ...] | None
) -> None:
    request = _request(script, prefix_rule=prefix_rule)
    got = create_exec_approval_requirement_for_command(request, rulebook_of(rules), profile=DEFAULT)
    assert isinstance(got, NeedsApproval)
    assert got.proposed_execpolicy_amendment == (None if proposed is None else ExecPolicyAmendment(proposed))


def test_a_skip_keeps_a_proposal_for_the_retry_but_reports_none() -> None:
    request = _request("npm ci", "on-request")
    got = create_exec_approval_requirement_for_command(request, rulebook_of(), profile=DEFAULT)
    assert got == Skip(proposed_execpolicy_amendment=ExecPolicyAmendment(("npm", "ci")))
    assert requirement_json(request, rulebook_of(), profile=DEFAULT) == {
        "kind": "skip",
        "reason": "the approval policy runs it without a question",
        "proposed_execpolicy_amendment": None,
        "bypass_sandbox": False,
    }


def test_the_justification_is_the_reason_where_no_rule_has_one() -> None:
    """As Codex has it."""
    rules = rulebook_of(_RULES).policy
    more = {"justification": "please", "sandbox_permissions": _ESCALATED}
    asked = requirement_json(_request("npm ci", "on-request", **more), rules, profile=CODEX_0_169)
    assert asked["reason"] == "please"
    by_rule = requirement_json(_request("make", "on-request", **more), rules, profile=CODEX_0_169)
    assert by_rule["reason"].endswith("requires approval by policy")


@pytest.mark.parametrize("script", ["npm ci", "make", "ls; curl x", "mkdir x && rm -rf y", "echo x > ../y"])
def test_the_reason_is_that_of_the_verdict_and_not_the_justification(script: str) -> None:
    request = _request(script, justification="please")
    verdict = check(script, rulebook_of(_RULES), situation=Situation(request.cwd, home=request.home))
    assert requirement_json(request, rulebook_of(_RULES), profile=DEFAULT)["reason"] == verdict.reason


def test_write_rules_ask_and_forbid_with_a_reason() -> None:
    rules = """
write_rule(paths=["./secret/**"], decision="forbidden", justification="keep out")
write_rule(paths=["./log"], decision="prompt")
"""
    forbidden = requirement_json(_request("echo x > secret/a", "never"), rulebook_of(rules), profile=DEFAULT)
    assert (forbidden["kind"], forbidden["reason"]) == ("forbidden", "writing `/srv/secret/a` is forbidden: keep out")
    asked = requirement_json(_request("echo x > log", "on-request"), rulebook_of(rules), profile=DEFAULT)
    assert (asked["kind"], asked["reason"], asked["proposed_execpolicy_amendment"]) == (
        "needs_approval",
        "writing `/srv/log` needs approval: a write rule covers it",
        None,
    )
    assert _kind(_request("echo x > log", "granular10"), rules) == "forbidden"


def test_a_broken_rule_file_is_never_laxer_than_a_question() -> None:
    from execpolicy.judge.rulebook import Rulebook

    broken = Rulebook(rulebook_of().statements, fail_closed=True)
    assert requirement_json(_request("ls", "on-request"), broken, profile=DEFAULT)["kind"] == "needs_approval"
    assert requirement_json(_request("ls", "never"), broken, profile=DEFAULT)["kind"] == "forbidden"


def test_profiles_by_name() -> None:
    assert profile_named("default") is DEFAULT
    assert profile_named("codex-0.169") is CODEX_0_169
    assert [profile_named(name).name for name in PROFILES] == [*PROFILES]
    with pytest.raises(UsageError, match=r"default, codex-0\.169"):
        profile_named("codex")


@pytest.mark.parametrize("profile", [DEFAULT, CODEX_0_169], ids=lambda profile: profile.name)
def test_rules_of_the_wrong_kind_are_a_wrong_call(profile: Any) -> None:
    with pytest.raises(UsageError):
        requirement_json(_request("ls"), ["prefix_rule"], profile=profile)


def test_additional_permissions() -> None:
    request = _request("ls", "untrusted", sandbox_permissions=SandboxPermissions.WITH_ADDITIONAL_PERMISSIONS)
    assert refuse_call(request, profile=CODEX_0_169) == (
        "additional permissions are disabled; enable `features.exec_permission_approvals` before using "
        "`with_additional_permissions`"
    )
    assert refuse_call(request, profile=CODEX_0_169, additional_permissions=True) == (
        "approval policy is UnlessTrusted; reject command — you cannot request additional permissions "
        "unless the approval policy is OnRequest"
    )
    allowed = _request("ls", "on-request", sandbox_permissions=SandboxPermissions.WITH_ADDITIONAL_PERMISSIONS)
    assert refuse_call(allowed, profile=CODEX_0_169, additional_permissions=True) is None


@pytest.mark.parametrize("command", [(), ("",)])
def test_nothing_to_run_is_a_wrong_call(command: tuple[str, ...]) -> None:
    request = ExecRequest(command=command, approval_policy=AskForApproval.NEVER)
    got = requirement_json(request, rulebook_of(), profile=DEFAULT)
    assert (got["kind"], got["reason"]) == ("forbidden", "there is no command to run")


def test_a_justification_alone_is_a_wrong_call_for_codex() -> None:
    request = _request("ls", justification="")
    assert refuse_call(request, profile=DEFAULT) is None
    assert refuse_call(request, profile=CODEX_0_169) == (
        "`justification` requires an explicit `sandbox_permissions`; use "
        '`sandbox_permissions: "require_escalated"` for unsandboxed execution, or omit `justification`.'
    )


def test_codex_does_not_trust_a_shell_from_anywhere() -> None:
    """A shell that is not in /bin or /usr/bin is a command of its own: rules for the script cannot grant."""
    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.core.policy import Policy
    from execpolicy.core.rules import PrefixRule

    policy = Policy([PrefixRule(PrefixPattern.of(["foo"]))])

    def requirement(shell: str) -> object:
        request = ExecRequest(command=(shell, "-lc", "foo"), approval_policy=AskForApproval.UNLESS_TRUSTED)
        return create_exec_approval_requirement_for_command(request, policy, profile=CODEX_0_169)

    assert requirement("/bin/bash") == Skip(bypass_sandbox=True)
    assert requirement("/tmp/bash") == NeedsApproval()
    assert requirement("bash") == NeedsApproval()
