"""JSON text equals what ``json.dumps`` prints."""

import json

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.cli.jsontext import dumps, encode

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
