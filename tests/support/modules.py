"""The modules of a package and the arrows between them, read off the syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

Arrows = dict[str, set[str]]
"""By module, the modules that it imports."""


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module of the package, which is parsed once for all tests that look at it."""
    return ast.parse(path.read_text("utf-8"), str(path))


def syntax_trees(package: Path) -> dict[str, ast.Module]:
    """Every module in the folder ``package``, by its full name; a package by its own, without ``__init__``."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = parsed(path)
    return found


def arrows(trees: dict[str, ast.Module], *, types: bool = False) -> Arrows:
    """Who imports whom, inside functions too.

    To import a module is to import the packages that it lies in, so these are arrows as well.

    Args:
        types: whether what is imported for type checkers alone counts. A package's face, which only hands names on, has
            no arrows then.
    """
    found: Arrows = {}
    for name, tree in trees.items():
        if types and any(other.startswith(f"{name}.") for other in trees) and _is_face(tree):
            found[name] = set()
            continue
        imported = set(_imported(tree, types=types))
        targets = {target for each in imported for target in _with_parents(each)} | _with_parents(name)
        found[name] = {target for target in targets if target in trees} - {name}
    return found


def _is_face(tree: ast.Module) -> bool:
    """Whether a module only hands names on: it lists them in ``__all__``."""
    return any(isinstance(node, ast.Name) and node.id == "__all__" for node in ast.walk(tree))


def circles(graph: Arrows) -> set[frozenset[str]]:
    """The largest sets of modules of which each imports every other, directly or through more of them."""
    graph = _without_ends(graph)
    reached = {name: _reached(graph, name) for name in graph}
    return {
        frozenset(other for other in reached[name] if name in reached[other]) for name in graph if name in reached[name]
    }


def _without_ends(graph: Arrows) -> Arrows:
    """What is left when modules that import none of the others are taken away, until there are no more of those."""
    while ends := {name for name, targets in graph.items() if not targets}:
        graph = {name: targets - ends for name, targets in graph.items() if name not in ends}
    return graph


def _reached(graph: Arrows, start: str) -> set[str]:
    """The modules at the end of at least one arrow from ``start``."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for target in graph[waiting.pop()] - found:
            found.add(target)
            waiting.append(target)
    return found


def _with_parents(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts) + 1)}


def _imported(node: ast.AST, *, types: bool) -> Iterator[str]:
    """Every name that could be an imported module: of ``from a import b``, both ``a`` and ``a.b``."""
    if not types and isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
        for statement in node.orelse:
            yield from _imported(statement, types=types)
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "relative imports are banned"
        assert node.module is not None
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):  # no import stands in an expression
            yield from _imported(child, types=types)
