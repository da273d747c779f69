"""Coverage of patterns: exact, checked against trying every short command."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.trie import PatternTrie, TooManyAlternativesError, difference
from tests.support.each import drawn

TOKENS = ["a", "A", "b", "B"]
LONGEST = 4


def patterns(canonical: st.SearchStrategy[bool]) -> st.SearchStrategy[PrefixPattern]:
    alternatives = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3).map(tuple)
    return st.builds(
        PrefixPattern,
        st.sampled_from(TOKENS),
        st.lists(alternatives, max_size=LONGEST - 1).map(tuple),
        canonical_matching=canonical,
    )


def accepts(pattern: PrefixPattern, argv: tuple[str, ...]) -> bool:
    return bool(argv) and pattern.accepts(0, argv[0]) and pattern.matches_rest(argv)


def commands() -> list[tuple[str, ...]]:
    return [argv for length in range(1, LONGEST + 1) for argv in product(TOKENS, repeat=length)]


COMMANDS = commands()


@drawn(40, 400, patterns(st.booleans()), st.lists(patterns(st.booleans()), max_size=6), st.sets(st.integers(0, 5)))
def test_uncovered_agrees_with_trying_every_command(
    pattern: PrefixPattern, others: list[PrefixPattern], ignored: set[int]
) -> None:
    found = PatternTrie(others).uncovered(pattern, lambda index: index not in ignored)
    counted = [other for index, other in enumerate(others) if index not in ignored]
    uncovered = [
        argv for argv in COMMANDS if accepts(pattern, argv) and not any(accepts(other, argv) for other in counted)
    ]
    assert (found is None) == (not uncovered)
    if found is not None:
        assert len(found) == min(len(argv) for argv in uncovered)
        assert accepts(pattern, found)
        assert not any(accepts(other, found) for other in counted)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(patterns(st.booleans()), max_size=6), st.sampled_from(COMMANDS))
def test_accepting_agrees_with_looking_at_each(many: list[PrefixPattern], argv: tuple[str, ...]) -> None:
    assert PatternTrie(many).accepting(argv) == [index for index, one in enumerate(many) if accepts(one, argv)]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(patterns(st.just(False)), max_size=4), st.lists(patterns(st.just(False)), max_size=4))
def test_difference_is_none_both_ways_for_equal_sets_only(one: list[PrefixPattern], other: list[PrefixPattern]) -> None:
    same = all(any(accepts(p, argv) for p in one) == any(accepts(p, argv) for p in other) for argv in COMMANDS)
    assert (difference(one, other) is None and difference(other, one) is None) == same


def wide(positions: int, width: int) -> PrefixPattern:
    return PrefixPattern("p", tuple([tuple([f"{at}-{n}" for n in range(width)]) for at in range(positions)]))


def test_patterns_with_many_combinations() -> None:
    trie = PatternTrie([wide(20, 10)])
    assert trie.uncovered(wide(20, 10), lambda index: True) is None
    assert trie.uncovered(wide(19, 10), lambda index: True) is not None
    assert trie.uncovered(wide(21, 10), lambda index: True) is None


def test_a_question_that_is_too_big_is_not_answered() -> None:
    hard = [
        PrefixPattern("p", tuple([("a", "b") if at != place else (value,) for at in range(30)]))
        for place in range(30)
        for value in ("a", "b")
        if (place, value) != (29, "b")
    ]
    trie = PatternTrie(hard)
    ignored = {0, 1}
    question = PrefixPattern("p", (("a", "b"),) * 30)
    try:
        answer = trie.uncovered(question, lambda index: index not in ignored)
    except TooManyAlternativesError:
        return
    assert answer is None or not any(
        other.matches_rest(answer) for index, other in enumerate(hard) if index not in ignored
    )


@pytest.mark.parametrize(
    ("exact", "folded", "covered"),
    [
        (["-1"], "-1", True),
        (["ab"], "ab", False),
        (["a"], "a", False),
        (["a", "A"], "a", True),
        (["k", "K"], "k", False),
        (["k", "K", "\u212a"], "k", True),
        (["ß"], "ß", False),
    ],
)
def test_exact_rules_cover_a_canonical_one_only_with_every_spelling(
    exact: list[str], folded: str, covered: bool
) -> None:
    trie = PatternTrie([PrefixPattern(text) for text in exact])
    found = trie.uncovered(PrefixPattern(folded, canonical_matching=True), lambda index: True)
    assert (found is None) == covered


def test_ten_thousand_patterns_of_one_program() -> None:
    many = [PrefixPattern.of(("git", f"sub{number}", "x")) for number in range(10_000)]
    trie = PatternTrie(many)
    for index in range(0, 10_000, 7):
        assert trie.uncovered(many[index], lambda other, own=index: other != own) is not None  # type: ignore[misc]  # a default
