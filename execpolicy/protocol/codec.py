"""The fields of each message type, in one table for the parser and the writer, and the codec.

The JSON Schemas in ``docs/protocol`` describe the same fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

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
from execpolicy.strict_json import DuplicateNameError, read_json
from execpolicy.validators import OneOf


@dataclass(frozen=True, slots=True)
class Kind:
    """A form of value.

    Attributes:
        says: the form in error messages, after ``must be``.
        holds: returns true if a JSON value has this form.
        read: converts the JSON value to the attribute.
    """

    says: str
    holds: Callable[[Any], bool]
    read: Callable[[Any], Any] = lambda value: value


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _one_of(words: type[OneOf], says: str) -> Kind:
    known = frozenset(words)
    return Kind(says, lambda value: isinstance(value, str) and value in known, words)


VERSION_KIND = Kind("a positive whole number", lambda value: _is_number(value) and value > 0)
TIMESTAMP = Kind("an RFC 3339 time or milliseconds since 1970", is_timestamp)
NAME = Kind(f"text of 1 to {MAX_ID} characters", is_name)
TEXT = Kind("text", lambda value: isinstance(value, str))
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
COUNT = Kind("a whole number from 0", lambda value: _is_number(value) and 0 <= value <= 2**53)
OBJECT = Kind("an object", lambda value: isinstance(value, dict))
NAMES = Kind(
    "a list of text", lambda value: isinstance(value, list) and all(isinstance(entry, str) for entry in value), tuple
)
CHOICE = _one_of(Choice, f"one of `{'`, `'.join(Choice)}`")
CHOICES = Kind(
    f"a list of `{'`, `'.join(Choice)}`",
    lambda value: isinstance(value, list) and all(map(CHOICE.holds, value)),
    lambda value: tuple(map(Choice, value)),
)
_LIMITS = ("paths", "urls")
LIMITS = Kind(
    "an object whose `paths` and `urls` are lists of text",
    lambda value: isinstance(value, dict) and all(NAMES.holds(value[name]) for name in _LIMITS if name in value),
)
WORD = _one_of(DecisionWord, "`allow`, `deny` or `ask`")

ENVELOPE = {"v": VERSION_KIND, "ts": TIMESTAMP, "id": NAME, "run_id": NAME, "trace": OBJECT, "nonce": NAME}
"""The fields of every message, each with its form."""
FIELDS: Mapping[type[Message], Mapping[str, Kind]] = MappingProxyType({
    ToolRequest: {"tool": NAME, "action": TEXT, "args": OBJECT, "requires_policy": FLAG, "rationale": TEXT},
    ToolResult: {"ok": FLAG, "error": TEXT},
    ToolProgress: {"message": TEXT},
    PolicyDecision: {
        "decision": WORD, "reason": TEXT, "request_nonce": NAME, "rule_id": TEXT, "constraints": LIMITS,
        "expires_in_ms": COUNT, "choices": CHOICES, "proposal": NAMES,
    },
    PolicyAnswer: {"answer": CHOICE, "message": TEXT, "prefix": NAMES},
    PolicyPing: {"capabilities": NAMES, "timeout_ms": COUNT},
    PolicyAbort: {"reason": TEXT, "code": TEXT},
})  # fmt: skip
"""The further fields of each message; ``docs/protocol`` says what they mean."""
_REQUIRED = frozenset(("v", "ts", "id", "tool", "ok", "decision", "reason", "answer", "capabilities"))

TYPES: Mapping[str, type[Message]] = MappingProxyType({message.TYPE: message for message in FIELDS})

EVENT_TYPES = frozenset({ToolRequest.TYPE, ToolResult.TYPE, ToolProgress.TYPE, PolicyPing.TYPE})
"""The types of a child's messages; all other lines are output."""


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
        value = read_json(text)
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
    for field, kind in ENVELOPE.items():
        _read_field(field, kind, value, read)
        if field == "v" and read["v"] != VERSION:
            text = f"version {read['v']} is not supported, only {VERSION}"
            raise MessageError(ParseProblem.UNSUPPORTED_VERSION, text, field="v", value=value)
    for field, kind in FIELDS[message].items():
        _read_field(field, kind, value, read)
    read["extra"] = {name: entry for name, entry in value.items() if name not in _KNOWN[message]}
    return message(**read)


_KNOWN = {message: frozenset(("type", *ENVELOPE, *fields)) for message, fields in FIELDS.items()}


def _read_field(field: str, kind: Kind, value: Mapping[str, Any], into: dict[str, Any]) -> None:
    given = value.get(field)
    if given is None:
        if field in _REQUIRED:
            text = f"the field `{field}` is missing"
            raise MessageError(ParseProblem.MISSING_FIELD, text, field=field, value=value)
        return
    if not kind.holds(given):
        raise MessageError(ParseProblem.BAD_FIELD, f"the field `{field}` must be {kind.says}", field=field, value=value)
    into[field] = kind.read(given)


def parse_line(line: bytes | str) -> Message:
    """The message on one line.

    Raises:
        MessageError: the line is not a message.
    """
    return parse_message(read_object(line))


def message_to_json(message: Message) -> dict[str, Any]:
    """``message`` as a JSON object: envelope, its fields, then the unknown fields that it was received with."""
    body: dict[str, Any] = {"v": message.v, "type": message.TYPE}
    for field in (*ENVELOPE, *FIELDS[type(message)]):
        entry = getattr(message, field)
        if entry is not None:
            body[field] = list(entry) if isinstance(entry, tuple) else entry
    return {**body, **message.extra}


def render_line(message: Message) -> bytes:
    """``message`` as one line of ASCII with its newline, for any text in it."""
    return json.dumps(message_to_json(message), separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
