"""The signatures of public names: every type in them is public itself, errors and units are told.

Types that no program makes a value of are in ``execpolicy.types``.
"""

import ast
import builtins
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tests.support.public import HOMES

OF_THE_ENGINE = {
    "Alternatives", "Argument", "BuiltinCall", "Conditions", "Facts", "Grammar", "Kept", "Location", "MeantRule",
    "Node", "Opinion", "ParseFacts", "PatternTrie", "Piece", "Refusal", "RuleSight", "RuleToken", "RulesByMeaning",
    "Value", "Withheld", "WrittenFile",
}  # fmt: skip
"""What rules, entries and scripts become while they are judged: nobody outside is given one or gives one."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def tree(module: str) -> ast.Module:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return ast.parse(Path(spec.origin).read_text("utf-8"))


@cache
def definitions(module: str) -> dict[str, tuple[str, ast.AST]]:
    """The classes and type aliases that ``module`` defines or imports: the module of each, and the statement."""
    found: dict[str, tuple[str, ast.AST]] = {}
    for statement in ast.walk(tree(module)):
        if isinstance(statement, ast.ImportFrom) and str(statement.module).startswith("execpolicy"):
            there = definitions(str(statement.module)) if len(statement.names) else {}
            found.update({each.name: there[each.name] for each in statement.names if each.name in there})
        elif isinstance(statement, ast.ClassDef):
            found[statement.name] = module, statement
        elif isinstance(statement, ast.AnnAssign) and ast.unparse(statement.annotation) == "TypeAlias":
            found[ast.unparse(statement.target)] = module, statement
    return found


def is_private(statement: ast.stmt) -> bool:
    name = getattr(statement, "name", "") or ast.unparse(getattr(statement, "target", ast.Name("")))
    return name.startswith("_") and name not in ("__init__", "__call__")


def annotations(statement: ast.AST) -> list[ast.expr]:
    """The annotations that a user of a class or function sees."""
    if isinstance(statement, ast.ClassDef):
        return [found for each in statement.body if not is_private(each) for found in annotations(each)]
    if isinstance(statement, FUNCTIONS):
        taken = statement.args
        every = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
        return [each for each in [*[one.annotation for one in every if one], statement.returns] if each is not None]
    return [statement.annotation] if isinstance(statement, ast.AnnAssign) else []


def hidden(module: str, expression: ast.expr) -> set[str]:
    """The types in ``expression`` that no list of public names has; an alias that none has is what it stands for."""
    found: set[str] = set()
    for node in ast.walk(expression):
        name = node.id if isinstance(node, ast.Name) else getattr(node, "value", None)
        if not isinstance(name, str) or hasattr(builtins, name) or name in HOMES or name in OF_THE_ENGINE:
            continue
        home, statement = definitions(module).get(name, ("", None))
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            found |= hidden(home, statement.value)
        elif statement is not None:
            found.add(f"{home}.{name}")
    return found


def test_every_type_in_a_public_signature_is_public() -> None:
    wrong: dict[str, set[str]] = {}
    for name, home in HOMES.items():
        for statement in tree(home).body:
            if getattr(statement, "name", "") == name:
                for one in [one for each in annotations(statement) for one in hidden(home, each)]:
                    wrong.setdefault(one, set()).add(name)
    assert wrong == {}


def calls() -> Iterator[tuple[str, str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The public functions and methods, with the docstrings that tell of them."""
    for name, home in HOMES.items():
        for statement in tree(home).body:
            if getattr(statement, "name", "") != name or not isinstance(statement, (ast.ClassDef, *FUNCTIONS)):
                continue
            for each in statement.body if isinstance(statement, ast.ClassDef) else [statement]:
                if isinstance(each, FUNCTIONS) and not is_private(each) and not each.decorator_list[1:]:
                    texts = [ast.get_docstring(each), ast.get_docstring(statement)]
                    yield f"{name}.{each.name}", "\n".join([text for text in texts if text]), each


def caught(call: ast.AST) -> set[ast.AST]:
    """What stands where something is caught."""
    tries = [node for node in ast.walk(call) if isinstance(node, ast.Try) and node.handlers]
    return {node for one in tries for statement in one.body for node in ast.walk(statement)}


def test_every_public_call_tells_what_it_raises_and_in_which_unit_it_takes_time() -> None:
    wrong = []
    for name, told, call in calls():
        if "See :" in told or any(ast.unparse(each).endswith(".setter") for each in call.decorator_list):
            continue
        if not told:
            wrong.append(f"{name}: no docstring")
        for node in set(ast.walk(call)) - caught(call):
            raised = ast.unparse(node.exc).partition("(")[0] if isinstance(node, ast.Raise) and node.exc else ""
            if raised.endswith("Error") and not hasattr(builtins, raised) and raised not in told:
                wrong.append(f"{name}: raises {raised}")
        for taken in [*call.args.args, *call.args.kwonlyargs]:
            if taken.annotation is not None and "float" in ast.unparse(taken.annotation) and "seconds" not in told:
                wrong.append(f"{name}: the unit of {taken.arg}")
    assert wrong == []
