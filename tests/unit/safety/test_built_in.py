"""The entries of the package: their own examples hold, and each says what it is for."""

from __future__ import annotations

from typing import Any

from execpolicy.lang.examples import example_failures
from execpolicy.programs.catalog import facts_of
from execpolicy.safety.heuristics import Heuristics
from execpolicy.shell.read import read_script
from tests.support.each import each
from tests.support.entries import built_in_entries

ENTRIES = built_in_entries()


@each("entry", ENTRIES, ids=[f"{entry.kind}-{entry.name}" for entry in ENTRIES])
def test_examples_hold(entry: Any) -> None:
    heuristics = Heuristics([entry])

    def opinions(text: str) -> list[Any]:
        script = read_script(text)
        return [heuristics.opinion(command, facts_of(script)) for command in script.commands]

    assert example_failures(entry, opinions) == []
    assert entry.match, "an entry without an example proves nothing"
    assert entry.not_match, "an entry without a counter-example proves nothing"
    assert not entry.reason.endswith(".")


def test_names_are_unique() -> None:
    names = [(entry.kind, entry.name) for entry in ENTRIES]
    assert len(set(names)) == len(names)


def test_all_entries_together_find_nothing_safe_that_one_of_them_must_refuse() -> None:
    every = Heuristics(ENTRIES)
    leaks = []
    for entry in ENTRIES:
        if entry.kind == "safe_command":
            for example in entry.not_match:
                script = read_script(example)
                opinions = [every.opinion(one, facts_of(script)) for one in script.commands]
                if opinions and all(each.verdict == "safe" and not _effects(each) for each in opinions):
                    leaks.append((entry.name, example))
    assert leaks == []


def _effects(opinion: Any) -> list[Any]:
    return [one for one in opinion.locations if one.effect]
