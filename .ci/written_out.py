"""Writes out the classes that ``@value`` makes (``execpolicy/value.py``), so that no decorator runs in a wheel."""

import ast
import copy
from typing import cast

MODULE = "execpolicy.value"


def write_out(tree: ast.Module) -> ast.Module:
    """``tree`` with the slots and the ``__init__`` of every value, and without the import of the decorator."""
    return cast(ast.Module, ast.fix_missing_locations(_Values().visit(tree)))


class _Values(ast.NodeTransformer):
    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module == MODULE else node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        if any(isinstance(each, ast.Name) and each.id == "value" for each in node.decorator_list):
            node.decorator_list = []
            _write_fields(node)
        return node


def _write_fields(node: ast.ClassDef) -> None:
    """Put the definitions where the last field stands, behind everything that a default may name."""
    if node.bases or node.keywords:
        raise ValueError(f"{node.name}: a value has no base class")
    found = [each for each in node.body if isinstance(each, ast.AnnAssign) and not _is_class_variable(each)]
    names = [cast(ast.Name, each.target).id for each in found]
    marker = names.index("_") if "_" in names else len(names)
    fields = [name for name in names if name != "_"]
    positional = fields[:marker]
    first, rest = [each.value for each in found[:marker]], [each.value for each in found[marker + 1 :]]
    given = [value for value in first if value is not None]
    if any(value is None for value in first[len(first) - len(given) :]):
        raise ValueError(f"{node.name}: a field without a default follows one that has a default")
    init = cast(ast.FunctionDef, ast.parse("def __init__(self) -> None: pass").body[0])
    hints = {name: each.annotation for name, each in zip(names, found, strict=True)}
    init.args.args += [ast.arg(name, hints[name]) for name in positional]
    init.args.kwonlyargs = [ast.arg(name, hints[name]) for name in fields[marker:]]
    init.args.defaults, init.args.kw_defaults = given, rest
    init.body = [*ast.parse("\n".join([f"self.{name} = {name}" for name in fields])).body, *_checks(node, fields)]
    init.body = init.body or [ast.Pass()]
    constants = ast.parse(f"__slots__ = {tuple(fields)}\n__match_args__ = {tuple(positional)}").body
    last = node.body.index(found[-1]) if found else len(node.body) - 1
    node.body = [each for each in node.body[: last + 1] if each not in found] + [
        *(ast.copy_location(each, node) for each in (*constants, init)),
        *node.body[last + 1 :],
    ]


def _is_class_variable(node: ast.AnnAssign) -> bool:
    return ast.unparse(node.annotation).startswith("ClassVar")


def _checks(node: ast.ClassDef, fields: list[str]) -> list[ast.stmt]:
    """What ``__post_init__`` does, in the place of a call if no name in it would become one of ``__init__``."""
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__post_init__"]
    if not methods:
        return []
    body = copy.deepcopy(methods[0].body)
    within = [each for statement in body for each in ast.walk(statement)]
    named = {each.id for each in within if isinstance(each, ast.Name)}
    if named & {*fields} or any(isinstance(each, (ast.Return, ast.Global, ast.Nonlocal)) for each in within):
        return ast.parse("self.__post_init__()").body
    return [each for each in body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
