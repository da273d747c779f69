"""What dynamic words are proven to become."""

from __future__ import annotations

from execpolicy.programs.catalog import facts_of
from execpolicy.shell.read import read_script
from tests.support.each import each
from tests.support.judging import decision


def _cases(script: str) -> list[list[str | None]]:
    """The words that the last word of the last command can become, ``None`` for one that only the run knows."""
    facts = facts_of(read_script(script))
    return [[word.literal for word in case] for case in facts.cases(facts.script.commands[-1].words[-1])]


@each(
    ("script", "cases"),
    [
        ('for f in a b; do sort "$f"; done', [["a"], ["b"]]),
        ('n=3; for f in a$n b; do sort "$f"; done', [["a3"], ["b"]]),
        ('a=(x y); sort "${a[@]}"', [["x", "y"]]),
        ('n=3; a=(x $n); sort "${a[@]}"', [["x", "3"]]),
        ('for f in $(git rev-parse HEAD); do sort "$f"; done', [[None]]),
        ('a=("$(git rev-parse HEAD)" x); sort "${a[@]}"', [[None, "x"]]),
    ],
)
def test_every_value_is_known(script: str, cases: list[list[str | None]]) -> None:
    assert _cases(script) == cases


@each(
    "script",
    [
        'for f in ./$(cat g); do sort "$f"; done',
        'for f in ./`cat g`; do sort "$f"; done',
        'for f in a ./{b,$(cat g)}; do sort "$f"; done',
        'x=$(cat g); for f in ./$x; do sort "$f"; done',
        'select f in ./$(cat g); do sort "$f"; done',
        'a=(./$(cat g)); sort "${a[@]}"',
        'a=(x $(cat g)); sort "${a[@]}"',
        'x=; a=(x $x); sort "${a[@]}"',
        'x[1]=./a; sort "$x"',
    ],
)
def test_not_every_value_is_known(script: str) -> None:
    assert _cases(script) == []


def test_no_text_is_that_of_each_word_that_one_splits_into() -> None:
    facts = facts_of(read_script("n=./a; sort $n$(cat g)b"))
    ((word,),) = facts.cases(facts.script.commands[1].words[-1])
    assert word.many
    assert (word.prefix, word.suffix, word.beginning) == ("", "", "./a")
    assert word.may_start_with_dash()


def test_an_eval_that_ends_in_a_backslash_grants_nothing() -> None:
    rules = 'prefix_rule(pattern=["eval"])\n'
    assert decision("eval 'ls \\'", rules) == "prompt"  # bash 5.2 then takes the next `function` or `{` for a program
    assert decision("eval 'ls'", rules) == "allow"
