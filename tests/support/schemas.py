"""The part of JSON Schema (draft 2020-12) that our schemas use. A keyword that is not known here is an error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from execpolicy.cli.commands.config import schemas_folder

_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
_TEXT = frozenset(("$schema", "$id", "$defs", "title", "description", "default", "examples"))


@cache
def schema_named(name: str) -> dict[str, Any]:
    """The schema that the package carries as ``NAME.schema.json``."""
    with open(f"{schemas_folder()}/{name}.schema.json", encoding="utf-8") as file:
        schema: dict[str, Any] = json.load(file)
    return schema


def schema_problems(value: Any, name: str) -> list[str]:
    """Where ``value`` is not what the schema says."""
    root = schema_named(name)
    return list(_problems(value, root, root, "$"))


def _problems(value: Any, schema: Any, root: dict[str, Any], at: str) -> Iterator[str]:
    if isinstance(schema, bool):
        if not schema:
            yield f"{at}: nothing may stand here"
        return
    for keyword, wanted in schema.items():
        if keyword in _TEXT:
            continue
        check = _CHECKS[keyword]
        yield from check(value, wanted, schema, root, at)


def _type(value: Any, wanted: Any, schema: Any, root: Any, at: str) -> Iterator[str]:
    def fits(kind: str) -> bool:
        if kind in ("integer", "number"):
            return isinstance(value, int if kind == "integer" else int | float) and not isinstance(value, bool)
        return isinstance(value, _TYPES[kind])

    if not any(map(fits, [wanted] if isinstance(wanted, str) else wanted)):
        yield f"{at}: {value!r} is no {wanted}"


def _properties(value: Any, wanted: Any, schema: Any, root: Any, at: str) -> Iterator[str]:
    for key, each in wanted.items():
        if isinstance(value, dict) and key in value:
            yield from _problems(value[key], each, root, f"{at}.{key}")


def _others(value: Any, wanted: Any, schema: Any, root: Any, at: str) -> Iterator[str]:
    for key in set(value if isinstance(value, dict) else ()) - set(schema.get("properties", ())):
        yield from _problems(value[key], wanted, root, f"{at}.{key}")


def _required(value: Any, wanted: Any, schema: Any, root: Any, at: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (f"{at}: `{key}` is missing" for key in wanted if key not in value)


def _items(value: Any, wanted: Any, schema: Any, root: Any, at: str) -> Iterator[str]:
    for index, each in enumerate(value if isinstance(value, list) else ()):
        yield from _problems(each, wanted, root, f"{at}[{index}]")


def _enum(value: Any, wanted: Any, schema: Any, root: Any, at: str) -> Iterator[str]:
    if value not in wanted:
        yield f"{at}: {value!r} is none of {wanted}"


def _length(value: Any, wanted: Any, schema: Any, root: Any, at: str) -> Iterator[str]:
    if isinstance(value, str | list) and len(value) < wanted:
        yield f"{at}: {value!r} is too short"


def _longest(value: Any, wanted: Any, schema: Any, root: Any, at: str) -> Iterator[str]:
    if isinstance(value, list) and len(value) > wanted:
        yield f"{at}: {value!r} is too long"


def _minimum(value: Any, wanted: Any, schema: Any, root: Any, at: str) -> Iterator[str]:
    if isinstance(value, int) and value < wanted:
        yield f"{at}: {value} is below {wanted}"


def _any_of(value: Any, wanted: Any, schema: Any, root: Any, at: str) -> Iterator[str]:
    if all(list(_problems(value, each, root, at)) for each in wanted):
        yield f"{at}: {value!r} fits none of the choices"


def _reference(value: Any, wanted: str, schema: Any, root: Any, at: str) -> Iterator[str]:
    yield from _problems(value, root["$defs"][wanted.removeprefix("#/$defs/")], root, at)


_CHECKS = {
    "type": _type,
    "properties": _properties,
    "additionalProperties": _others,
    "required": _required,
    "items": _items,
    "enum": _enum,
    "minLength": _length,
    "minItems": _length,
    "maxItems": _longest,
    "minimum": _minimum,
    "anyOf": _any_of,
    "$ref": _reference,
}
