"""A verdict carries its reason, its effects and its advice; an error of a rule file its places."""

import pytest

import execpolicy as ep
from tests.support.judging import builtin

BOOK = ep.Rulebook([ep.PrefixRule(["make"]), ep.PrefixRule(["deploy"], "forbidden", "not from here")])
PLACE = ep.Situation("/srv/p")


def test_its_text_shows_decision_and_reason() -> None:
    verdict = ep.check("deploy x", BOOK, situation=PLACE)
    assert repr(verdict) == "Verdict(forbidden, '`deploy x` is forbidden: not from here')"
    assert repr(verdict.commands[0]) == "CommandVerdict(forbidden, ['deploy', 'x'])"


@pytest.mark.parametrize(
    ("script", "read"),
    [
        ("cat -n x", ["x"]),
        ("head -3 x", ["x"]),
        ("grep -rn main .", ["."]),
        ("grep --file=words x", ["words", "x"]),
        ("cp -r a b", ["a"]),
    ],
)
def test_an_option_is_no_file_that_is_read(script: str, read: list[str]) -> None:
    effects = ep.check(script, builtin(), situation=PLACE).effects
    assert [effect.target for effect in effects if effect.kind == "read"] == read


def test_its_effects_are_those_of_an_explanation() -> None:
    verdict = ep.check("make > out.txt", BOOK, situation=PLACE)
    assert [(effect.kind, effect.target) for effect in verdict.effects] == [("run", "make"), ("write", "out.txt")]
    assert verdict.effects == ep.explain("make > out.txt", BOOK, situation=PLACE).effects


def test_its_advice_would_allow_it() -> None:
    assert ep.check("make", BOOK, situation=PLACE).advice is None
    advice = ep.check("build all", BOOK, situation=PLACE).advice
    assert advice is not None
    assert advice.proven
    told = ep.compile_source(ep.Source("more.rules", "\n".join(advice.rules))).statements
    assert ep.check("build all", BOOK.with_statements(*told), situation=PLACE).decision == "allow"


def test_a_broken_rule_file_is_named_with_its_places() -> None:
    with pytest.raises(ep.RuleFileError) as caught:
        ep.compile_source(ep.Source("my.rules", "prefix_rule(pattern=[])\n  prefix_rule(pattern=7)\n"))
    lines = str(caught.value).splitlines()
    assert lines
    assert all(line.startswith("my.rules:") for line in lines)
    assert lines[0].startswith(f"my.rules:{caught.value.diagnostics[0].line}:{caught.value.diagnostics[0].column}: ")


def test_an_effect_is_told_once() -> None:
    found = ep.check("make < a < a", BOOK, situation=PLACE).effects
    assert [(effect.kind, effect.target) for effect in found] == [("run", "make"), ("read", "a")]
