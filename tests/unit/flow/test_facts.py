"""Facts are asked for: in any order, in circles, and within one budget of work."""

from __future__ import annotations

import pytest

from execpolicy.flow.facts import Inquiry
from execpolicy.programs.catalog import facts_of
from execpolicy.shell.limits import Budget, Limits
from execpolicy.shell.read import read_script
from tests.support.judging import decision, verdict

CIRCLES = (
    'echo "$(cat f)" > f',
    'echo "$(cat f)" >> f; cat f | sh',
    'echo "$(<f)" > f',
    'echo "$(cat f)" > g; echo "$(cat g)" > f; sh f',
    "x=$(echo $x | cat); $x y",
    "x=$y; y=$x; $x z",
    "a=(${a[@]} x); ${a[@]}",
    "f() { g | cat; }; g() { f | cat; }; f | sh",
    "tee >(cat > f) < f | sh < f",
)
"""Scripts in which the answer to a question is a part of the question."""
COSTLY = (
    "; ".join(['x=$(cat "$a"); cat "$x" >> "$a"'] * 12),
    "; ".join([f"v{at}=$(echo $v{at * 7 % 20} $v{at * 3 % 20} | tr a b); $v{at} x" for at in range(20)]),
    "\n".join([f'v{at}="echo $v{at - 1}; eval \\"$v{at - 1}\\""; eval "$v{at}"' for at in range(1, 120)]),
)
"""Scripts with more to follow than they are long."""


@pytest.mark.parametrize("script", CIRCLES)
def test_circles_come_to_an_end(script: str) -> None:
    found = verdict(script)
    assert found.decision.word == "prompt"
    assert not any("Error" in block.detail for block in found.blocks)


@pytest.mark.parametrize("script", COSTLY)
def test_costly_scripts_are_still_restricted(script: str) -> None:
    assert decision(script) == "prompt"
    assert decision(script + "; git push", 'prefix_rule(pattern=["git", "push"], decision="forbidden")') == "forbidden"


def test_nothing_is_allowed_where_the_work_came_to_an_end() -> None:
    rules = 'prefix_rule(pattern=["bash"])\nprefix_rule(pattern=["echo"])'
    assert decision("x=a; bash -c 'echo b'", rules) == "allow"
    assert decision(COSTLY[2] + "; bash -c 'echo b'", rules) == "prompt"


def test_an_inner_script_shares_the_budget() -> None:
    outer = facts_of(read_script("x=1; echo $x"))
    inner = outer.within(read_script("y=1; echo $y"))
    assert inner.budget is outer.budget


def test_an_answer_that_leans_on_an_open_question_is_not_kept() -> None:
    inquiry = Inquiry(Budget())

    def one() -> str:
        return "1" + inquiry.answer(("two",), two, (), "")

    def two() -> str:
        return "2" + inquiry.answer(("one",), one, (), "")

    assert inquiry.answer(("one",), one, (), "") == "12"
    assert inquiry.answer(("two",), two, (), "") == "212"
    assert inquiry.answer(("two",), two, (), "") == "212"


def test_questions_end_where_they_are_too_deep_or_too_much() -> None:
    inquiry = Inquiry(Budget(Limits(questions=5)))

    def deeper(at: int) -> int:
        return 1 + inquiry.answer(("deeper", at), deeper, (at + 1,), 0)

    assert inquiry.answer(("deeper",), deeper, (0,), 0) == 5
    spent = Inquiry(Budget(Limits(work=10)))
    assert spent.answer(("any",), deeper, (0,), -1) == -1


def test_values_are_worked_out_for_the_words_that_are_asked_about() -> None:
    facts = facts_of(read_script("x=$(echo a | cat); y=$x; A $y"))
    before = facts.budget.left
    assert facts.values(facts.script.commands[-1].words[1]) == (("a",),)
    assert facts.budget.left < before
    asked = facts.budget.left
    assert facts.values(facts.script.commands[-1].words[1]) == (("a",),)
    assert facts.budget.left == asked
