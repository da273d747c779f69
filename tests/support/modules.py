"""The modules of a package and the arrows between them, read off the syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

Arrows = dict[str, set[str]]
"""By module, the modules that it imports."""


def syntax_trees(package: Path) -> dict[str, ast.Module]:
    """Every module in the folder ``package``, by its full name; a package by its own, without ``__init__``."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text("utf-8"), str(path))
    return found


def arrows(trees: dict[str, ast.Module]) -> Arrows:
    """Who imports whom, inside functions too, but not for type checkers alone.

    To import a module is to import the packages that it lies in, so these are arrows as well.
    """
    found: Arrows = {}
    for name, tree in trees.items():
        parents = _with_parents(name)
        targets = {target for imported in _imported(tree) for target in _with_parents(imported)} | parents
        found[name] = {target for target in targets if target in trees} - {name}
    return found


def circles(graph: Arrows) -> set[frozenset[str]]:
    """The largest sets of modules of which each imports every other, directly or through more of them."""
    reached = {name: _reached(graph, name) for name in graph}
    return {
        frozenset(other for other in reached[name] if name in reached[other]) for name in graph if name in reached[name]
    }


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


def _imported(node: ast.AST) -> Iterator[str]:
    """Every name that could be an imported module: of ``from a import b``, both ``a`` and ``a.b``."""
    if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
        for statement in node.orelse:
            yield from _imported(statement)
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "relative imports are banned"
        assert node.module is not None
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from _imported(child)
