"""Messages: validation and round trip (seed 004, sections 3 and 4; the examples are the seed's)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.protocol.codec import MessageError, ParseProblem, message_to_json, parse_line, render_line
from execpolicy.protocol.messages import (
    CAPABILITIES,
    DecisionWord,
    Message,
    PolicyAbort,
    PolicyDecision,
    PolicyPing,
    ToolProgress,
    ToolRequest,
    ToolResult,
    negotiate,
)
from tests.support.each import each

SEED_EXAMPLES: list[tuple[str, Message]] = [
    (
        '{"v":1,"type":"policy.decision","ts":"2025-12-26T22:15:00-05:00","run_id":"r-123","id":"t-001",'
        '"decision":"allow","reason":"allowed by policy","rule_id":"allow.fs.read"}',
        PolicyDecision(
            ts="2025-12-26T22:15:00-05:00",
            run_id="r-123",
            id="t-001",
            decision=DecisionWord.ALLOW,
            reason="allowed by policy",
            rule_id="allow.fs.read",
        ),
    ),
    (
        '{"v":1,"type":"policy.ping","ts":"2025-12-26T22:14:50-05:00","run_id":"r-123","id":"ping-1",'
        '"capabilities":["policy.decision.v1"],"timeout_ms":300000}',
        PolicyPing(
            ts="2025-12-26T22:14:50-05:00",
            run_id="r-123",
            id="ping-1",
            capabilities=("policy.decision.v1",),
            timeout_ms=300000,
        ),
    ),
    (
        '{"v":1,"type":"policy.abort","ts":"2025-12-26T22:20:00-05:00","run_id":"r-123","id":"abort-1",'
        '"reason":"user cancelled approval","code":"user_cancel"}',
        PolicyAbort(
            ts="2025-12-26T22:20:00-05:00",
            run_id="r-123",
            id="abort-1",
            reason="user cancelled approval",
            code="user_cancel",
        ),
    ),
    (
        '{"v":1,"type":"tool.request","ts":"2025-12-26T22:11:03-05:00","id":"t-001","tool":"fs.read","action":"read",'
        '"args":{"path":"README.md"},"requires_policy":true}',
        ToolRequest(
            ts="2025-12-26T22:11:03-05:00",
            id="t-001",
            tool="fs.read",
            action="read",
            args={"path": "README.md"},
            requires_policy=True,
        ),
    ),
]


@pytest.mark.parametrize(("line", "message"), SEED_EXAMPLES, ids=lambda value: getattr(value, "TYPE", ""))
def test_3_and_4_the_examples_of_the_seed(line: str, message: Message) -> None:
    assert parse_line(line) == message
    assert message_to_json(message) == json.loads(line)
    assert render_line(message).endswith(b"\n")


REQUEST: dict[str, Any] = {
    "v": 1,
    "type": "tool.request",
    "ts": 1766805063000,
    "id": "t",
    "tool": "shell",
    "args": {"command": "ls"},
    "requires_policy": True,
}


def with_field(name: str, value: Any) -> dict[str, Any]:
    return {**REQUEST, name: value}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in REQUEST.items() if key != name}


BROKEN: list[tuple[Any, ParseProblem, str | None]] = [
    *[(without(name), ParseProblem.MISSING_FIELD, name) for name in ("v", "type", "ts", "id", "tool")],
    *[(with_field(name, None), ParseProblem.MISSING_FIELD, name) for name in ("v", "type", "ts", "id", "tool")],
    (with_field("v", "1"), ParseProblem.BAD_FIELD, "v"),
    (with_field("v", True), ParseProblem.BAD_FIELD, "v"),
    (with_field("v", 2), ParseProblem.UNSUPPORTED_VERSION, "v"),
    (with_field("type", "tool.unknown"), ParseProblem.UNKNOWN_TYPE, "type"),
    (with_field("type", 5), ParseProblem.UNKNOWN_TYPE, "type"),
    (with_field("ts", "yesterday"), ParseProblem.BAD_FIELD, "ts"),
    (with_field("ts", "2025-13-26T22:11:03Z"), ParseProblem.BAD_FIELD, "ts"),
    (with_field("ts", "2025-12-26 22:11:03"), ParseProblem.BAD_FIELD, "ts"),
    (with_field("ts", -1), ParseProblem.BAD_FIELD, "ts"),
    (with_field("ts", True), ParseProblem.BAD_FIELD, "ts"),
    (with_field("id", ""), ParseProblem.BAD_FIELD, "id"),
    (with_field("id", 5), ParseProblem.BAD_FIELD, "id"),
    (with_field("id", "x" * 513), ParseProblem.BAD_FIELD, "id"),
    (with_field("args", []), ParseProblem.BAD_FIELD, "args"),
    (with_field("requires_policy", "true"), ParseProblem.BAD_FIELD, "requires_policy"),
    (with_field("requires_policy", 1), ParseProblem.BAD_FIELD, "requires_policy"),
    (with_field("nonce", 7), ParseProblem.BAD_FIELD, "nonce"),
    (with_field("trace", "x"), ParseProblem.BAD_FIELD, "trace"),
    ({"v": 1, "ts": 0, "id": "t", "type": "tool.result"}, ParseProblem.MISSING_FIELD, "ok"),
    ({"v": 1, "ts": 0, "id": "t", "type": "policy.decision", "reason": ""}, ParseProblem.MISSING_FIELD, "decision"),
    (
        {"v": 1, "ts": 0, "id": "t", "type": "policy.decision", "reason": "", "decision": "maybe"},
        ParseProblem.BAD_FIELD,
        "decision",
    ),
    ([], ParseProblem.NOT_AN_OBJECT, None),
    ("text", ParseProblem.NOT_AN_OBJECT, None),
]


@each(("value", "problem", "field"), BROKEN)
def test_8_2_what_is_missing_or_wrong_is_a_parse_error_with_its_field(
    value: Any, problem: ParseProblem, field: str | None
) -> None:
    with pytest.raises(MessageError) as caught:
        parse_line(json.dumps(value))
    assert (caught.value.problem, caught.value.field) == (problem, field)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{", ParseProblem.NOT_JSON),
        (b"", ParseProblem.NOT_JSON),
        (b'{"a": NaN}', ParseProblem.NOT_JSON),
        (b'{"a": Infinity}', ParseProblem.NOT_JSON),
        (b'{"a": "\xff"}', ParseProblem.NOT_JSON),
        (b'{"a": ' + b"[" * 100_000, ParseProblem.NOT_JSON),
        (b'{"a": ' + b"9" * 10_000 + b"}", ParseProblem.NOT_JSON),
        (b'{"id": "a", "id": "b"}', ParseProblem.DUPLICATE_FIELD),
        (b'{"args": {"command": "rm -rf /", "command": "ls"}}', ParseProblem.DUPLICATE_FIELD),
    ],
)
def test_lines_that_readers_could_take_differently_are_refused(line: bytes, problem: ParseProblem) -> None:
    with pytest.raises(MessageError) as caught:
        parse_line(line)
    assert caught.value.problem == problem


@pytest.mark.parametrize(
    "ts", [0, 1766805063000, 1766805063000.5, "2025-12-26T22:11:03Z", "2025-12-26t22:11:03.123456789+05:30"]
)
def test_3_1_times_are_rfc_3339_or_epoch_milliseconds(ts: Any) -> None:
    assert parse_line(json.dumps(with_field("ts", ts))).ts == ts


def test_unknown_fields_are_kept() -> None:
    line = {**REQUEST, "color": "blue", "nested": {"a": [1]}}
    message = parse_line(json.dumps(line))
    assert message.extra == {"color": "blue", "nested": {"a": [1]}}
    assert json.loads(render_line(message)) == line


def test_4_1_requires_policy_left_out_means_that_the_child_does_not_wait() -> None:
    message = parse_line(json.dumps(without("requires_policy")))
    assert isinstance(message, ToolRequest)
    assert not message.requires_policy


NAMES = st.text(min_size=1, max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda v: st.lists(v, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=3)
EXTRA = st.dictionaries(NAMES.map(lambda name: f"x-{name}"), JSON.filter(lambda v: v is not None), max_size=2)
ENVELOPE: dict[str, Any] = {
    "id": NAMES,
    "ts": st.integers(0, 2**50) | st.just("2025-12-26T22:11:03Z"),
    "run_id": st.none() | NAMES,
    "trace": st.none() | OBJECTS,
    "nonce": st.none() | NAMES,
    "extra": EXTRA,
}
TEXT = st.none() | st.text()
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(
        ToolRequest, tool=NAMES, action=TEXT, args=OBJECTS, requires_policy=st.booleans(), rationale=TEXT, **ENVELOPE
    ),
    st.builds(ToolResult, ok=st.booleans(), error=TEXT, **ENVELOPE),
    st.builds(ToolProgress, message=TEXT, **ENVELOPE),
    st.builds(
        PolicyDecision,
        decision=st.sampled_from(DecisionWord),
        reason=st.text(),
        rule_id=TEXT,
        constraints=st.none() | OBJECTS,
        expires_in_ms=st.none() | st.integers(0, 10**9),
        **ENVELOPE,
    ),
    st.builds(PolicyPing, capabilities=st.lists(st.text(), max_size=3).map(tuple), **ENVELOPE),
    st.builds(PolicyAbort, reason=st.text(), code=TEXT, **ENVELOPE),
)


@given(MESSAGES)
def test_every_message_survives_the_wire(message: Message) -> None:
    line = render_line(message)
    assert line.count(b"\n") == 1
    assert line.isascii()
    assert parse_line(line) == message


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_line_does_anything_but_parse_or_be_refused(line: bytes) -> None:
    try:
        outcome: object = parse_line(line)
    except MessageError as error:
        outcome = error.problem
    assert outcome


@pytest.mark.parametrize(
    ("offered", "agreed"),
    [
        (CAPABILITIES, 1),
        (("policy.decision.v1",), 1),
        (("policy.decision.v2", "policy.decision.v1"), 1),
        (("policy.decision.v2",), None),
        (("policy.ping.v1",), None),
        ((), None),
    ],
)
def test_the_two_sides_agree_on_the_newest_common_version(offered: tuple[str, ...], agreed: int | None) -> None:
    assert negotiate(offered) == agreed
