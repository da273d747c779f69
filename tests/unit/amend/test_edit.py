"""Growing and shrinking text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.amend.append import last_line, missing_suffix, torn_tail

LINE = 'prefix_rule(pattern=["a"], decision="allow")'
OTHER = 'prefix_rule(pattern=["b"], decision="allow")'


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("", f"{LINE}\n"),
        ("# mine\n\n", f"{LINE}\n"),
        ("# mine", f"\n{LINE}\n"),
        (f"{LINE}\n", ""),
        (f"{LINE}", ""),
        (f"{LINE}\r\n", ""),
        (f"# x\n{LINE}\n# y", ""),
        (f" {LINE}\n", f"{LINE}\n"),
        (f"# {LINE}\n", f"{LINE}\n"),
        (f"# x\u2028{LINE}\n", f"{LINE}\n"),
        (f"# x\x0c{LINE}\n", f"{LINE}\n"),
        (f"# x\r{LINE}\n", f"{LINE}\n"),
    ],
)
def test_only_what_is_missing_is_added_on_a_line_of_its_own(text: str, suffix: str) -> None:
    assert missing_suffix(text, (LINE,)) == suffix


def test_several_lines_are_added_at_once_and_each_only_once() -> None:
    assert missing_suffix("x", (LINE, OTHER, LINE)) == f"\n{LINE}\n{OTHER}\n"
    assert missing_suffix(f"{OTHER}\n", (LINE, OTHER)) == f"{LINE}\n"


TEXTS = st.lists(st.sampled_from(["a", "\n", "\r", LINE, OTHER, "\u2028"]), max_size=8).map("".join)


@given(TEXTS)
def test_appending_is_idempotent(text: str) -> None:
    assert missing_suffix(text + missing_suffix(text, (LINE,)), (LINE,)) == ""


def test_a_line_is_found_where_it_last_occurs_and_only_as_a_whole() -> None:
    def without(text: str) -> str | None:
        found = last_line(text.encode(), LINE.encode())
        return None if found is None else text[: found[0]] + text[found[1] :]

    assert without(f"{LINE}\n# x\n{LINE}\r\n# {LINE}\n") == f"{LINE}\n# x\n# {LINE}\n"
    assert without(f"x{LINE}\n") is None
    assert without(LINE) == ""


ODD = 'prefix_rule(pattern=["a)\\\\", "é\\"]", "#\'"], decision="allow")'
NETWORK = 'network_rule(host="::1", protocol="https", decision="deny", justification="no (never)")'


@pytest.mark.parametrize("line", [LINE, ODD, NETWORK])
def test_every_beginning_of_an_amendment_is_an_unfinished_line(line: str) -> None:
    for length in range(1, len(line)):
        assert torn_tail(f"# before\n{line[:length]}") == line[:length]
    assert torn_tail(line) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        f"{LINE}\n",
        LINE,
        f"{LINE}  ",
        f"{LINE} # mine",
        f"{LINE}; x = 1",
        'prefix_rule(pattern=["a"]) # mine (',
        "prefix_rule(pattern=['a'",
        "prefix_rule(pattern=[ # mine",
        "prefix_rule(pattern=[1",
        "x = \\\np",
        "# comment",
        "nonsense(",
        "x = 1",
    ],
)
def test_what_stands_on_its_own_is_not_unfinished(text: str) -> None:
    assert torn_tail(text) is None
