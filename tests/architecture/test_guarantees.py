"""The examples of ``docs/guarantees.md`` get the answers that it gives."""

from __future__ import annotations

import re
from pathlib import Path

from execpolicy.core.decision import Decision
from tests.support.each import each
from tests.support.judging import verdict

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guarantees.md").read_text("utf-8")
RULES, FORBIDDEN = (re.findall(rf"```{block}\n(.*?)```", PAGE, re.DOTALL)[0] for block in ("starlark", "sh"))
NOT_PROMISED = re.findall(r"^### (\d)\. .*?^Example: `(.*?)` → \*\*(\w+)\*\*", PAGE, re.MULTILINE | re.DOTALL)


def decided(script: str) -> Decision:
    return verdict(script, RULES).decision


@each("script", FORBIDDEN.splitlines())
def test_each_spelling_is_forbidden(script: str) -> None:
    assert decided(script) is Decision.FORBIDDEN


@each("script, answer", [('git "$x"', "prompt"), ("grep 'git push' notes", "allow")])
def test_words_of_the_run_ask_and_mentions_do_not(script: str, answer: str) -> None:
    assert f"`{script}`" in PAGE
    assert decided(script).word == answer


def test_every_paragraph_of_what_is_not_promised_has_an_example() -> None:
    assert [number for number, _, _ in NOT_PROMISED] == list("123456")


@each("number, script, answer", NOT_PROMISED)
def test_what_is_not_promised_gets_the_answer_of_its_example(number: str, script: str, answer: str) -> None:
    del number
    assert decided(script).word == answer
