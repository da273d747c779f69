"""The fields of each message type, in one table for the parser, the writer and the JSON Schemas, and the codec."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn

from execpolicy.errors import ExecPolicyError
from execpolicy.protocol.messages import (
    MAX_ID,
    VERSION,
    Choice,
    DecisionWord,
    Message,
    PolicyAbort,
    PolicyAnswer,
    PolicyDecision,
    PolicyPing,
    ToolProgress,
    ToolRequest,
    ToolResult,
    is_name,
    is_timestamp,
)
from execpolicy.strict_json import DuplicateNameError, once_each
from execpolicy.validators import OneOf

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(message: type[Message]) -> dict[str, Any]:
    """The JSON Schema of one message type. It permits unknown fields, which are kept."""
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
    """The JSON Schema of the environment variables of a child."""
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
    """The text of every schema by file name, as in ``docs/protocol``."""
    schemas = {message.TYPE: schema_of(message) for message in FIELDS}
    schemas["environment"] = schema_of_environment()
    return {f"{name}.schema.json": json.dumps(schema, indent=2) + "\n" for name, schema in schemas.items()}


def write_schemas(folder: str) -> None:
    """Writes every schema file into ``folder``."""
    for name, text in schema_files().items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


@dataclass(frozen=True, slots=True)
class Kind:
    """A form of value.

    Attributes:
        says: the form in error messages, after ``must be``.
        holds: returns true if a JSON value has this form.
        schema: the form as JSON Schema.
        read: converts the JSON value to the attribute.
    """

    says: str
    holds: Callable[[Any], bool]
    schema: Mapping[str, Any]
    read: Callable[[Any], Any] = lambda value: value


_RFC3339_SCHEMA = r"^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$"


VERSION_KIND = Kind(
    "a positive whole number",
    lambda value: isinstance(value, int) and not isinstance(value, bool) and value > 0,
    {"type": "integer", "minimum": 1},
)
TIMESTAMP = Kind(
    "an RFC 3339 time or milliseconds since 1970",
    is_timestamp,
    {"anyOf": [{"type": "string", "pattern": _RFC3339_SCHEMA}, {"type": "number", "minimum": 0}]},
)
NAME = Kind(f"text of 1 to {MAX_ID} characters", is_name, {"type": "string", "minLength": 1, "maxLength": MAX_ID})
TEXT = Kind("text", lambda value: isinstance(value, str), {"type": "string"})
FLAG = Kind("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
COUNT = Kind(
    "a whole number from 0",
    lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 2**53,
    {"type": "integer", "minimum": 0, "maximum": 2**53},
)
OBJECT = Kind("an object", lambda value: isinstance(value, dict), {"type": "object"})
NAMES = Kind(
    "a list of text",
    lambda value: isinstance(value, list) and all(isinstance(entry, str) for entry in value),
    {"type": "array", "items": {"type": "string"}},
    tuple,
)
_LIMITS = ("paths", "urls")
_CHOICE_WORDS = [choice.value for choice in Choice]
CHOICE = Kind(
    f"one of `{'`, `'.join(_CHOICE_WORDS)}`",
    lambda value: isinstance(value, str) and value in _CHOICE_WORDS,
    {"enum": _CHOICE_WORDS},
    Choice,
)
CHOICES = Kind(
    f"a list of `{'`, `'.join(_CHOICE_WORDS)}`",
    lambda value: isinstance(value, list) and all(CHOICE.holds(entry) for entry in value),
    {"type": "array", "items": {"enum": _CHOICE_WORDS}},
    lambda value: tuple([Choice(entry) for entry in value]),
)
LIMITS = Kind(
    "an object whose `paths` and `urls` are lists of text",
    lambda value: isinstance(value, dict) and all(NAMES.holds(value[name]) for name in _LIMITS if name in value),
    {
        "type": "object",
        "properties": {
            "paths": {**NAMES.schema, "description": "the only files that the call may touch: absolute, normalised"},
            "urls": {**NAMES.schema, "description": "the only addresses that the call may open"},
        },
        "additionalProperties": True,
    },
)
WORD = Kind(
    "`allow`, `deny` or `ask`",
    lambda value: isinstance(value, str) and value in {word.value for word in DecisionWord},
    {"enum": [word.value for word in DecisionWord]},
    DecisionWord,
)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message."""

    name: str
    kind: Kind
    required: bool
    meaning: str


ENVELOPE = (
    Field("v", VERSION_KIND, True, "protocol version"),
    Field("ts", TIMESTAMP, True, "when it was sent"),
    Field("id", NAME, True, "links a request, its decision and its result"),
    Field("run_id", NAME, False, "names the session"),
    Field("trace", OBJECT, False, "for diagnosis"),
    Field("nonce", NAME, False, "unique within a session, against replays"),
)

FIELDS: Mapping[type[Message], tuple[Field, ...]] = MappingProxyType(
    {
        ToolRequest: (
            Field("tool", NAME, True, "name of the tool, for instance fs.read or shell.exec"),
            Field("action", TEXT, False, "what the tool is to do"),
            Field("args", OBJECT, False, "arguments of the tool"),
            Field("requires_policy", FLAG, False, "the child waits for a policy.decision of this id"),
            Field("rationale", TEXT, False, "why the agent wants it, in its own words, for the person who is asked"),
        ),
        ToolResult: (
            Field("ok", FLAG, True, "whether the tool ran and succeeded"),
            Field("error", TEXT, False, "why not"),
        ),
        ToolProgress: (Field("message", TEXT, False, "what happened"),),
        PolicyDecision: (
            Field("decision", WORD, True, "whether the tool may run; a child takes ask for deny"),
            Field("reason", TEXT, True, "why, one line"),
            Field("request_nonce", NAME, False, "the `nonce` of the request that this answers"),
            Field("rule_id", TEXT, False, "what decided"),
            Field("constraints", LIMITS, False, "what the call is limited to; one that is not understood is a deny"),
            Field("expires_in_ms", COUNT, False, "how long the decision holds, from its arrival"),
            Field("choices", CHOICES, False, "with `ask`: the answers that a host may send"),
            Field("proposal", NAMES, False, "with `ask`: the argv prefix that `keep` would allow for good"),
        ),
        PolicyAnswer: (
            Field("answer", CHOICE, True, "the answer of the person whom the host asked"),
            Field("message", TEXT, False, "their words for the agent"),
            Field("prefix", NAMES, False, "with `keep`: the first words of the proposal; all where this is missing"),
        ),
        PolicyPing: (
            Field("capabilities", NAMES, True, "message.vN names"),
            Field("timeout_ms", COUNT, False, "how long a request waits for its decision at most"),
        ),
        PolicyAbort: (
            Field("reason", TEXT, True, "why the session ends"),
            Field("code", TEXT, False, "stable word, for instance user_cancel"),
        ),
    }
)

TYPES: Mapping[str, type[Message]] = MappingProxyType({message.TYPE: message for message in FIELDS})

EVENT_TYPES = frozenset({ToolRequest.TYPE, ToolResult.TYPE, ToolProgress.TYPE, PolicyPing.TYPE})
"""The types of a child's messages; all other lines are output."""

ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "EXECPOLICY_ARBITER": "`1`: the program runs under an arbiter, and decisions come on its standard input",
        "EXECPOLICY_EVENT_PREFIX": "what every event line of the child has to start with; missing where it is nothing",
        "EXECPOLICY_RUN_ID": "the name of the session, for the field `run_id`; missing where it has none",
    }
)
"""The environment variables that an arbiter sets for a child, with their meanings."""


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
