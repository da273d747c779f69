"""An allow is made of grounds that stand on the closed list, and in no other way."""

import ast
from pathlib import Path

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.ground import Ground
from execpolicy.errors import UsageError
from execpolicy.judge.command_verdict import CommandVerdict
from execpolicy.judge.grounds import FLOW, KINDS, NONE, PLAIN, beyond
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.shell.script import Command, Script
from execpolicy.source import Span
from tests.support.judging import verdict
from tests.support.modules import parsed

PACKAGE = Path(__file__).parents[2] / "execpolicy"
VERDICTS = ("Verdict", "CommandVerdict")
MODULES = ("execpolicy.judge.verdict", "execpolicy.judge.command_verdict")
HELD = ("decision", "grounds", "own_grounds")
"""What a verdict holds and nobody may change."""
MEANT = {
    "approvals/profile.py": {
        "uses Decision.ALLOW in _A, _P, _F = (Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN)"
    },
    "bytecode.py": {"calls setattr(sys.modules[parent], child, module)"},
    "cli/check_options.py": {
        "calls setattr(options, FLAGS[name], True)",
        "calls setattr(options, name[2:].replace('-', '_'), value)",
    },
    "cli/hook_command.py": {"uses Decision.ALLOW in HookRuling(Decision.ALLOW, verdict.reason, codes)"},
    "cli/hook_inbox.py": {  # a person's answer in the form of the agent; no verdict is made of it
        "uses Decision.ALLOW in asked.form.write(Decision.ALLOW, 'execpolicy: a person agreed in the inbox', call)"
    },
    "cli/commands/allow.py": {"sets answer.decision"},  # a person's answer about a rule
    "core/decision.py": {
        "calls str.__new__(Decision, word)",
        "uses Decision.ALLOW in Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN = _ALL",
    },
    "core/matches.py": {"sets self.decision"},
    "core/policy.py": {"calls object.__new__(cls)"},
    "core/rules.py": {"sets self.decision"},
    "core/path_rules.py": {"sets self.decision"},
    "validators.py": {"calls object.__setattr__(value, attribute, settled)"},  # only for `__post_init__`
    # a person saves a rule for a host; no verdict is made of it
    "insight/advising.py": {
        "uses Decision.ALLOW in NetworkRule(address.hostname or '', address.scheme, Decision.ALLOW)"
    },
    "gate/doctor.py": {  # what an agent understands
        "uses Decision.ALLOW in None if form.words[Decision.ALLOW] is None or form.statuses else Decision.ALLOW"
    },
    "inbox/study.py": {
        "uses Decision.ALLOW in NetworkRule(host, protocol, Decision.ALLOW)",
        "uses Decision.ALLOW in render_network_rule(network[0], network[1], Decision.ALLOW)",
        "uses Decision.ALLOW in manager.amend_network(host, protocol, Decision.ALLOW)",
    },
    "judge/file_write.py": {
        "uses Decision.ALLOW in Decision.ALLOW if self.covered and self.grantable else None"  # on `write-covered`
    },
    "judge/grants.py": {"sets self.grounds"},
    "judge/judge.py": {
        "imports Verdict",
        "imports CommandVerdict",  # a command that could not be judged is asked about at least
        "uses Decision.ALLOW in Decision.ALLOW if opinion == 'safe' else Decision.PROMPT",
        "uses Decision.ALLOW in return (Decision.ALLOW, (), 'nothing-to-run', (), grounds)",
        "uses Decision.ALLOW in return (Decision.ALLOW, allowing, 'rule', (), grounds)",
    },
    "judge/rulebook.py": {
        "calls object.__new__(cls)",
        "calls object.__new__(Rulebook)",
        "calls object.__setattr__(made, each, getattr(self, each))",
        "calls object.__setattr__(made, name, value)",
    },
    "judge/stored_policy.py": {
        "uses Decision.ALLOW in DECISIONS = (Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN)"
    },
    "layers/untrusted.py": {"uses Decision.ALLOW in getattr(statement, 'decision', Decision.ALLOW)"},
    # no permission rule limits the call; a person's answer
    "protocol/policy_decider.py": {"uses Decision.ALLOW in Ruling(decision=Decision.ALLOW, reason='')"},
    "protocol/questions.py": {"uses Decision.ALLOW in ruling.changed(Decision.ALLOW, why)"},
    "safety/heuristics.py": {"calls object.__new__(cls)"},
}
"""Where the package does one of these things without making a verdict: rules, matches and answers decide, too."""


def _trees() -> list[tuple[str, ast.Module]]:
    return [(str(path.relative_to(PACKAGE)), parsed(path)) for path in sorted(PACKAGE.rglob("*.py"))]


def ways(tree: ast.Module) -> set[str]:
    """Everything in a module by which a verdict could be made or changed."""
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and any(_last(one) == "TYPE_CHECKING" for one in ast.walk(node.test))
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    annotations = _only_in_annotations(tree)
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= _imported(node, annotations)
        elif isinstance(node, ast.Call):
            found |= _called(node)
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr, ast.withitem)):
            found |= _assigned(node)
        if isinstance(node, (ast.Call, ast.Assign, ast.IfExp, ast.Return, ast.AnnAssign)):
            parts = list(ast.iter_child_nodes(node))
            parts = [part.value if isinstance(part, ast.keyword) and part.arg != "default" else part for part in parts]
            parts += [one for part in parts if isinstance(part, (ast.Tuple, ast.List)) for one in part.elts]
            if any(isinstance(part, ast.Attribute) and ast.unparse(part).endswith("Decision.ALLOW") for part in parts):
                found.add(f"uses Decision.ALLOW in {ast.unparse(node)}")
    return found


def _only_in_annotations(tree: ast.Module) -> set[str]:
    """The names that only annotations use, which are never evaluated."""
    hints = [
        hint
        for node in ast.walk(tree)
        for hint in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if isinstance(hint, ast.AST)
    ]
    within = {id(name) for hint in hints for name in ast.walk(hint)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return {name.id for name in names if id(name) in within} - {name.id for name in names if id(name) not in within}


def _imported(node: ast.Import | ast.ImportFrom, annotations: set[str]) -> set[str]:
    if isinstance(node, ast.Import):
        return {"imports the module" for one in node.names if one.name in MODULES}
    if node.module == "execpolicy.judge":
        return {"imports the module" for one in node.names if f"execpolicy.judge.{one.name}" in MODULES}
    inside = node.module in MODULES
    names = [one.name for one in node.names if (one.asname or one.name) not in annotations]
    return {f"imports {name}" for name in names if name in (*VERDICTS, "*")} if inside else set()


def _called(node: ast.Call) -> set[str]:
    name = _last(node.func)
    if name.endswith("__new__"):
        return {f"calls {ast.unparse(node)}"}
    if _named(node) == "setattr" or name.endswith("__setattr__"):
        attribute = node.args[1] if len(node.args) > 1 else None
        harmless = isinstance(attribute, ast.Constant) and attribute.value not in HELD
        return set() if harmless else {f"calls {ast.unparse(node)}"}
    return set()


def _assigned(node: ast.AST) -> set[str]:
    targets: list[ast.expr] = getattr(node, "targets", None) or [
        target for name in ("target", "optional_vars") if (target := getattr(node, name, None)) is not None
    ]
    return {
        f"sets {ast.unparse(one)}"
        for target in targets
        for one in ast.walk(target)
        if isinstance(one, ast.Attribute) and one.attr in HELD and isinstance(one.ctx, ast.Store)
    }


def _codes() -> set[str]:
    """Every code that some call of ``Ground`` names, also where a variable holds one of two."""
    found: set[str] = set()
    for _, tree in _trees():
        if not any(isinstance(node, ast.Call) and _named(node) == "Ground" for node in ast.walk(tree)):
            continue
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


def _last(node: ast.AST) -> str:
    """The last part of a dotted name."""
    return getattr(node, "attr", None) or getattr(node, "id", "")


def _named(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def test_only_the_judge_makes_verdicts_and_nobody_changes_them() -> None:
    found = {path: ways(tree) for path, tree in _trees()}
    assert {path: each for path, each in found.items() if each} == MEANT


@pytest.mark.parametrize(
    "text",
    [
        "from execpolicy.judge.verdict import Verdict",
        "from execpolicy.judge.verdict import CommandVerdict as Other",
        "from execpolicy.judge.verdict import *",
        "from execpolicy.judge import verdict as v",
        "import execpolicy.judge.verdict as v",
        "from execpolicy.judge.verdict import CommandVerdict",
        "def f():\n    from execpolicy.judge.verdict import Verdict",
        "verdict.decision = worst",
        "a, verdict.grounds = b",
        "verdict.own_grounds += more",
        "for verdict.decision in x: pass",
        "setattr(verdict, 'decision', worst)",
        "object.__setattr__(verdict, 'grounds', more)",
        "object.__setattr__(verdict, name, more)",
        "object.__new__(type(verdict))",
        "type(verdict)(Decision.ALLOW, (), script, (), grounds)",
        "verdict.of(Decision.ALLOW)",
        "made = make(decision=Decision.ALLOW)",
        "def f():\n    return Decision.ALLOW",
        "decision = Decision.ALLOW",
        "d: Decision = Decision.ALLOW",
        "x = core.decision.Decision.ALLOW",
        "y = Decision.ALLOW if sure else Decision.PROMPT",
    ],
)
def test_a_new_way_is_seen(text: str) -> None:
    assert ways(ast.parse(text))


def test_a_name_that_only_annotations_use_makes_no_verdict() -> None:
    text = "from execpolicy.judge.verdict import Verdict\ndef f(x: Verdict, y: list[Verdict]) -> Verdict:\n    {}\n"
    assert ways(ast.parse(text.format("z: Verdict = x"))) == set()
    assert ways(ast.parse(text.format("return Verdict(x)"))) == {"imports Verdict"}


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
        Verdict(decision, (), script, (), wrong, Rulebook(), Situation("/"))
    right: tuple[Ground, ...] = (Ground("words-literal"),) if allowed else ()
    assert CommandVerdict(command, (), decision, (), "rule", grounds=right).grounds == right
    assert Verdict(decision, (), script, (), right, Rulebook(), Situation("/")).grounds == right


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

    with pytest.raises(UsageError, match="may be granted"):
        rulebook().with_grants("all")  # type: ignore[arg-type]  # what a caller without types may do
    assert rulebook().with_grants("plain").with_statements().grants == "plain"
