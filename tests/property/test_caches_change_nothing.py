"""Every answer is the same with all caches and memories on as with all of them off, over every corpus.

What is off is what is kept for later: verdicts (``check``), opinions on plain words (``Heuristics``), facts about a
script (``Facts.once``) and rules that were compiled before (``restored``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from execpolicy.flow.facts import Facts
from execpolicy.judge.check import check
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.stored import restored, store
from execpolicy.safety import heuristics
from tests.support.each import share, some_and_all
from tests.support.judging import PLACE, builtin, rulebook

CORPORA = Path(__file__).parents[1] / "data" / "corpora"
NAMES = ("attacks", "fresh", "bypass", "own_bypass", "benign", "own_benign", "beyond")
RULES = """
prefix_rule(pattern = ["git", "push"], decision = "forbidden")
prefix_rule(pattern = ["rm"], decision = "prompt")
prefix_rule(pattern = ["make"])
"""
MANY = 5_000
"""Scripts of a corpus of which a share is tried."""
DEEPEST = 10
"""Substitutions in a script that is judged without its facts being kept: each doubles the work."""


class Tried(NamedTuple):
    """A script of a corpus, the shell that reads it and the rules that it was written against."""

    script: str
    shell: str
    rules: str


def _rules_of(entry: dict[str, Any]) -> str:
    """The rules that the tests of each corpus judge ``entry`` with, beside the built-in layer."""
    allowed = "".join([f"prefix_rule(pattern=[{json.dumps(name)}])\n" for name in entry.get("allowed", ())])
    inner = entry.get("inner") or (["pwn"] if entry.get("must") == "forbidden" and "rules" not in entry else None)
    forbidden = f'prefix_rule(pattern={json.dumps(inner)}, decision="forbidden")\n' if inner else ""
    return entry.get("rules", "") + allowed + forbidden


@cache
def corpus(name: str) -> tuple[Tried, ...]:
    lines = (CORPORA / f"{name}.jsonl").read_bytes().splitlines()
    entries = [json.loads(line) for line in lines]
    return tuple(dict.fromkeys(Tried(each["script"], each.get("shell", "bash"), _rules_of(each)) for each in entries))


@contextmanager
def nothing_is_kept(*, facts: bool) -> Iterator[None]:
    """No opinion is remembered and, with ``facts``, no fact about a script."""
    with pytest.MonkeyPatch.context() as off:
        off.setattr(heuristics, "_FEW", 0)
        if facts:
            off.setattr(Facts, "once", _worked_out_again)
        yield


def _worked_out_again(facts: Facts, work_out: Callable[..., Any], *asked: object) -> Any:
    return work_out(facts, *asked)


def answers_without(tried: tuple[Tried, ...], books: dict[str, Rulebook], *, facts: bool) -> list[object]:
    with nothing_is_kept(facts=facts):
        found = [judge_script(read_command(one.script, shell=one.shell), books[one.rules], PLACE) for one in tried]
        return [verdict.to_json() for verdict in found]


@pytest.mark.parametrize("every", some_and_all(10))
@pytest.mark.parametrize("name", NAMES)
def test_answers_under_the_rules_of_the_corpus_are_those_without_caches(name: str, every: int) -> None:
    tried = corpus(name)[:: every * (share(8) if len(corpus(name)) > MANY else 1)]
    plain = {rules: rulebook(rules) for rules in {one.rules for one in tried}}
    cached = {rules: restored(store(book)) for rules, book in plain.items()}
    expected = answers_without(tried, plain, facts=False)
    for _ in range(2):  # the second time from memory
        with_all = [check(one.script, cached[one.rules], shell=one.shell, situation=PLACE) for one in tried]
        assert [verdict.to_json() for verdict in with_all] == expected
    flat = [at for at, one in enumerate(tried) if one.script.count("$(") < DEEPEST]
    assert len(flat) >= len(tried) - 1
    again = answers_without(tuple([tried[at] for at in flat]), plain, facts=True)
    assert again == [expected[at] for at in flat]


@pytest.mark.parametrize("every", some_and_all(25))
@pytest.mark.parametrize("rules", ["", RULES])
def test_answers_with_every_cache_are_those_without(rules: str, every: int) -> None:
    scripts = list(dict.fromkeys(one.script for name in NAMES for one in corpus(name)))
    assert len(scripts) > 5_000
    scripts = scripts[:: max(every, share(12))]
    plain = Rulebook((*builtin().statements, *rulebook(rules, heuristics=False).statements))
    with nothing_is_kept(facts=False):
        expected = [judge_script(read_command(script), plain, PLACE).to_json() for script in scripts]
    assert not plain.heuristics._known
    cached = restored(store(plain))
    for _ in range(2):  # the second time from memory
        assert [check(script, cached, situation=PLACE).to_json() for script in scripts] == expected
    assert cached.heuristics._known


def test_the_corpora_are_all_of_them() -> None:
    assert sorted(NAMES) == sorted(path.stem for path in CORPORA.glob("*.jsonl"))
