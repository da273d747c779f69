"""The decorator for classes that consist only of fields. ``dataclasses`` costs 23 ms at start, this does not.

    @value
    class Redirect:
        operator: str
        target: Word
        _: KW_ONLY
        body: Word | None = None

A value has slots, an ``__init__`` that takes the fields in their order, and ``__match_args__``. It compares by identity
and has the usual ``repr`` unless it defines its own. Nothing assigns to a field afterwards: type checkers report it.
``__post_init__``, if there is one, runs last; it checks the fields. A value has no base class, and a default is
shared by all instances. A wheel holds these classes written out (``.ci/written_out.py``).
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import KW_ONLY as KW_ONLY
    from types import CodeType
    from typing import TypeVar, dataclass_transform

    Class = TypeVar("Class", bound=type)
else:
    KW_ONLY = None  # fields after `_: KW_ONLY` are keyword-only; annotations are never evaluated

    def dataclass_transform(**_):
        return lambda decorator: decorator


_templates: dict[tuple[int, bool], CodeType] = {}
"""Code of ``__init__``, by the number of fields and by having a check: compiling one takes 0.14 ms."""


@dataclass_transform(eq_default=False, frozen_default=True)
def value(cls: Class) -> Class:
    """``cls`` as a class with slots whose instances consist of its annotated fields."""
    caller = sys._getframe(1)
    body = dict(cls.__dict__)
    hints: dict[str, str] = body.get("__annotations__", {})
    fields = [name for name, hint in hints.items() if hint[:8] != "ClassVar"]
    positional = fields[: fields.index("_")] if "_" in fields else fields
    fields = [name for name in fields if name != "_"]
    defaults = {name: body.pop(name) for name in fields if name in body}
    checked = "__post_init__" in body
    code = (_templates.get((len(fields), checked)) or _template(len(fields), checked)).replace(
        co_argcount=1 + len(positional),
        co_kwonlyargcount=len(fields) - len(positional),
        co_varnames=("self", *fields),
        co_names=(*fields, "__post_init__") if checked else tuple(fields),
        co_qualname=cls.__qualname__ + ".__init__",
        co_filename=caller.f_code.co_filename,
        co_firstlineno=caller.f_lineno,
    )
    init = type(_template)(code, caller.f_globals)  # type: ignore[misc]  # the class of functions
    init.__defaults__ = tuple([defaults.pop(name) for name in positional if name in defaults])
    init.__kwdefaults__ = defaults
    init.__annotations__ = {**{name: hints[name] for name in fields}, "return": "None"}
    del body["__dict__"], body["__weakref__"]
    body.update(__init__=init, __slots__=tuple(fields), __match_args__=tuple(positional))
    made: Class = type(cls)(cls.__name__, cls.__bases__, body)
    return made


def _template(count: int, checked: bool) -> CodeType:
    """The code of an ``__init__`` that assigns ``count`` fields; :func:`value` inserts their names."""
    names = [f"f{at}" for at in range(count)]
    lines = [f"self.{name} = {name}" for name in names] + ["self.__post_init__()"] * checked
    scope: dict[str, type] = {}
    exec(f"def __init__({', '.join(['self', *names])}):\n " + "\n ".join(lines or ["pass"]), scope)
    code: CodeType = scope["__init__"].__code__  # type: ignore[attr-defined]  # a function
    _templates[count, checked] = code
    return code
