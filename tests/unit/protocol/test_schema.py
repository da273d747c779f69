"""The JSON Schemas in ``docs/protocol`` accept and refuse what the parser does."""

import json
import re
from pathlib import Path
from typing import Any

from execpolicy.protocol.codec import ENVELOPE, FIELDS, TYPES

DOCS = Path(__file__).parents[3] / "docs" / "protocol"


def schema_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DOCS / f"{name}.schema.json").read_text("utf-8"))
    return found


def test_every_message_has_a_schema_and_its_fields_are_described() -> None:
    names = {path.name.removesuffix(".schema.json") for path in DOCS.glob("*.json")}
    assert names == {*TYPES, "environment"}
    for name, message in TYPES.items():
        schema = schema_of(name)
        assert schema["properties"].keys() == {"type", *ENVELOPE, *FIELDS[message]}
        assert all(field["description"] for field in schema["properties"].values())


def fits(schema: dict[str, Any], value: Any) -> bool:
    """The small part of JSON Schema that the pages use."""
    if "const" in schema:
        return bool(value == schema["const"]) and type(value) is type(schema["const"])
    if "anyOf" in schema:
        return any(fits(one, value) for one in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is(kind, value) for kind in kinds):
        return False
    if isinstance(value, str):
        long_enough = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 10**9)
        return long_enough and re.search(schema.get("pattern", ""), value) is not None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    if isinstance(value, list):
        return all(fits(schema["items"], entry) for entry in value)
    if isinstance(value, dict) and "properties" in schema:
        complete = all(name in value for name in schema.get("required", ()))
        return complete and all(fits(schema["properties"][n], v) for n, v in value.items() if n in schema["properties"])
    return True


def _is(kind: str, value: Any) -> bool:
    if kind == "null":
        return value is None
    if kind == "boolean":
        return isinstance(value, bool)
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else int | float) and not isinstance(value, bool)
    return isinstance(value, {"string": str, "array": list, "object": dict}[kind])


def test_the_schemas_accept_and_refuse_what_the_reader_does() -> None:
    from execpolicy.protocol.codec import MessageError, parse_message

    values: list[Any] = [None, True, 0, 1, -1, 2, 1.5, "", "x", "allow", "2025-12-26T22:11:03Z", [], ["a"], [1], {}]
    values += [["once"], {"paths": ["/a"]}, {"paths": "/a"}, {"urls": [1]}, {"other": 1}]
    base = {"v": 1, "ts": 0, "id": "i", "tool": "t", "ok": True, "decision": "deny", "reason": "", "capabilities": []}
    base["answer"] = "once"
    checked = 0
    for message, fields in FIELDS.items():
        schema = schema_of(message.TYPE)
        names = ["type", *ENVELOPE, *fields]
        for name in names:
            for value in values:
                candidate = {**base, "type": message.TYPE, name: value}
                try:
                    parse_message(candidate)
                    read = True
                except MessageError:
                    read = False
                assert fits(schema, candidate) is read, (message.TYPE, name, value)
                checked += 1
    assert checked > 500
