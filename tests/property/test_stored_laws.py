"""A rulebook that was stored and restored answers every question as before."""

import pytest
from hypothesis import strategies as st

from execpolicy.core.decision import Decision
from execpolicy.core.hosts import HostResolution
from execpolicy.core.path_rules import WriteRule
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.stored import EQUAL, restored, restored_entries, store, store_entries
from execpolicy.source import Place
from tests.property.strategies import commands, rules
from tests.support.each import drawn
from tests.support.judging import builtin, rulebook

OTHERS = (
    NetworkRule("h", "https", Decision.FORBIDDEN, "why", place=Place("n.rules", 3)),
    HostExecutable("git", ("/usr/bin/git",), place=Place("n.rules", 4)),
    WriteRule(("./build/**",), Decision.PROMPT, None, place=Place("w.rules", 1)),
)
HERE = HostResolution("/srv", "/home/u")


@drawn(20, 100, st.lists(rules(), max_size=12), commands(), st.booleans())
def test_restored_policies_match_alike(some: list[PrefixRule], argv: list[str], by_path: bool) -> None:
    rulebook = Rulebook([*some, *OTHERS])
    again = restored(store(rulebook))
    if by_path:
        argv = ["/usr/bin/" + argv[0], *argv[1:]]
    assert again.policy.check(argv, resolution=HERE).to_json() == rulebook.policy.check(argv, resolution=HERE).to_json()
    assert again.policy.rules_for(argv[0]) == rulebook.policy.rules_for(argv[0])
    assert again.restricting == rulebook.restricting


@drawn(20, 100, st.lists(rules(), max_size=12))
def test_restored_rulebooks_hold_the_same_statements(some: list[PrefixRule]) -> None:
    rulebook = Rulebook([*some, *OTHERS])
    again = restored(store(rulebook))
    assert sorted(map(repr, again.statements)) == sorted(map(repr, rulebook.statements))
    assert again.policy.network_rules == rulebook.policy.network_rules
    assert dict(again.policy.host_executables) == dict(rulebook.policy.host_executables)


def said(book: Rulebook) -> list[tuple[object, ...]]:
    """Everything that the entries of ``book`` were made of, and where."""
    return [(entry.kind, entry.name, entry.arguments, str(entry.place)) for entry in book.heuristics.entries]


def test_places_and_entries_survive() -> None:
    again = restored(store(builtin().with_statements(*OTHERS)))
    assert [str(rule.place) for rule in again.writes.rules] == ["w.rules:1"]
    assert said(again) == said(builtin())


def test_entries_that_a_wheel_brings_are_not_kept_again() -> None:
    brought = store_entries(builtin().heuristics.entries, EQUAL)
    book = builtin().with_statements(*OTHERS)
    kept = store(book, brought=brought)
    assert len(kept) < len(brought) / 20
    again = restored(kept, lambda: lambda start, end: brought[start:end])
    assert said(again) == said(book)
    with pytest.raises(EOFError):
        restored(kept)


def test_other_entries_are_kept() -> None:
    brought = store_entries(builtin().heuristics.entries, EQUAL)
    text = 'safe_command(name = "mine", program = "frob", reason = "it prints", flags = ["-x"], match = ["frob -x"])'
    own = rulebook(text, heuristics=False)
    for book in (own, builtin().with_statements(*own.heuristics.entries)):
        again = restored(store(book, brought=brought), lambda: lambda start, end: brought[start:end])
        assert said(again) == said(book)
        assert said(again)[-1][1] == "mine"


def test_many_programs_are_found_in_their_buckets() -> None:
    from execpolicy.core.pattern import PrefixPattern

    rulebook = Rulebook([PrefixRule(PrefixPattern.of([f"p{at}", "x"])) for at in range(1000)])
    again = restored(store(rulebook))
    assert again.policy.check(["p777", "x"]).decision is Decision.ALLOW
    assert again.policy.check(["p1000", "x"]).decision is None
    assert len(again.policy.rules) == 1000


def test_entries_that_cannot_be_read_any_more_grant_nothing_and_hide_no_rule() -> None:
    data = store_entries(builtin().heuristics.entries, EQUAL)
    given = [data]

    def slices(start: int, end: int) -> bytes:
        return given[0][start:end]

    text = 'prefix_rule(["git", "push"], decision = "forbidden")\nprefix_rule(["frob"])'
    book = rulebook(text).with_heuristics(restored_entries(slices))
    given[0] = b""
    said = {script: check(script, book).decision for script in ("ls -la", "ls; git push", "frob", "frob && ls")}
    assert said == {
        "ls -la": Decision.PROMPT,
        "ls; git push": Decision.FORBIDDEN,
        "frob": Decision.ALLOW,
        "frob && ls": Decision.PROMPT,
    }
