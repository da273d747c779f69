"""The public API is one readable list for each package, short at the top."""

import ast
import inspect
import itertools
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import execpolicy
from execpolicy import homes
from tests.support.public import HOMES, MODULES, PUBLIC

MOST = 40
"""Names at the top: those of the main job."""


def kind_and_name(name: str) -> tuple[int, str]:
    """Constants first, then classes, then functions, each by name: the order that the formatter keeps."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


@pytest.mark.parametrize("package", MODULES.values(), ids=list(MODULES))
def test_public_names_are_listed_sorted_and_importable(package: ModuleType) -> None:
    assert list(package.__all__) == sorted(set(package.__all__), key=kind_and_name)
    assert all(hasattr(package, name) for name in package.__all__)
    assert list(homes(package.__name__)) == list(package.__all__)
    assert sorted(package.__all__) == dir(package)


@pytest.mark.parametrize("package", MODULES.values(), ids=list(MODULES))
def test_type_checkers_are_shown_the_same_list(package: ModuleType) -> None:
    stub = ast.parse(Path(str(package.__file__)).with_suffix(".pyi").read_text("utf-8"))
    lines = [each for each in stub.body if isinstance(each, ast.ImportFrom)]
    shown = {alias.asname: each.module for each in lines for alias in each.names}
    parts = dict.fromkeys(execpolicy.PARTS, "execpolicy") if package is execpolicy else {}
    assert shown == {**homes(package.__name__), **parts}
    assert len(shown) == len(lines)


def test_the_top_level_is_small() -> None:
    assert len(execpolicy.__all__) <= MOST
    assert len(PUBLIC) > 200


def test_a_name_of_a_package_still_works_at_the_top_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match=r"execpolicy\.Reply is deprecated: use execpolicy\.permissions\.Reply"):
        assert execpolicy.__getattr__("Reply") is execpolicy.permissions.Reply


def test_what_is_not_listed_is_no_attribute() -> None:
    assert not hasattr(execpolicy, "policy_that_allows_everything")
    assert not hasattr(execpolicy, "_turn")


def is_described(name: str) -> bool:
    """Whether a class or function has a docstring, and anything else a text behind its definition."""
    value = PUBLIC[name]
    if inspect.isclass(value) or inspect.isfunction(value):
        return bool(value.__doc__)
    file = import_module(HOMES[name]).__file__
    assert file is not None
    body = ast.parse(Path(file).read_text("utf-8")).body
    for statement, behind in itertools.pairwise(body):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        if isinstance(target, ast.Name) and target.id == name:
            return isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant)
    return False


def test_public_objects_are_documented() -> None:
    assert [name for name in PUBLIC if not is_described(name)] == []
