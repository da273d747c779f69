"""One name, one thing: no two classes and no two modules of the package are called the same."""

import ast
from collections import defaultdict
from collections.abc import Container, Iterable
from pathlib import Path

from tests.support.modules import syntax_trees

PACKAGE = Path(__file__).parents[2] / "execpolicy"

BY_CONVENTION = {
    "__init__.py": "a package is named by its folder",
    "programs/shelf": "a file of the shelf is named after the programs on it",
    "cli/commands": "a command's module is found by the command's name, and the command is named after what it does",
}
"""Files and folders that are passed over, and why."""


def repeated(names: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Of pairs of a name and what is called so: the names that several things have."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, thing in names:
        found[name].append(thing)
    return {name: things for name, things in found.items() if len(things) > 1}


def test_no_two_classes_have_one_name() -> None:
    classes = [
        (node.name, module)
        for module, tree in syntax_trees(PACKAGE).items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]
    assert len(classes) > 300
    found = repeated(classes)
    assert not found


def module_names(passed_over: Container[str]) -> dict[str, list[str]]:
    """The names that several modules have, leaving out files and folders."""
    paths = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py"))]
    assert len(paths) > 300
    return repeated(
        (path.stem, str(path))
        for path in paths
        if path.name not in passed_over and path.parent.as_posix() not in passed_over
    )


def test_no_two_modules_have_one_name() -> None:
    found = module_names(BY_CONVENTION)
    assert not found


def test_every_convention_is_needed() -> None:
    for convention in BY_CONVENTION:
        assert module_names(BY_CONVENTION.keys() - {convention}) != module_names(BY_CONVENTION), convention


def test_a_repeated_name_is_seen() -> None:
    assert repeated([("a", "one"), ("b", "one"), ("a", "two")]) == {"a": ["one", "two"]}
