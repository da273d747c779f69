"""The public API is one readable list."""

import ast
import inspect
import itertools
from importlib import import_module
from pathlib import Path

import execpolicy


def kind_and_name(name: str) -> tuple[int, str]:
    """Constants first, then classes, then functions, each by name: the order that the formatter keeps."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def test_public_names_are_listed_sorted_and_importable() -> None:
    assert list(execpolicy.__all__) == sorted(set(execpolicy.__all__), key=kind_and_name)
    assert all(hasattr(execpolicy, name) for name in execpolicy.__all__)
    assert list(execpolicy.homes()) == list(execpolicy.__all__)
    assert sorted(execpolicy.__all__) == dir(execpolicy)


def test_type_checkers_are_shown_the_same_list() -> None:
    stub = ast.parse(Path(execpolicy.__file__).with_suffix(".pyi").read_text("utf-8")).body[1:]
    shown = {alias.asname: each.module for each in stub if isinstance(each, ast.ImportFrom) for alias in each.names}
    assert shown == execpolicy.homes()
    assert len(shown) == len(stub) > 200


def test_what_is_not_listed_is_no_attribute() -> None:
    assert not hasattr(execpolicy, "policy_that_allows_everything")


def is_described(name: str) -> bool:
    """Whether a class or function has a docstring, and anything else a text behind its definition."""
    value = getattr(execpolicy, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        return bool(value.__doc__)
    file = import_module(execpolicy.homes()[name]).__file__
    assert file is not None
    body = ast.parse(Path(file).read_text("utf-8")).body
    for statement, behind in itertools.pairwise(body):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        if isinstance(target, ast.Name) and target.id == name:
            return isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant)
    return False


def test_public_objects_are_documented() -> None:
    assert [name for name in execpolicy.__all__ if not is_described(name)] == []
