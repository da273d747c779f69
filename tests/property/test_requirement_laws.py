"""Laws of requirements, over scripts of known and unknown commands, wrappers and effects, and over rules for them."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import strategies as st

from execpolicy.approvals.exec_command import create_exec_approval_requirement_for_command, decide_exec_command
from execpolicy.approvals.profile import DEFAULT, Profile
from execpolicy.approvals.requirement import (
    AskForApproval,
    ExecApprovalRequirement,
    ExecRequest,
    Forbidden,
    NeedsApproval,
    Skip,
)
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions, SandboxPolicy
from execpolicy.codex.profiles import CODEX_0_169
from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.rulebook import Rulebook
from tests.support.each import drawn
from tests.support.rulebooks import rulebook_of

_PROGRAMS = ["ls", "rm", "npm", "git", "make", "./tool", "/usr/bin/git"]
_WORDS = ["test", "push", "-f", "-rf", "x", "'a b'", "$X", "*", "--", "-C", "2>&1", "> out", "$(npm test)"]
_FRONTS = ["", "", "", "timeout 5 ", "sudo ", "env A=1 ", "A=1 ", "! ", "xargs ", "bash -c "]
_JOINTS = [" && ", " || ", "; ", " | ", "\n", " & "]

_COMMAND = st.builds(
    lambda front, program, words: front + " ".join([program, *words]),
    st.sampled_from(_FRONTS),
    st.sampled_from(_PROGRAMS),
    st.lists(st.sampled_from(_WORDS), max_size=3),
)
_SCRIPT = st.builds(
    lambda commands, joints: "".join([part for pair in zip(commands, [*joints, ""], strict=False) for part in pair]),
    st.lists(_COMMAND, min_size=1, max_size=3),
    st.lists(st.sampled_from(_JOINTS), min_size=3, max_size=3),
)
_RULE = st.builds(
    lambda tokens, decision: PrefixRule(PrefixPattern.of(tokens), decision),
    st.builds(
        lambda first, rest: [first, *rest],
        st.sampled_from(["ls", "rm", "npm", "git", "make", "sudo", "bash"]),
        st.lists(st.sampled_from(["test", "push", "-f", "x"]), max_size=2),
    ),
    st.sampled_from([Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN]),
)
_POLICIES = ["never", "on-failure", "on-request", "untrusted"]
_SANDBOXES = [SandboxPolicy.READ_ONLY, SandboxPolicy.WORKSPACE_WRITE, SandboxPolicy.DANGER_FULL_ACCESS]
_PROFILES = pytest.mark.parametrize("profile", [DEFAULT, CODEX_0_169], ids=lambda profile: profile.name)


@st.composite
def _requests(draw: st.DrawFn) -> ExecRequest:
    granular = st.fixed_dictionaries(dict.fromkeys(["sandbox_approval", "rules", "mcp_elicitations"], st.booleans()))
    policy = draw(st.one_of(st.sampled_from(_POLICIES), granular.map(lambda flags: {"granular": flags})))
    return ExecRequest(
        command=("/bin/bash", "-lc", draw(_SCRIPT)),
        approval_policy=AskForApproval.parse(policy),
        sandbox_policy=draw(st.sampled_from(_SANDBOXES)),
        cwd="/srv",
        home="/home/me",
        sandbox_permissions=draw(st.sampled_from([None, *SandboxPermissions])),
        prefix_rule=draw(st.sampled_from([(), ("npm",), ("npm", "test"), ("git",), ("ls",)])),
    )


_RULEBOOKS = st.lists(_RULE, max_size=4).map(lambda rules: rulebook_of().with_statements(*rules))


def _rank(requirement: ExecApprovalRequirement) -> int:
    if isinstance(requirement, Skip):
        return 0
    return 1 if isinstance(requirement, NeedsApproval) else 2


def _required(request: ExecRequest, rules: Rulebook, profile: Profile = DEFAULT) -> ExecApprovalRequirement:
    return create_exec_approval_requirement_for_command(request, rules, profile=profile)


@_PROFILES
@drawn(15, 100, _requests(), _RULEBOOKS, _RULE)
def test_a_restricting_rule_never_makes_it_laxer(
    profile: Profile, request: ExecRequest, rules: Rulebook, rule: PrefixRule
) -> None:
    if rule.decision is Decision.ALLOW:
        rule = PrefixRule(rule.pattern, Decision.FORBIDDEN)
    before, after = _required(request, rules, profile), _required(request, rules.with_statements(rule), profile)
    if rule.decision is Decision.FORBIDDEN:
        assert _rank(after) >= _rank(before)
    bypasses = isinstance(after, Skip) and after.bypass_sandbox
    assert not bypasses or (isinstance(before, Skip) and before.bypass_sandbox)


@_PROFILES
@drawn(15, 100, _requests(), _RULEBOOKS)
def test_only_allow_rules_leave_the_sandbox(profile: Profile, request: ExecRequest, rules: Rulebook) -> None:
    without = Rulebook([s for s in rules.statements if getattr(s, "decision", None) is not Decision.ALLOW])
    got = _required(request, without, profile)
    assert not (isinstance(got, Skip) and got.bypass_sandbox)


@_PROFILES
@drawn(15, 100, _requests(), _RULEBOOKS)
def test_nobody_is_asked_under_never(profile: Profile, request: ExecRequest, rules: Rulebook) -> None:
    request = dataclasses.replace(request, approval_policy=AskForApproval.NEVER)
    assert not isinstance(decide_exec_command(request, rules, profile=profile), NeedsApproval)


@drawn(15, 100, _requests(), _RULEBOOKS)
def test_untrusted_is_never_laxer_than_on_request(request: ExecRequest, rules: Rulebook) -> None:
    ranks = [
        _rank(_required(dataclasses.replace(request, approval_policy=policy), rules))
        for policy in (AskForApproval.ON_REQUEST, AskForApproval.UNLESS_TRUSTED)
    ]
    assert ranks[0] <= ranks[1]


@drawn(15, 100, _requests(), _RULEBOOKS)
def test_what_is_offered_helps(request: ExecRequest, rules: Rulebook) -> None:
    """Once the offered prefix is saved, the same request has another answer, or asks about another command."""
    got = _required(request, rules)
    if isinstance(got, Forbidden) or got.proposed_execpolicy_amendment is None:
        return
    saved = rules.with_statements(PrefixRule(PrefixPattern.of(got.proposed_execpolicy_amendment.prefix)))
    after = _required(request, saved)
    assert _rank(after) <= _rank(got)
    assert after != got
    if got.proposed_execpolicy_amendment.prefix == request.prefix_rule and isinstance(got, NeedsApproval):
        assert isinstance(after, Skip)


@drawn(15, 100, _requests(), _RULEBOOKS)
def test_a_script_that_a_forbid_rule_names_is_forbidden_under_every_policy(
    request: ExecRequest, rules: Rulebook
) -> None:
    named = rules.with_statements(PrefixRule(PrefixPattern.of(["zap"]), Decision.FORBIDDEN, "no zap"))
    script = f"{request.command[2]}\nzap x"
    request = dataclasses.replace(request, command=("/bin/bash", "-lc", script))
    assert isinstance(_required(request, named), Forbidden)
