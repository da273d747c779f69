"""An allow is made of grounds that stand on the closed list, and in no other way."""

import ast
from pathlib import Path

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.ground import Ground
from execpolicy.judge.grounds import FLOW, KINDS, NONE, PLAIN, beyond
from execpolicy.judge.verdict import CommandVerdict, Verdict
from execpolicy.shell.script import Command, Script
from execpolicy.source import Span
from tests.support.judging import verdict

PACKAGE = Path(__file__).parents[2] / "execpolicy"
MAKERS = {"Verdict": {"judge/judge.py"}, "CommandVerdict": {"judge/judge.py", "judge/verdict.py"}}


def _calls() -> list[tuple[str, ast.Call]]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found.append((str(path.relative_to(PACKAGE)), node))
    return found


def _codes() -> set[str]:
    """Every code that some call of ``Ground`` names, also where a variable holds one of two."""
    found: set[str] = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for function in ast.walk(tree):
            calls = [n for n in ast.walk(function) if isinstance(n, ast.Call) and _named(n) == "Ground"]
            if not calls:
                continue
            variables = {n.args[0].id for n in calls if n.args and isinstance(n.args[0], ast.Name)}
            found |= {n.args[0].value for n in calls if n.args and isinstance(n.args[0], ast.Constant)}
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and any(
                    isinstance(target, ast.Name) and target.id in variables for target in node.targets
                ):
                    found |= {n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant) and n.value in KINDS}
    return found


def _named(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def test_only_the_judge_makes_verdicts() -> None:
    makers: dict[str, set[str]] = {name: set() for name in MAKERS}
    for path, call in _calls():
        if call.func.id in makers:  # type: ignore[attr-defined]  # only names are collected
            imported = "from execpolicy.judge.verdict import" in (PACKAGE / path).read_text("utf-8")
            if imported or path.startswith("judge/"):
                makers[call.func.id].add(path)  # type: ignore[attr-defined]
    assert makers == MAKERS


def test_nothing_changes_a_decision_or_its_grounds_afterwards() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target] if hasattr(node, "target") else []
            for target in targets:
                if isinstance(target, ast.Attribute) and target.attr in ("grounds", "own_grounds"):
                    found.append((str(path.relative_to(PACKAGE)), ast.unparse(target)))
    assert set(found) <= {
        ("judge/verdict.py", "self.grounds"),
        ("judge/verdict.py", "self.own_grounds"),
        ("judge/grants.py", "self.grounds"),
        ("judge/grants.py", "copy.grounds"),
    }


def test_every_ground_is_on_the_list_and_every_kind_is_used() -> None:
    assert _codes() == set(KINDS)


def test_kinds_rest_on_kinds() -> None:
    for kind in KINDS.values():
        assert set(kind.rests_on) <= set(KINDS), kind.code
        assert kind.claim.endswith(".")
        assert kind.tried
        for other in kind.rests_on:
            assert not beyond(other, kind.reach), f"{kind.code} may be used where {other} may not"


def test_reaches_are_ordered() -> None:
    assert not any(beyond(code, FLOW) for code in KINDS)
    assert beyond("variable-proven", PLAIN)
    assert not beyond("rule-covers", PLAIN)
    assert beyond("rule-covers", NONE)
    assert not beyond("policy-permits", NONE)


@pytest.mark.parametrize("decision", [Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN])
def test_an_allow_needs_grounds_and_nothing_else_has_any(decision: Decision) -> None:
    command, script = Command((), Span(0, 0)), Script("", "bash", "plain", ())
    allowed = decision is Decision.ALLOW
    wrong: tuple[Ground, ...] = () if allowed else (Ground("words-literal"),)
    with pytest.raises(ValueError, match="ground"):
        CommandVerdict(command, (), decision, (), "rule", grounds=wrong)
    with pytest.raises(ValueError, match="ground"):
        Verdict(decision, (), script, (), wrong)
    right: tuple[Ground, ...] = (Ground("words-literal"),) if allowed else ()
    assert CommandVerdict(command, (), decision, (), "rule", grounds=right).grounds == right
    assert Verdict(decision, (), script, (), right).grounds == right


@pytest.mark.parametrize(
    ("script", "rules", "codes"),
    [
        ("ls -la", "", {"script-understood", "program-named", "entry-accepts", "words-literal"}),
        ("make x", 'prefix_rule(pattern=["make"])', {"rule-covers", "words-literal", "program-named"}),
        ("ls 2>/dev/null 2>&1", "", {"write-null", "descriptor-kept"}),
        ("LC_ALL=C sort < a.txt", "", {"assignment-harmless", "input-harmless"}),
        ("PAGER=cat git log", "", {"assignment-harmless"}),
        ("timeout 5 ls", "", {"wrapper-transparent", "entry-accepts"}),
        ("bash -c 'ls a'", "", {"text-handed-on", "entry-accepts"}),
        ("x=1", "", {"sets-variables", "assignment-harmless"}),
        ("[[ -f x ]]", "", {"condition-harmless"}),
        ("[[ -f x ]] && ls", "", {"condition-harmless", "entry-accepts"}),
        ("n=3; foo $((n + 2))", 'prefix_rule(pattern=["foo"])', {"arithmetic-number", "rule-covers"}),
        ("n=3; head -n $n a.txt", "", {"variable-proven", "sets-variables"}),
        ("f() { head -n 3 a.txt; }; f", "", {"function-in-force"}),
        ('f() { sort "$1"; }; f a.txt', "", {"function-in-force", "call-proven"}),
        ("head -n $((1 + 2)) a.txt", "", {"arithmetic-number"}),
        ('n=$(wc -l < a.txt); head -n "$n" b.txt', "", {"output-number"}),
        ('git show "$(git rev-parse HEAD)"', "", {"output-hash"}),
        ("grep x ./*.md", "", {"glob-anchored"}),
        ("echo $HOME", "", {"dynamic-inert"}),
        ("foo $HOME", 'prefix_rule(pattern=["foo"])', {"dynamic-behind-rule", "rule-covers"}),
        ("./run.sh", 'prefix_rule(pattern=["./run.sh"])', {"folder-known", "rule-covers"}),
        ("ls > out.txt", 'write_rule(paths=["./out.txt"], decision="allow")', {"write-covered", "folder-known"}),
    ],
)
def test_what_an_allow_rests_on(script: str, rules: str, codes: set[str]) -> None:
    found = verdict(script, rules)
    assert found.decision is Decision.ALLOW
    assert codes <= {ground.code for ground in found.grounds}
    assert all(command.grounds for command in found.commands)
    body = found.to_json_with_grounds()
    assert body["grounds"]
    for command in [body, *body["commands"]]:
        for ground in command["grounds"]:
            assert set(ground) == {"code", "span", "detail"}
            assert 0 <= ground["span"][0] <= ground["span"][1] <= len(script)


@pytest.mark.parametrize(
    ("script", "rules", "none", "plain"),
    [
        ("ls -la", "", "prompt", "allow"),
        ("make x", 'prefix_rule(pattern=["make"])', "prompt", "allow"),
        ("timeout 5 ls", "", "prompt", "allow"),
        ("[[ -f x ]]", "", "prompt", "allow"),
        ("(( 1 + 1 ))", "", "prompt", "allow"),
        ("n=3; (( n + 1 ))", "", "prompt", "prompt"),
        ("# nothing", "", "prompt", "prompt"),
        ("x=1", "", "prompt", "allow"),
        ("n=3; head -n $n a.txt", "", "prompt", "prompt"),
        ("foo $HOME", 'prefix_rule(pattern=["foo"])', "prompt", "prompt"),
        ("f() { ls; }; f", "", "prompt", "prompt"),
        ("rm x", 'prefix_rule(pattern=["rm"], decision="forbidden")', "forbidden", "forbidden"),
    ],
)
def test_a_setting_says_how_far_grants_go(script: str, rules: str, none: str, plain: str) -> None:
    from execpolicy.judge.check import check
    from tests.support.judging import PLACE, rulebook

    book = rulebook(rules)
    found = [check(script, book.with_grants(reach), situation=PLACE).decision.word for reach in (NONE, PLAIN, FLOW)]
    assert found[:2] == [none, plain]
    assert found[2] == verdict(script, rules).decision.word


def test_a_reach_is_one_of_three_words() -> None:
    from tests.support.judging import rulebook

    with pytest.raises(ValueError, match="grants are"):
        rulebook().with_grants("all")  # type: ignore[arg-type]  # what a caller without types may do
    assert rulebook().with_grants("plain").with_statements().grants == "plain"
