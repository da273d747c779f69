"""A fault of a rule file, wherever it stands, is told of at its place and hides nothing that is said about the rest."""

import pytest

from execpolicy.lint.survey import Survey, survey
from execpolicy.source import Source
from tests.support.each import each, share

STATEMENTS = (
    'prefix_rule(pattern=["bash"])',
    '[prefix_rule(pattern=[word]) for word in ["node", "deno"]]',
    'prefix_rule(\n    pattern = ["git", ["push", "fetch"]],\n    match = ["git push origin"],\n)',
    "def own(word):\n    prefix_rule(pattern=[word])",
    'own("make")',
    'prefix_rule(pattern=["python3"], match=["python"])',
    'for word in ["rm"]:\n    prefix_rule(pattern=[word], decision="forbidden")',
    'prefix_rule(pattern=["last"])',
)
FAULTS = (
    'prefix_rule(pattern=["zz"], justification=" ")',
    'prefix_rule(pattern=["zz"] decision="allow")',
    'prefix_rule(\n    pattern=["zz"]\n    decision="allow",\n)',
    'prefix_rule(\npattern=["zz"],\ndecision="allow"\nmatch=["zz"],\n)',
    "x = = 3",
    'prefix_rule(pattern=["zz", "y"',
    'prefix_rule(pattern=["zz", "y", decision="allow")',
    'prefix_rule(pattern=["zz, "y"])',
    'prefix_rule(pattern=["zz])',
    'x = """open',
    "prefix_rule(pattern=[“zz”, “y”])",
    "prefix_rule(pattern=[‘zz’])",
    'prefix_rule(pattern=["zz"], pattern=["y"])',
    'prefix_rul(pattern=["zz"])',
    "prefix_rule(pattern=[zz])",
    'prefix_rule(pattern="zz")',
    "prefix_rule(pattern=[1])",
    "prefix_rule(pattern=[])",
    'prefix_rule(pattern=["zz"], decision="deny")',
    'prefix_rule(pattern=["zz"], match=["y a"])',
    'prefix_rule(pattern=["zz"], not_match=["zz a"])',
    'prefix_rule(decision="allow")',
    'prefix_rule(pattern=["zz"], foo=1)',
    'prefix_rule(["zz"], "allow", "x", "y", "z", "w", "q")',
    'prefix_rule pattern=["zz"]',
    'prefix_rule(pattern=["zz"]))',
    'load("x.star", "y")',
    '  prefix_rule(pattern=["zz"])',
    '\tprefix_rule(pattern=["zz"])',
    'if True:\nprefix_rule(pattern=["zz"])',
    "if True:\n    y = 1\nelse\n    y = 2",
    "class A: pass",
    "import os",
    "while True:\n    pass",
    "def g(:\n    return 1",
    'fail("boom")',
    "x = 1 // 0",
    'x = b"a"',
    'x = f"{1+1}"',
    'x = "a\x00b"',
    'x = {"a": 1',
    "$x = 3",
    'network_rule(host="a b", protocol="https", decision="allow")',
    'host_executable(name="zz", paths=["relative/zz"])',
    'safe_command(program="zz", bogus=3)',
    'write_rule(paths="x")',
)


OPEN_TO_THE_NEXT_CALL = 'prefix_rule(pattern=["zz"], # )'


def seen(survey: Survey) -> list[str]:
    return [repr(each) for each in survey.statements if "'zz'" not in repr(each)]


def problems(survey: Survey) -> list[tuple[str, int]]:
    return [(each.message, each.line) for each in survey.problems]


@each("fault", [*FAULTS, OPEN_TO_THE_NEXT_CALL])
def test_a_fault_hides_nothing_else(fault: str) -> None:
    assert_apart(fault, 1)


@pytest.mark.slow
@each("fault", FAULTS)
def test_a_fault_hides_nothing_else_wherever_it_stands(fault: str) -> None:
    places = range(len(STATEMENTS) + 1)
    for at in places[FAULTS.index(fault) % share(6) :: share(6)]:
        assert_apart(fault, at)


@pytest.mark.slow
@each("one", FAULTS)
def test_two_faults_are_two(one: str) -> None:
    """But where the first leaves a bracket open, or the second is indented as if it were of the first."""
    for other in FAULTS[FAULTS.index(one) % share(8) :: share(8)]:
        text = "\n".join((STATEMENTS[0], one, other, STATEMENTS[-1]))
        second = 3 + one.count("\n")
        last = second + other.count("\n")
        lines = [line for _, line in problems(survey(Source("a.rules", text), {}))]
        told = (sum(2 <= line < second for line in lines), sum(second <= line <= last for line in lines))
        goes_on = "never closed" in str(problems(survey(Source("a.rules", one), {}))) or other[0].isspace()
        assert told == (1, 1) or ((goes_on or one == other) and sum(told) == 1), (one, other, lines)
        assert len(lines) == sum(told), (one, other, lines)


def assert_apart(fault: str, at: int) -> None:
    whole = survey(Source("a.rules", "\n".join(STATEMENTS)), {})
    before = "\n".join(STATEMENTS[:at]) + "\n" * (at > 0)
    text = before + fault + "\n" + "\n".join(STATEMENTS[at:])
    first = before.count("\n") + 1
    last = first + fault.count("\n")
    goes_on = "".join(STATEMENTS[at : at + 1]).startswith(("for ", "["))  # behind an open bracket they may be of it
    found = survey(Source("a.rules", text), {})
    apart = [each for each in problems(found) if first <= each[1] <= last + goes_on]
    rest = [(message, line - (line > last) * (last - first + 1)) for message, line in problems(found)]
    assert len(apart) == 1, (at, problems(found))
    assert len(seen(found)) == len(seen(whole)), (at, seen(found))
    assert [each for each in rest if each[0] != apart[0][0]] == problems(whole), at
