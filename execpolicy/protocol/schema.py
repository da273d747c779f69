"""JSON Schemas of the messages, made from the same table that reads and writes them."""

from __future__ import annotations

import json
import os
from typing import Any

from execpolicy.protocol.message_fields import ENVELOPE, ENVIRONMENT, FIELDS, Field
from execpolicy.protocol.messages import VERSION, Message

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(message: type[Message]) -> dict[str, Any]:
    """The schema of one message type. Unknown fields are welcome: they are kept."""
    fields = (*ENVELOPE, *FIELDS[message])
    properties: dict[str, Any] = {"type": {"const": message.TYPE, "description": "message type"}}
    for field in fields:
        properties[field.name] = _property(field)
    properties["v"] = {"const": VERSION, "description": "protocol version"}
    return {
        "$schema": DIALECT,
        "title": message.TYPE,
        "description": (message.__doc__ or "").partition("\n")[0].strip(),
        "type": "object",
        "required": ["type", *[field.name for field in fields if field.required]],
        "properties": properties,
        "additionalProperties": True,
    }


def _property(field: Field) -> dict[str, Any]:
    if field.required:
        return {**field.kind.schema, "description": field.meaning}
    if "type" in field.kind.schema:
        return {**field.kind.schema, "type": [field.kind.schema["type"], "null"], "description": field.meaning}
    return {"anyOf": [dict(field.kind.schema), {"type": "null"}], "description": field.meaning}


def schema_of_environment() -> dict[str, Any]:
    """The schema of the variables that a child finds."""
    return {
        "$schema": DIALECT,
        "title": "environment",
        "description": "What an arbiter puts into the environment of a child.",
        "type": "object",
        "required": ["EXECPOLICY_ARBITER"],
        "properties": {name: {"type": "string", "description": meaning} for name, meaning in ENVIRONMENT.items()},
        "additionalProperties": True,
    }


def schema_files() -> dict[str, str]:
    """File name to text of every schema, as it stands in ``docs/protocol``."""
    schemas = {message.TYPE: schema_of(message) for message in FIELDS}
    schemas["environment"] = schema_of_environment()
    return {f"{name}.schema.json": json.dumps(schema, indent=2) + "\n" for name, schema in schemas.items()}


def write_schemas(folder: str) -> None:
    """Write every schema file into ``folder``."""
    for name, text in schema_files().items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
