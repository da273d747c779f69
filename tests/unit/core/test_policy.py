"""Matching and evaluation of argvs."""

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.hosts import HostResolution
from execpolicy.core.matches import HeuristicsMatch
from execpolicy.core.network import domains_of
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule

HERE = HostResolution("/srv", "/home/u")


def rule(*tokens: str, decision: Decision = Decision.ALLOW, canonical: bool = False) -> PrefixRule:
    pattern = PrefixPattern(tokens[0], tuple((t,) for t in tokens[1:]), canonical_matching=canonical)
    return PrefixRule(pattern, decision)


def test_every_matching_rule_counts_and_the_strictest_decides() -> None:
    policy = Policy([rule("git"), rule("git", "push", decision=Decision.PROMPT), rule("ls")])
    evaluation = policy.check(["git", "push", "origin"])
    assert [match.prefix for match in evaluation.matches] == [("git",), ("git", "push")]
    assert evaluation.decision is Decision.PROMPT


def test_a_rule_longer_than_the_argv_does_not_match() -> None:
    assert Policy([rule("git", "push")]).check(["git"]).matches == ()


def test_without_a_match_the_fallback_is_asked() -> None:
    evaluation = Policy([rule("ls")]).check_multiple(
        [["ls"], ["rm", "x"]], fallback=lambda argv: Decision.FORBIDDEN if argv[0] == "rm" else Decision.ALLOW
    )
    assert evaluation.decision is Decision.FORBIDDEN
    assert evaluation.matches[1] == HeuristicsMatch(("rm", "x"), Decision.FORBIDDEN)


def test_without_fallback_the_decision_is_absent() -> None:
    assert Policy().check(["ls"]).to_json() == {"matchedRules": []}


def test_base_names_match_only_when_nothing_matched_the_path() -> None:
    policy = Policy([rule("git", decision=Decision.FORBIDDEN), rule("/usr/bin/git", decision=Decision.ALLOW)])
    assert policy.check(["/usr/bin/git"], resolution=HERE).decision is Decision.ALLOW
    found = policy.check(["/opt/git"], resolution=HERE).matches
    assert [(m.prefix, m.resolved_program) for m in found if not isinstance(m, HeuristicsMatch)] == [
        (("git",), "/opt/git")
    ]
    assert policy.check(["/opt/git"]).matches == ()


def test_a_host_executable_gates_base_names() -> None:
    policy = Policy([rule("git")], (), [HostExecutable("git", ("/usr/bin/git",))])
    assert policy.check(["/usr/bin/git"], resolution=HERE).decision is Decision.ALLOW
    assert policy.check(["/tmp/git"], resolution=HERE).matches == ()
    assert policy.check(["git"], resolution=HERE).decision is Decision.ALLOW


def test_a_later_host_executable_replaces_an_earlier_one() -> None:
    policy = Policy([rule("git")], (), [HostExecutable("git", ("/a/git",)), HostExecutable("git", ())])
    assert policy.check(["/a/git"], resolution=HERE).matches == ()


@pytest.mark.parametrize(
    ("token", "argument", "matches"),
    [
        ("Straße", "STRASSE", True),
        ("k", "\u212a", True),
        ("é", "e\u0301", True),
        ("a", "\uff41", False),
        ("i", "İ", False),
    ],
)
def test_canonical_matching(token: str, argument: str, matches: bool) -> None:
    policy = Policy([rule("x", token, canonical=True)])
    assert bool(policy.matches(["X", argument])) is matches


def test_exact_spelling_comes_first_and_other_spellings_follow_in_order() -> None:
    policy = Policy([rule("GIT", canonical=True), rule("git"), rule("Git", canonical=True)])
    assert [match.rule.pattern.first for match in policy.matches(["git"])] == ["git", "GIT", "Git"]


def test_a_canonical_rule_obeys_the_host_executable_of_its_own_spelling() -> None:
    policy = Policy([rule("GIT", canonical=True)], (), [HostExecutable("GIT", ("/bin/GIT",))])
    assert policy.matches(["/usr/bin/git"], resolution=HERE) == ()
    assert len(policy.matches(["/bin/GIT"], resolution=HERE)) == 1


def test_a_policy_never_changes() -> None:
    policy = Policy([rule("a")])
    with pytest.raises(AttributeError):
        policy.rules = ()
    bigger = policy.with_statements(rule("b"))
    assert (len(policy.rules), len(bigger.rules)) == (1, 2)


def test_the_last_rule_of_a_host_wins_and_moves_to_the_end() -> None:
    def net(host: str, decision: Decision) -> NetworkRule:
        return NetworkRule(host, "https", decision)

    rules = [
        net("a", Decision.ALLOW),
        net("b", Decision.ALLOW),
        net("c", Decision.PROMPT),
        net("a", Decision.FORBIDDEN),
        net("a", Decision.ALLOW),
    ]
    assert domains_of(rules) == (("b", "a"), ())


def test_allowed_prefixes_are_sorted_and_unique() -> None:
    policy = Policy(
        [
            PrefixRule(PrefixPattern("git", (("status", "log"),))),
            rule("ls"),
            rule("ls"),
            rule("rm", decision=Decision.PROMPT),
        ]
    )
    assert policy.allowed_prefixes() == (("git", "[status|log]"), ("ls",))
