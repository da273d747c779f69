"""The codec between messages and JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from execpolicy.errors import ExecPolicyError
from execpolicy.protocol.message_fields import ENVELOPE, FIELDS, TYPES, Field
from execpolicy.protocol.messages import VERSION, Message
from execpolicy.strict_json import DuplicateNameError, once_each
from execpolicy.validators import OneOf


class ParseProblem(OneOf):
    """The kind of error in a line."""

    NOT_JSON = "not_json"
    NOT_AN_OBJECT = "not_an_object"
    DUPLICATE_FIELD = "duplicate_field"
    MISSING_FIELD = "missing_field"
    BAD_FIELD = "bad_field"
    UNKNOWN_TYPE = "unknown_type"
    UNSUPPORTED_VERSION = "unsupported_version"
    TOO_LONG = "too_long"


class MessageError(ExecPolicyError):
    """A line that is not a message of this protocol.

    Attributes:
        field: the invalid field, if a field is the cause.
        value: the JSON object, if the line is one; it may still contain the id of the request.
    """

    def __init__(
        self, problem: ParseProblem, message: str, *, field: str | None = None, value: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.problem = problem
        self.field = field
        self.value = value


def read_object(line: bytes | str) -> dict[str, Any]:
    """Parses ``line`` as a JSON object.

    It is strict where parsers differ, so that both sides see the same message: no duplicate fields, no NaN, valid
    UTF-8.

    Raises:
        MessageError: the line is not such an object.
    """
    try:
        text = line if isinstance(line, str) else line.decode("utf-8")
        value = json.loads(text, object_pairs_hook=once_each, parse_constant=_no_constant)
    except DuplicateNameError as error:
        raise MessageError(ParseProblem.DUPLICATE_FIELD, str(error), field=error.name) from None
    except UnicodeDecodeError:
        raise MessageError(ParseProblem.NOT_JSON, "the line is not valid UTF-8") from None
    except RecursionError:
        raise MessageError(ParseProblem.NOT_JSON, "the line is nested too deeply") from None
    except ValueError as error:
        raise MessageError(ParseProblem.NOT_JSON, f"the line is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise MessageError(ParseProblem.NOT_AN_OBJECT, "the line is not a JSON object")
    return value


def _no_constant(word: str) -> NoReturn:
    raise MessageError(ParseProblem.NOT_JSON, f"the line is not JSON: {word}")


def parse_message(value: Mapping[str, Any]) -> Message:
    """Converts a JSON object to a message. ``null`` for an optional field counts as a missing field.

    Raises:
        MessageError: a field is missing or has the wrong form, or the type or version is unknown.
    """
    name = value.get("type")
    if name is None:
        raise MessageError(ParseProblem.MISSING_FIELD, "the field `type` is missing", field="type", value=value)
    message = TYPES.get(name) if isinstance(name, str) else None
    if message is None:
        raise MessageError(ParseProblem.UNKNOWN_TYPE, f"the type `{name}` is unknown", field="type", value=value)
    read: dict[str, Any] = {}
    for field in ENVELOPE:
        _read_field(field, value, read)
        if field.name == "v" and read["v"] != VERSION:
            text = f"version {read['v']} is not supported, only {VERSION}"
            raise MessageError(ParseProblem.UNSUPPORTED_VERSION, text, field="v", value=value)
    for field in FIELDS[message]:
        _read_field(field, value, read)
    known = _KNOWN[message]
    read["extra"] = {name: entry for name, entry in value.items() if name not in known}
    return message(**read)


_KNOWN = {
    message: frozenset({"type", *[field.name for field in (*ENVELOPE, *fields)]}) for message, fields in FIELDS.items()
}


def _read_field(field: Field, value: Mapping[str, Any], into: dict[str, Any]) -> None:
    given = value.get(field.name)
    if given is None:
        if field.required:
            text = f"the field `{field.name}` is missing"
            raise MessageError(ParseProblem.MISSING_FIELD, text, field=field.name, value=value)
        return
    if not field.kind.holds(given):
        text = f"the field `{field.name}` must be {field.kind.says}"
        raise MessageError(ParseProblem.BAD_FIELD, text, field=field.name, value=value)
    into[field.name] = field.kind.read(given)


def parse_line(line: bytes | str) -> Message:
    """The message on one line.

    Raises:
        MessageError: the line is not a message.
    """
    return parse_message(read_object(line))


def message_to_json(message: Message) -> dict[str, Any]:
    """``message`` as a JSON object: envelope, its fields, then the unknown fields that it was received with."""
    body: dict[str, Any] = {"v": message.v, "type": message.TYPE}
    for field in (*ENVELOPE[1:], *FIELDS[type(message)]):
        entry = getattr(message, field.name)
        if entry is not None:
            body[field.name] = list(entry) if isinstance(entry, tuple) else entry
    return {**body, **message.extra}


def render_line(message: Message) -> bytes:
    """``message`` as one line of ASCII with its newline, for any text in it."""
    return json.dumps(message_to_json(message), separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
