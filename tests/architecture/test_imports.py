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
IN_FUNCTIONS = 40
"""Of foreign modules that a usual check does without; one of ours would be deferred (``execpolicy/deferred.py``)."""
FOR_CHECKERS = 100


def in_functions(tree: ast.AST, inside: bool = False) -> Iterator[str]:
    """The imports that wait inside a function."""
    for node in ast.iter_child_nodes(tree):
        if inside and isinstance(node, (ast.Import, ast.ImportFrom)):
            yield ast.unparse(node)
        yield from in_functions(node, inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def has_block(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" for node in ast.walk(tree))


def outside_the_engine() -> dict[str, ast.Module]:
    return {name: tree for name, tree in syntax_trees(PACKAGE).items() if (name + ".").split(".")[1] not in ENGINE}


def test_few_imports_are_inside_functions() -> None:
    found = [f"{name}: {line}" for name, tree in outside_the_engine().items() for line in in_functions(tree)]
    assert len(found) <= IN_FUNCTIONS, "\n".join(found)


def test_few_modules_have_a_block_for_type_checkers() -> None:
    found = [name for name, tree in outside_the_engine().items() if has_block(tree)]
    assert len(found) <= FOR_CHECKERS, found


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
