"""One name, one thing: no two classes of the package have the same name."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.support.modules import syntax_trees

PACKAGE = Path(__file__).parents[2] / "execpolicy"


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


def test_a_repeated_name_is_seen() -> None:
    assert repeated([("a", "one"), ("b", "one"), ("a", "two")]) == {"a": ["one", "two"]}
