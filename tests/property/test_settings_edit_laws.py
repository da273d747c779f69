"""Laws of edits in settings files: what was said is still said, what is put in comes out, and nothing else moves."""

from __future__ import annotations

import contextlib
import json

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.exchange.tool_entry import BrokenSettingsError, parse_settings
from execpolicy.gate.settings_edit import SettingsEdit, is_ours, put_entries, take_entries
from execpolicy.hooks.agents import AGENTS

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
GROUPS = st.lists(st.fixed_dictionaries({"matcher": st.text(max_size=3), "hooks": st.just([])}), max_size=3)
HOOKS = st.fixed_dictionaries({}, optional={"PreToolUse": GROUPS})
SETTINGS = st.builds(
    lambda rest, hooks: {**rest, **hooks},
    st.dictionaries(st.text(max_size=5).filter(lambda key: key != "hooks"), VALUES, max_size=4),
    st.fixed_dictionaries({}, optional={"hooks": HOOKS}),
)
LAYOUTS = st.sampled_from([None, 1, 2, 4, "\t"])
NEWLINES = st.sampled_from(["\n", "\r\n"])
COMMENTS = st.sampled_from(["", " // a note", " /* a note */", " /* two\n lines */"])


@given(VALUES, LAYOUTS)
def test_json_is_read_as_json(value: object, layout: int | str | None) -> None:
    for ascii_only in (True, False):
        text = json.dumps(value, indent=layout, ensure_ascii=ascii_only)
        assert parse_settings("x", text).value == json.loads(text)


@given(st.text(alphabet='{}[],:"/* \n1a', max_size=12))
def test_what_json_reads_is_read_and_the_rest_is_refused(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with contextlib.suppress(BrokenSettingsError):  # nothing else is raised; comments make it readable
            parse_settings("x", text)
    else:
        assert parse_settings("x", text).value == expected


@given(SETTINGS, LAYOUTS, NEWLINES, COMMENTS)
def test_hooks_come_and_go(settings: dict[str, object], layout: int | str | None, newline: str, comment: str) -> None:
    agent = AGENTS["claude"]
    text = json.dumps(settings, indent=layout, ensure_ascii=False).replace("\n", newline)
    if layout is not None and not any(mark in text for mark in ('"{', '"[')):
        text = text.replace("[" + newline, "[" + comment + newline, 1)
    before = SettingsEdit("x", text)
    edit = SettingsEdit("x", text)
    put_entries(edit, agent, "/x/hook_start.py claude", patience=10, switch=False)
    added = edit.value["hooks"]["PreToolUse"]
    assert [each for each in added if is_ours(each)] == [added[-1]]
    assert {key: value for key, value in edit.value.items() if key != "hooks"} == {
        key: value for key, value in before.value.items() if key != "hooks"
    }
    again = SettingsEdit("x", edit.text)
    put_entries(again, agent, "/x/hook_start.py claude", patience=10, switch=False)
    assert again.text == edit.text
    take_entries(edit, agent, before)
    assert edit.value == before.value
    assert "".join(edit.text.split()) == "".join(before.text.split())
