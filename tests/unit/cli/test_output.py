"""JSON text equals what ``json.dumps`` prints."""

import json
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.cli.output import dumps, encode, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(VALUES)
def test_compact(value: object) -> None:
    assert dumps(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@given(VALUES)
def test_pretty(value: object) -> None:
    assert dumps(value, pretty=True) == json.dumps(value, ensure_ascii=False, indent=2)


def test_half_surrogates_stay_valid_json() -> None:
    assert json.loads(encode(dumps({"a": "\udc80"}))) == {"a": "\udc80"}


@given(VALUES, st.sampled_from([None, 1]), st.sampled_from(["", " ", "\n\t\r "]))
def test_reading(value: object, indent: int | None, blank: str) -> None:
    text = blank + json.dumps(value, indent=indent) + blank
    assert loads(text) == value


def outcome(read: Callable[[str], object], text: str) -> str:
    try:
        return repr(read(text))
    except ValueError as error:
        return f"error: {error}"


@given(st.text(alphabet='{}[]",:0123456789-+.eE \\ntrufalsN\t\u00a0x'))
def test_reading_of_anything(text: str) -> None:
    assert outcome(loads, text) == outcome(json.loads, text)


@pytest.mark.parametrize("text", ["1.5", "-0.0", "1e400", "Infinity", "-Infinity", '{"a":1,"a":2}', '"\\ud83d\\ude00"'])
def test_reading_of_unusual_values(text: str) -> None:
    assert repr(loads(text)) == repr(json.loads(text))
    assert math.isnan(loads("NaN"))


WRONG = ["", " ", "{", "[1,]", '{"a"}', '"\t"', "1 2", "\u00a01", "nul", "\ufeff1", "1" * 5000]


@pytest.mark.parametrize("text", WRONG)
def test_reading_of_what_is_not_json(text: str) -> None:
    assert outcome(loads, text) == outcome(json.loads, text)
    assert outcome(loads, text).startswith("error: ")


def test_reading_of_what_is_nested_too_deep() -> None:
    with pytest.raises(RecursionError):
        loads("[" * 100_000 + "]" * 100_000)
