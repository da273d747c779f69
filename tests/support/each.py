"""Many small cases as one test: a test for each costs more than what most of them do."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

Case = Callable[..., None]
_SHOWN = 20
_Parameters = type(pytest.param())


def each(
    names: str | Sequence[str], cases: Iterable[Any], ids: Iterable[object] | Callable[[Any], object] | None = None
) -> Callable[[Case], Callable[..., None]]:
    """Like ``pytest.mark.parametrize``, as one test that tries every case and tells of all that fail.

    Fixtures that the test takes besides are the same ones for all cases, and nothing may be skipped.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(cases)
    labels: list[object] = [ids(case) for case in cases] if callable(ids) else list(ids if ids is not None else cases)
    assert len(labels) == len(cases) > 0, "a test without a case says nothing"
    for at, case in enumerate(cases):
        if isinstance(case, _Parameters):
            assert not case.marks, "a case by itself has no marks: give it a test of its own"
            labels[at], cases[at] = case.id, case.values if len(names) > 1 else case.values[0]

    def decorate(test: Case) -> Callable[..., None]:
        @functools.wraps(test)
        def loop(**fixtures: Any) -> None:
            failed = []
            for label, case in zip(labels, cases, strict=True):
                values = (case,) if len(names) == 1 else tuple(case)
                try:
                    test(**dict(zip(names, values, strict=True)), **fixtures)
                except Exception as error:  # whatever it is, the other cases are tried
                    error.add_note(f"in the case {label!r}"[:2000])
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(cases)} cases of {test.__name__}", failed[:_SHOWN])

        others = [one for name, one in inspect.signature(test).parameters.items() if name not in names]
        loop.__signature__ = inspect.Signature(others)  # type: ignore[attr-defined]  # what pytest asks for fixtures
        return loop

    return decorate


def slow_ones(cases: Iterable[Any], slow: Iterable[Any]) -> list[Any]:
    """``cases`` for ``parametrize``, of which ``slow`` take long: CI runs those, the README's test command does not."""
    long = set(slow)
    cases = list(cases)
    assert long < set(cases), "only some of the cases are slow"
    return [pytest.param(case, marks=pytest.mark.slow) if case in long else case for case in cases]


def share(every: int) -> int:
    """One in how many cases CI tries of what has very many; ``EXECPOLICY_WHOLE=1`` makes it a long run of all."""
    return 1 if os.environ.get("EXECPOLICY_WHOLE") else every


def some_and_all(every: int) -> list[Any]:
    """Steps for ``parametrize``: the README's test command tries one case in ``every``, CI some times as many."""
    return [pytest.param(every, id="some"), pytest.param(share(-(-every // 3)), id="more", marks=pytest.mark.slow)]


def drawn(few: int, many: int, *strategies: SearchStrategy[Any]) -> Callable[[Case], Callable[..., None]]:
    """Like hypothesis' ``given``: ``few`` examples are drawn by the README's test command, half of ``many`` by CI.

    What the test takes in front of the values that are drawn, it takes from pytest.
    """

    def decorate(test: Case) -> Callable[..., None]:
        def loop(examples: int, **fixtures: Any) -> None:
            settings(max_examples=examples)(given(*strategies)(test))(**fixtures)

        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(loop, name, getattr(test, name))
        asked = list(inspect.signature(test).parameters.values())[: -len(strategies)]
        counted = inspect.Parameter("examples", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        loop.__signature__ = inspect.Signature([counted, *asked])  # type: ignore[attr-defined]  # as above
        both = [pytest.param(few, id="some"), pytest.param(many // share(2), id="more", marks=pytest.mark.slow)]
        return pytest.mark.parametrize("examples", both)(loop)

    return decorate
