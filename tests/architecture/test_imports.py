"""Imports stand at the top: few are inside functions, and few modules have a block for type checkers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import execpolicy
from tests.support.modules import syntax_trees

PACKAGE = Path(execpolicy.__file__).parent
ENGINE = {"flow", "programs", "safety", "judge"}
IN_FUNCTIONS = {"the engine": 45, "the others": 36}
"""Of modules that a usual check does without; outside the engine, one of ours would be deferred."""
FOR_CHECKERS = {"the engine": 75, "the others": 75}


def in_functions(tree: ast.AST, inside: bool = False) -> Iterator[str]:
    """The imports that wait inside a function."""
    for node in ast.iter_child_nodes(tree):
        if inside and isinstance(node, (ast.Import, ast.ImportFrom)):
            yield ast.unparse(node)
        yield from in_functions(node, inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def has_block(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" for node in ast.walk(tree))


def modules_of(part: str) -> dict[str, ast.Module]:
    trees = syntax_trees(PACKAGE).items()
    return {name: tree for name, tree in trees if ((name + ".").split(".")[1] in ENGINE) is (part == "the engine")}


@pytest.mark.parametrize(("part", "most"), IN_FUNCTIONS.items())
def test_few_imports_are_inside_functions(part: str, most: int) -> None:
    found = [f"{name}: {line}" for name, tree in modules_of(part).items() for line in in_functions(tree)]
    assert len(found) <= most, "\n".join(found)


@pytest.mark.parametrize(("part", "most"), FOR_CHECKERS.items())
def test_few_modules_have_a_block_for_type_checkers(part: str, most: int) -> None:
    found = [name for name, tree in modules_of(part).items() if has_block(tree)]
    assert len(found) <= most, found


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("import os", []),
        ("def f():\n    import os", ["import os"]),
        ("class A:\n    async def f(self):\n        if self:\n            from a import b", ["from a import b"]),
    ],
)
def test_an_import_in_a_function_is_seen(text: str, lines: list[str]) -> None:
    assert [*in_functions(ast.parse(text))] == lines
