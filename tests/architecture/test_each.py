"""Many cases as one test: all are tried, all that fail are told of."""

import pytest
from hypothesis import strategies as st

from tests.support.each import drawn, each, share


def test_every_case_is_tried_and_every_failure_is_told() -> None:
    tried = []

    @each("a, b", [(1, 1), (1, 2), pytest.param(3, 3, id="three"), (3, 4)], ids="wxyz")
    def same(a: int, b: int) -> None:
        tried.append((a, b))
        assert a == b

    with pytest.raises(ExceptionGroup, match="2 of 4 cases of same") as caught:
        same()
    assert tried == [(1, 1), (1, 2), (3, 3), (3, 4)]
    assert [error.__notes__ for error in caught.value.exceptions] == [["in the case 'x'"], ["in the case 'z'"]]


def test_fixtures_are_handed_on(tmp_path_factory: pytest.TempPathFactory) -> None:
    @each("name", ["a", "b"], ids=str.upper)
    def writes(name: str, place: pytest.TempPathFactory) -> None:
        assert place is tmp_path_factory

    writes(place=tmp_path_factory)


@pytest.mark.parametrize("cases", [[], [pytest.param(1, marks=pytest.mark.slow)]])
def test_nothing_is_passed_over(cases: list[object]) -> None:
    with pytest.raises(AssertionError):
        each("one", cases)


def test_some_examples_are_drawn_at_once_and_more_where_there_is_time() -> None:
    tried: list[str] = []

    @drawn(3, 14, st.integers())
    def counts(place: str, number: int) -> None:
        """What it is about."""
        tried.append(f"{place} {type(number).__name__}")

    for examples in (3, 14):
        tried.clear()
        counts(examples=examples, place="here")
        assert tried == ["here int"] * examples
    (mark,) = counts.pytestmark  # type: ignore[attr-defined]  # what pytest has put there
    some, more = mark.args[1]
    assert (some.values, some.marks, more.values) == ((3,), (), (14 // share(2),))
    assert [mark.name for mark in more.marks] == ["slow"]
    assert counts.__doc__ == "What it is about."


def test_an_example_that_fails_is_told_of() -> None:
    @drawn(20, 20, st.integers(0, 3))
    def small(number: int) -> None:
        assert number < 3

    with pytest.raises(AssertionError):
        small(examples=20)
